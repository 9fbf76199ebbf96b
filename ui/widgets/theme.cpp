// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/theme.h"

#include "app/agent/agent_api.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QStyle>

#include <algorithm>
#include <cmath>

namespace sunloco::ui {
namespace {

// No text below 12 px at 96 dpi.
constexpr double kSmallestPoints = 9.0;
constexpr int kSmallestPixels = 12;

// A palette whose window and text are this far apart is a high-contrast scheme: ordinary light themes stay below 19.
constexpr double kHighContrastRatio = 20.5;

double linear(double channel)
{
    return channel <= 0.03928 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& color)
{
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

QColor mixed(const QColor& a, const QColor& b, double share)
{
    const auto part = [share](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * share)); };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

}  // namespace

double contrast(const QColor& a, const QColor& b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

Theme Theme::light()
{
    Theme t;
    t.kind = Kind::Light;
    t.window = QColor(0xf6f5f2);
    t.side = QColor(0xedece8);
    t.card = QColor(0xffffff);
    t.sunk = QColor(0xf1f0ec);
    t.line = QColor(0xdfddd7);
    t.control = QColor(0x86868a);
    t.text = QColor(0x1c1e21);
    t.text2 = QColor(0x565a60);
    t.accent = t.train = QColor(0x0b6a5b);
    t.onAccent = QColor(0xffffff);
    t.tint = QColor(0xe0f0ec);
    t.wait = QColor(0x56616f);
    t.you = QColor(0x573c8f);
    t.rule = QColor(0x8f5c00);
    t.warn = QColor(0xfbf0da);
    t.upload = QColor(0x1b66b4);
    t.alert = QColor(0xa01818);
    t.alertBackground = QColor(0xfbe9e7);
    t.sun = QColor(0xbd7a00);
    t.sunFill = QColor(0xf3c565);
    t.battery = QColor(0x7a5fb0);
    t.grid = QColor(0x4d6785);
    t.unknown = QColor(0x77797d);
    return t;
}

Theme Theme::dark()
{
    Theme t;
    t.kind = Kind::Dark;
    t.window = QColor(0x1f2023);
    t.side = QColor(0x191a1c);
    t.card = QColor(0x292b2f);
    t.sunk = QColor(0x212327);
    t.line = QColor(0x3b3e43);
    t.control = QColor(0x858a92);
    t.text = QColor(0xecedee);
    t.text2 = QColor(0xb1b6bd);
    t.accent = t.train = QColor(0x62cbb6);
    t.onAccent = QColor(0x06241e);
    t.tint = QColor(0x1f3a35);
    t.wait = QColor(0xaab4c1);
    t.you = QColor(0xcdbcf4);
    t.rule = QColor(0xecc07a);
    t.warn = QColor(0x3a3122);
    t.upload = QColor(0x6ea9ea);
    t.alert = QColor(0xff8272);
    t.alertBackground = QColor(0x40241f);
    t.sun = QColor(0xf0b445);
    t.sunFill = QColor(0xad7d26);
    t.battery = QColor(0xb49de2);
    t.grid = QColor(0x93acc9);
    t.unknown = QColor(0x92979e);
    return t;
}

Theme Theme::highContrast(const QPalette& system)
{
    Theme t;
    t.kind = Kind::HighContrast;
    const QColor text = system.color(QPalette::WindowText);
    const QColor window = system.color(QPalette::Window);
    t.window = t.side = t.card = t.sunk = t.warn = t.alertBackground = t.tint = window;
    t.line = t.control = t.text = t.text2 = text;
    t.train = t.wait = t.you = t.rule = t.upload = t.alert = text;
    t.sun = t.sunFill = t.battery = t.grid = t.unknown = text;
    t.accent = system.color(QPalette::Highlight);
    t.onAccent = system.color(QPalette::HighlightedText);
    return t;
}

Theme Theme::forPalette(const QPalette& system)
{
    const QColor window = system.color(QPalette::Window);
    const QColor text = system.color(QPalette::WindowText);
    if (contrast(window, text) >= kHighContrastRatio)
        return highContrast(system);
    return luminance(window) < luminance(text) ? dark() : light();
}

QPalette Theme::palette(const QPalette& system) const
{
    if (kind == Kind::HighContrast)
        return system;
    QPalette p = system;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, card);
    p.setColor(QPalette::AlternateBase, sunk);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, text2);
    p.setColor(QPalette::Button, card);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, alert);
    p.setColor(QPalette::Highlight, accent);
    p.setColor(QPalette::HighlightedText, onAccent);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, card);
    p.setColor(QPalette::ToolTipText, text);
    // The style's own edges: light, midlight, mid, dark, shadow.
    p.setColor(QPalette::Light, kind == Kind::Dark ? mixed(card, text, 0.15) : card);
    p.setColor(QPalette::Midlight, mixed(card, line, 0.5));
    p.setColor(QPalette::Mid, line);
    p.setColor(QPalette::Dark, control);
    p.setColor(QPalette::Shadow, kind == Kind::Dark ? side : control);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, mixed(text2, window, 0.35));
    p.setColor(QPalette::Disabled, QPalette::Base, sunk);
    p.setColor(QPalette::Disabled, QPalette::Button, sunk);
    p.setColor(QPalette::Disabled, QPalette::Highlight, line);
    p.setColor(QPalette::Disabled, QPalette::HighlightedText, text2);
    return p;
}

