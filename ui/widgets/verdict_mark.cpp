// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/verdict_mark.h"

#include <QCoreApplication>
#include <QPainter>

#include <cmath>
#include <numbers>

namespace sunloco::ui {

QColor markColor(Mark mark, const Theme& theme)
{
    switch (mark) {
    case Mark::Allows: return theme.train;
    case Mark::Stops:
    case Mark::Limits: return theme.rule;
    case Mark::Unknown: return theme.unknown;
    case Mark::Off: return theme.text2;
    }
    return theme.text2;
}

QString markWord(Mark mark)
{
    switch (mark) {
    case Mark::Allows: return QCoreApplication::translate("Verdict", "Allows");
    case Mark::Stops: return QCoreApplication::translate("Verdict", "Stops");
    case Mark::Limits: return QCoreApplication::translate("Verdict", "Limits");
    case Mark::Unknown: return QCoreApplication::translate("Verdict", "Unknown");
    case Mark::Off: return QCoreApplication::translate("Verdict", "Off");
    }
    return {};
}

void paintMark(QPainter& painter, const QRectF& place, Mark mark, const Theme& theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    // All marks are drawn on a grid of 16 units.
    const qreal side = std::min(place.width(), place.height());
    painter.translate(place.center().x() - side / 2, place.center().y() - side / 2);
    painter.scale(side / 16, side / 16);
    const QColor color = markColor(mark, theme);
    QPen pen(color, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    switch (mark) {
    case Mark::Allows:
        painter.drawPolyline(QPolygonF({{3, 8.6}, {6.4, 12}, {13, 4.4}}));
        break;
    case Mark::Stops:
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(2.5, 2.5, 11, 11), 2.5, 2.5);
        painter.setBrush(theme.card);
        painter.drawRect(QRectF(5, 7.1, 6, 1.8));
        break;
    case Mark::Limits:
        painter.drawLine(QPointF(8, 2.5), QPointF(8, 9.5));
        painter.drawPolyline(QPolygonF({{4.8, 6.6}, {8, 9.8}, {11.2, 6.6}}));
        painter.drawLine(QPointF(3.2, 13.2), QPointF(12.8, 13.2));
        break;
    case Mark::Unknown: {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        constexpr int kDots = 10;
        for (int i = 0; i < kDots; ++i) {
            const qreal angle = 2 * std::numbers::pi * i / kDots;
            painter.drawEllipse(QPointF(8 + 5.6 * std::sin(angle), 8 - 5.6 * std::cos(angle)), 0.95, 0.95);
        }
        painter.drawEllipse(QPointF(8, 8), 1.2, 1.2);
        break;
    }
    case Mark::Off:
        painter.drawLine(QPointF(4, 8), QPointF(12, 8));
        break;
    }
    painter.restore();
}

VerdictMark::VerdictMark(const Theme& theme, Mark mark, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_mark(mark)
{
    setFixedSize(sizeHint());
}

void VerdictMark::setMark(Mark mark)
{
    if (mark == m_mark)
        return;
    m_mark = mark;
    update();
}

void VerdictMark::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    paintMark(painter, rect(), m_mark, m_theme);
}

}  // namespace sunloco::ui
