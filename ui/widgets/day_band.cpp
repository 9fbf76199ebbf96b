// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/day_band.h"

#include "ui/widgets/icons.h"

#include <QKeyEvent>
#include <QLocale>
#include <QPainter>
#include <QTime>

#include <algorithm>
#include <cmath>

namespace sunloco::ui {
namespace {
constexpr int kBandHeight = 22;
constexpr int kMinutes = 24 * 60;
constexpr qreal kThinnest = 1.5;   // so that a short event is never invisible
constexpr int kGlyph = 14;

QString clock(int quarter)
{
    return QLocale().toString(QTime(0, 0).addSecs(quarter * 15 * 60), QLocale::ShortFormat);
}

/// Dots on a ground, in logical pixels.
QBrush dots(const QColor& ground, const QColor& dot, int step, qreal radius, qreal ratio)
{
    QPixmap tile(qRound(step * ratio), qRound(step * ratio));
    tile.setDevicePixelRatio(ratio);
    tile.fill(ground);
    QPainter painter(&tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(dot);
    painter.drawEllipse(QPointF(step / 4.0, step / 4.0), radius, radius);
    painter.drawEllipse(QPointF(step * 3 / 4.0, step * 3 / 4.0), radius, radius);
    painter.end();
    return QBrush(tile);
}
}  // namespace

DayBand::DayBand(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    setFont(fontFor(TextSize::Axis, font()));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Today"));
}

QSize DayBand::sizeHint() const
{
    return {480, kBandHeight + 8 + fontMetrics().height()};
}

QSize DayBand::minimumSizeHint() const
{
    return {200, sizeHint().height()};
}

void DayBand::setDay(const QVector<Quarter>& quarters, int nowMinute)
{
    m_nowMinute = nowMinute;
    m_stretches.clear();
    for (int i = 0; i < quarters.size(); ++i) {
        if (!m_stretches.isEmpty() && m_stretches.back().what == quarters[i])
            m_stretches.back().last = i;
        else
            m_stretches.append({i, i, quarters[i]});
    }
    if (m_current >= m_stretches.size())
        m_current = -1;
    update();
}

QString DayBand::describe(const Stretch& stretch) const
{
    QString what;
    switch (stretch.what) {
    case Quarter::Unrecorded: what = tr("not recorded"); break;
    case Quarter::Idle: what = tr("nothing used"); break;
    case Quarter::Trained: what = tr("training"); break;
    case Quarter::Future: what = tr("still to come"); break;
    }
    return tr("%1 to %2, %3").arg(clock(stretch.first), clock((stretch.last + 1) % kQuarters), what);
}

QString DayBand::accessibleValue() const
{
    if (m_current >= 0 && m_current < m_stretches.size())
        return describe(m_stretches[m_current]);
    QStringList trained;
    for (const Stretch& stretch : m_stretches)
        if (stretch.what == Quarter::Trained)
            trained.append(describe(stretch));
    return trained.isEmpty() ? tr("no training yet") : trained.join(QStringLiteral("; "));
}

void DayBand::setCurrent(int stretch)
{
    m_current = stretch;
    Q_EMIT pointed(stretch >= 0 && stretch < m_stretches.size() ? describe(m_stretches[stretch]) : QString());
    announceValue(this);
    update();
}

void DayBand::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_stretches.size()) - 1;
    switch (event->key()) {
    case Qt::Key_Left: setCurrent(m_current < 0 ? last : std::max(0, m_current - 1)); return;
    case Qt::Key_Right: setCurrent(std::min(last, m_current + 1)); return;
    case Qt::Key_Home: setCurrent(0); return;
    case Qt::Key_End: setCurrent(last); return;
    default: QWidget::keyPressEvent(event);
    }
}

void DayBand::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void DayBand::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCurrent(-1);
}

void DayBand::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const qreal ratio = devicePixelRatioF();
    // The axis keeps its direction in right-to-left layouts.
    const qreal perQuarter = static_cast<qreal>(width() - 4) / kQuarters;
    const auto place = [&](const Stretch& s) {
        return QRectF(2 + s.first * perQuarter, 2, std::max(kThinnest, (s.last - s.first + 1) * perQuarter - 1), kBandHeight);
    };
    for (const Stretch& stretch : std::as_const(m_stretches)) {
        const QRectF box = place(stretch);
        painter.setPen(Qt::NoPen);
        switch (stretch.what) {
        case Quarter::Unrecorded: painter.setBrush(dots(m_theme.card, m_theme.unknown, 5, 0.8, ratio)); break;
        case Quarter::Idle: painter.setBrush(dots(m_theme.sunk, m_theme.wait, 10, 0.85, ratio)); break;
        case Quarter::Trained: painter.setBrush(m_theme.train); break;
        case Quarter::Future:
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(m_theme.wait, 1, Qt::DotLine));
            break;
        }
        painter.drawRoundedRect(stretch.what == Quarter::Future ? box.adjusted(0.5, 0.5, -0.5, -0.5) : box, 3, 3);
        if (stretch.what == Quarter::Trained && box.width() >= kGlyph + 1) {
            const QPixmap sun = icons::tinted(QStringLiteral("tray/training"), m_theme.onAccent, kGlyph, ratio);
            painter.drawPixmap(QPointF(box.center().x() - kGlyph / 2.0, box.center().y() - kGlyph / 2.0), sun);
        }
    }
    if (m_current >= 0 && m_current < m_stretches.size() && hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 2));
        painter.drawRoundedRect(place(m_stretches[m_current]).adjusted(-1, -1, 1, 1), 4, 4);
    } else if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 2));
        painter.drawRoundedRect(QRectF(1, 1, width() - 2, kBandHeight + 2), 4, 4);
    }

    const qreal now = 2 + m_nowMinute * static_cast<qreal>(width() - 4) / kMinutes;
    painter.setPen(QPen(m_theme.text, 1.5));
    painter.drawLine(QPointF(now, 0), QPointF(now, kBandHeight + 4));
    painter.setPen(m_theme.text2);
    for (int hour = 0; hour <= 24; hour += 3) {
        const qreal x = 2 + hour * 4 * perQuarter;
        const QString word = QStringLiteral("%1").arg(hour, 2, 10, QLatin1Char('0'));
        const qreal wide = fontMetrics().horizontalAdvance(word);
        const qreal left = std::clamp(x - wide / 2, 0.0, std::max(0.0, width() - wide));
        painter.drawText(QPointF(left, kBandHeight + 6 + fontMetrics().ascent()), word);
    }
}

}  // namespace sunloco::ui
