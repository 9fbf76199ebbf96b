// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/state_header.h"

#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr int kIconSize = 28;
}

StateDisc::StateDisc(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFixedSize(sizeHint());
}

void StateDisc::setState(agent::State state)
{
    if (state == m_state)
        return;
    m_state = state;
    update();
}

void StateDisc::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.kind == Theme::Kind::HighContrast ? QPen(m_theme.line, 1) : QPen(Qt::NoPen));
    painter.setBrush(m_theme.stateBackground(m_state));
    painter.drawEllipse(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    const QPixmap shape = icons::tinted(u"tray/" % icons::shapeOf(m_state), m_theme.stateColor(m_state), kIconSize, devicePixelRatioF());
    painter.drawPixmap((width() - kIconSize) / 2, (height() - kIconSize) / 2, shape);
}

StateHeader::StateHeader(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_disc(new StateDisc(theme, this))
    , m_title(makeLabel({}, TextSize::State, theme.text, Wrap::Yes, this))
    , m_reason(makeLabel({}, TextSize::Body, theme.text, Wrap::Yes, this))
    , m_next(makeLabel({}, TextSize::Body, theme.text2, Wrap::Yes, this))
    , m_second(new QPushButton(this))
    , m_main(new QToolButton(this))
{
    m_reason->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_main->setPopupMode(QToolButton::MenuButtonPopup);
    m_main->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_main->setFocusPolicy(Qt::StrongFocus);
    m_main->setPalette(theme.primaryButton(m_main->palette()));
    m_main->setFont(fontFor(TextSize::Heading, m_main->font()));
    for (QWidget* button : {static_cast<QWidget*>(m_second), static_cast<QWidget*>(m_main)}) {
        button->setMinimumHeight(30);
        button->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
    }

    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_reason);
    words->addWidget(m_next);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    buttons->setContentsMargins(0, 2, 0, 0);
    buttons->addWidget(m_second);
    buttons->addWidget(m_main);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(16);
    row->addWidget(m_disc, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    row->addLayout(buttons);
    row->setAlignment(buttons, Qt::AlignTop);

    connect(m_second, &QPushButton::clicked, this, &StateHeader::secondTriggered);
    connect(m_main, &QToolButton::clicked, this, &StateHeader::mainTriggered);
}

void StateHeader::setSentence(agent::State state, const QString& title, const QString& reason, const QString& next)
{
    m_disc->setState(state);
    const bool news = title != m_title->text();
    m_title->setText(title);
    m_reason->setText(reason);
    m_reason->setVisible(!reason.isEmpty());
    m_next->setText(next);
    m_next->setVisible(!next.isEmpty());
    setAccessibleName(title);
    setAccessibleDescription(next.isEmpty() ? reason : reason % u' ' % next);
    if (news && isVisible() && QAccessible::isActive()) {
        // A new state is said once; step counts are not.
        QAccessibleEvent event(this, QAccessible::NameChanged);
        QAccessible::updateAccessibility(&event);
    }
}

void StateHeader::setMainAction(const QString& text, QMenu* menu, const QString& toolTip)
{
    m_main->setText(text);
    m_main->setMinimumWidth(0);
    m_main->setToolTip(toolTip);
    m_main->setAccessibleName(QString(text).remove(u'&'));
    m_main->setMenu(menu);
    m_main->setPopupMode(menu ? QToolButton::MenuButtonPopup : QToolButton::DelayedPopup);
    // A tool button leaves its text less room than a push button does.
    m_main->setMinimumWidth(m_main->sizeHint().width() + 2 * m_main->fontMetrics().averageCharWidth());
}

void StateHeader::setSecondAction(const QString& text)
{
    m_second->setText(text);
    m_second->setVisible(!text.isEmpty());
}

void StateHeader::openMenu()
{
    if (m_main->menu())
        m_main->showMenu();
}

QString StateHeader::title() const
{
    return m_title->text();
}

QString StateHeader::reason() const
{
    return m_reason->text();
}

QString StateHeader::next() const
{
    return m_next->text();
}

}  // namespace sunloco::ui