QPalette Theme::primaryButton(const QPalette& base) const
{
    QPalette p = base;
    p.setColor(QPalette::Active, QPalette::Button, accent);
    p.setColor(QPalette::Inactive, QPalette::Button, accent);
    p.setColor(QPalette::Active, QPalette::ButtonText, onAccent);
    p.setColor(QPalette::Inactive, QPalette::ButtonText, onAccent);
    // The arrow of a split button.
    p.setColor(QPalette::Active, QPalette::WindowText, onAccent);
    p.setColor(QPalette::Inactive, QPalette::WindowText, onAccent);
    return p;
}

QPalette Theme::withText(const QPalette& base, const QColor& color) const
{
    QPalette p = base;
    p.setColor(QPalette::WindowText, color);
    p.setColor(QPalette::Text, color);
    return p;
}

void Theme::outlineControls(QWidget* root) const
{
    if (root->style()->name().compare(QLatin1String("fusion"), Qt::CaseInsensitive) != 0)
        return;
    // The style's outline is the window colour made darker by 140 %.
    QColor ground;
    ground.setHsv(std::max(0, control.hsvHue()), control.hsvSaturation(), std::min(255, static_cast<int>(control.value() * 1.4)));
    for (QWidget* widget : root->findChildren<QWidget*>()) {
        const bool isControl = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget)
            || (qobject_cast<QLineEdit*>(widget) && !qobject_cast<QAbstractSpinBox*>(widget->parentWidget()));
        if (!isControl || widget->palette().color(QPalette::Window) == ground)
            continue;
        QPalette p = widget->palette();
        p.setColor(QPalette::Window, ground);
        widget->setPalette(p);
    }
}

QColor Theme::stateColor(agent::State state) const
{
    switch (state) {
    case agent::State::Training: return train;
    case agent::State::Uploading: return upload;
    case agent::State::PausedByUser: return you;
    case agent::State::PausedByRule: return rule;
    case agent::State::NeedsAttention: return alert;
    case agent::State::NoProject:
    case agent::State::Waiting: return wait;
    }
    return wait;
}

QColor Theme::stateBackground(agent::State state) const
{
    switch (state) {
    case agent::State::Training: return tint;
    case agent::State::PausedByRule: return warn;
    case agent::State::NeedsAttention: return alertBackground;
    case agent::State::Uploading:
    case agent::State::PausedByUser:
    case agent::State::NoProject:
    case agent::State::Waiting: return kind == Kind::HighContrast ? window : side;
    }
    return side;
}

QFont fontFor(TextSize size, const QFont& base)
{
    QFont font = base;
    const auto scale = [&font](double factor) {
        if (font.pixelSize() > 0)
            font.setPixelSize(std::max(kSmallestPixels, static_cast<int>(std::lround(font.pixelSize() * factor))));
        else
            font.setPointSizeF(std::max(std::min(kSmallestPoints, font.pointSizeF()), font.pointSizeF() * factor));
    };
    switch (size) {
    case TextSize::State: scale(1.85); font.setWeight(QFont::DemiBold); break;
    case TextSize::PageTitle:
    case TextSize::Figure: scale(1.55); font.setWeight(QFont::DemiBold); break;
    case TextSize::Heading: font.setWeight(QFont::DemiBold); break;
    case TextSize::Body: break;
    case TextSize::Secondary: scale(0.92); break;
    case TextSize::Axis: scale(0.88); break;
    }
    return font;
}

}  // namespace sunloco::ui
