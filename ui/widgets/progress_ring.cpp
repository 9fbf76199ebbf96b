// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/progress_ring.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace sunloco::ui {
namespace {
constexpr qreal kStroke = 9;
constexpr QChar kThinNoBreakSpace(0x202f);
}  // namespace

ProgressRing::ProgressRing(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_color(theme.train)
{
    setFixedSize(sizeHint());
    setFont(fontFor(TextSize::Heading, font()));
}

int ProgressRing::percent() const
{
    return m_steps > 0 ? static_cast<int>(std::clamp<qint64>(m_step * 100 / m_steps, 0, 100)) : 0;
}

void ProgressRing::setProgress(qint64 step, qint64 steps)
{
    if (step == m_step && steps == m_steps)
        return;
    m_step = step;
    m_steps = steps;
    update();
}

void ProgressRing::setColor(const QColor& color)
{
    if (color == m_color)
        return;
    m_color = color;
    update();
}

QString ProgressRing::accessibleValue() const
{
    if (m_steps <= 0)
        return tr("no round is running");
    const QLocale locale;
    return tr("%1 percent, %2 of %3 steps").arg(locale.toString(percent()), locale.toString(m_step), locale.toString(m_steps));
}

void ProgressRing::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF ring = QRectF(rect()).adjusted(kStroke / 2, kStroke / 2, -kStroke / 2, -kStroke / 2);
    painter.setPen(QPen(m_theme.line, kStroke));
    painter.drawEllipse(ring);
    if (m_steps <= 0)
        return;
    const qreal share = std::clamp(static_cast<qreal>(m_step) / static_cast<qreal>(m_steps), 0.0, 1.0);
    painter.setPen(QPen(m_color, kStroke, Qt::SolidLine, Qt::RoundCap));
    if (share > 0)
        painter.drawArc(ring, 90 * 16, -static_cast<int>(share * 360 * 16));
    painter.setPen(m_theme.text);
    QFont text = font();
    if (text.pixelSize() > 0)
        text.setPixelSize(qRound(text.pixelSize() * 1.25));
    else
        text.setPointSizeF(text.pointSizeF() * 1.25);
    painter.setFont(text);
    painter.drawText(rect(), Qt::AlignCenter, QLocale().toString(percent()) % kThinNoBreakSpace % u'%');
}

}  // namespace sunloco::ui
