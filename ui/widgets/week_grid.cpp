// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/week_grid.h"

#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QTime>

#include <algorithm>
#include <cmath>

namespace sunloco::ui {
namespace {
constexpr int kCellWidth = 14;
constexpr int kCellHeight = 16;
constexpr int kSmallestCellWidth = 9;
constexpr int kLabelGap = 8;

QString hourText(int hour)
{
    return QLocale().toString(QTime(hour % 24, 0), QLocale::ShortFormat);
}
}  // namespace

WeekGrid::WeekGrid(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
    setFont(fontFor(TextSize::Secondary, font()));
    setSizePolicy(QSizePolicy::MinimumExpanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Hours of the week"));
}

int WeekGrid::labelWidth() const
{
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(bold);
    int widest = 0;
    for (int day = 0; day < kDays; ++day)
        widest = std::max(widest, metrics.horizontalAdvance(QLocale().dayName(day + 1, QLocale::ShortFormat)));
    return widest + kLabelGap;
}

int WeekGrid::axisHeight() const
{
    return fontMetrics().height() + 2;
}

QSize WeekGrid::sizeHint() const
{
    const int rowHeight = std::max(kCellHeight, fontMetrics().height());
    return {labelWidth() + kHours * kCellWidth + 8, axisHeight() + kDays * rowHeight + 6};
}

QSize WeekGrid::minimumSizeHint() const
{
    return {labelWidth() + kHours * kSmallestCellWidth + 8, sizeHint().height()};
}

QRectF WeekGrid::cellRect(Cell cell) const
{
    const qreal left = labelWidth();
    const qreal available = std::min<qreal>(width() - left - 8, kHours * 22.0);
    const qreal cellWidth = available / kHours;
    const qreal cellHeight = static_cast<qreal>(height() - axisHeight() - 6) / kDays;
    return {left + cell.hour * cellWidth, axisHeight() + cell.day * cellHeight, cellWidth - 1.5, cellHeight - 1.5};
}

bool WeekGrid::cellAt(QPointF position, Cell& cell) const
{
    const QRectF first = cellRect({0, 0});
    const QRectF second = cellRect({1, 1});
    const int hour = static_cast<int>(std::floor((position.x() - first.left()) / (second.left() - first.left())));
    const int day = static_cast<int>(std::floor((position.y() - first.top()) / (second.top() - first.top())));
    if (hour < 0 || hour >= kHours || day < 0 || day >= kDays)
        return false;
    cell = {day, hour};
    return true;
}

QRect WeekGrid::selected() const
{
    const int top = std::min(m_anchor.day, m_current.day);
    const int left = std::min(m_anchor.hour, m_current.hour);
    return {left, top, std::abs(m_anchor.hour - m_current.hour) + 1, std::abs(m_anchor.day - m_current.day) + 1};
}

void WeekGrid::setHours(const Hours& hours)
{
    if (m_dragging || hours == m_hours)
        return;
    m_hours = hours;
    update();
}

void WeekGrid::setNow(int day, int hour)
{
    if (m_now.day == day && m_now.hour == hour)
        return;
    m_now = {day, hour};
    update();
}

void WeekGrid::copyDay(int fromDay)
{
    for (int hour = 0; hour < kHours; ++hour)
        m_copied.set(static_cast<std::size_t>(hour), at({fromDay, hour}));
    m_hasCopy = true;
}

void WeekGrid::pasteDay(int toDay)
{
    if (!m_hasCopy)
        return;
    const Hours before = m_hours;
    for (int hour = 0; hour < kHours; ++hour)
        set({toDay, hour}, m_copied.test(static_cast<std::size_t>(hour)));
    update();
    if (m_hours != before)
        Q_EMIT edited(m_hours);
}

QString WeekGrid::accessibleValue() const
{
    const QString day = QLocale().dayName(m_current.day + 1, QLocale::LongFormat);
    const QString place = tr("%1 %2 to %3").arg(day, hourText(m_current.hour), hourText(m_current.hour + 1));
    return at(m_current) ? tr("%1, may run").arg(place) : tr("%1, may not run").arg(place);
}

void WeekGrid::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!isEnabled())
        painter.setOpacity(0.4);
    const QRectF first = cellRect({0, 0});
    painter.setPen(m_theme.text2);
    for (int hour = 0; hour <= kHours; hour += 6) {
        const qreal x = hour == kHours ? cellRect({0, kHours - 1}).right() : cellRect({0, hour}).left();
        const QRectF place(x - 20, 0, 40, axisHeight() - 2);
        painter.drawText(place, static_cast<int>(Qt::AlignHCenter | Qt::AlignVCenter), QLocale().toString(hour));
    }

    const QRect chosen = selected();
    for (int day = 0; day < kDays; ++day) {
        QFont label = font();
        label.setWeight(day == m_now.day ? QFont::DemiBold : QFont::Normal);
        painter.setFont(label);
        painter.setPen(m_theme.text);
        const QRectF row = cellRect({day, 0});
        painter.drawText(QRectF(0, row.top(), first.left() - kLabelGap, row.height()), static_cast<int>(Qt::AlignRight | Qt::AlignVCenter),
                         QLocale().dayName(day + 1, QLocale::ShortFormat));
        for (int hour = 0; hour < kHours; ++hour) {
            const bool on = at({day, hour});
            QColor fill = m_theme.sunk;
            if (on) {
                fill = m_theme.train;
                fill.setAlphaF(m_theme.kind == Theme::Kind::HighContrast ? 1.0F : 0.55F);
            }
            painter.setPen(QPen(on ? m_theme.train : m_theme.line, 1));
            painter.setBrush(fill);
            painter.drawRoundedRect(cellRect({day, hour}).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
        }
    }

    if (m_now.day >= 0) {
        const QRectF now = cellRect(m_now);
        painter.setPen(QPen(m_theme.text, 2.5, Qt::SolidLine, Qt::FlatCap));
        painter.drawLine(QPointF(now.center().x(), now.top() - 1), QPointF(now.center().x(), now.bottom() + 1));
    }
    if (hasFocus()) {
        const QRectF focus = cellRect({chosen.top(), chosen.left()}) | cellRect({chosen.bottom(), chosen.right()});
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(m_theme.accent, 2));
        painter.drawRoundedRect(focus.adjusted(-2, -2, 2, 2), 3, 3);
    }
}

void WeekGrid::mousePressEvent(QMouseEvent* event)
{
    Cell cell;
    if (event->button() != Qt::LeftButton || !cellAt(event->position(), cell))
        return;
    m_beforeDrag = m_hours;
    m_dragging = true;
    m_dragTo = !at(cell);
    m_anchor = m_current = cell;
    set(cell, m_dragTo);
    update();
}

void WeekGrid::mouseMoveEvent(QMouseEvent* event)
{
    Cell cell;
    if (!m_dragging || !cellAt(event->position(), cell))
        return;
    m_current = cell;
    m_hours = m_beforeDrag;
    const QRect area = selected();
    for (int day = area.top(); day <= area.bottom(); ++day)
        for (int hour = area.left(); hour <= area.right(); ++hour)
            set({day, hour}, m_dragTo);
    update();
}

void WeekGrid::mouseReleaseEvent(QMouseEvent*)
{
    if (!m_dragging)
        return;
    m_dragging = false;
    m_anchor = m_current;
    if (m_hours != m_beforeDrag)
        Q_EMIT edited(m_hours);
    update();
}

void WeekGrid::moveTo(Cell cell, bool extend)
{
    m_current = {std::clamp(cell.day, 0, kDays - 1), std::clamp(cell.hour, 0, kHours - 1)};
    if (!extend)
        m_anchor = m_current;
    announceValue(this);
    update();
}

void WeekGrid::keyPressEvent(QKeyEvent* event)
{
    const bool extend = event->modifiers().testFlag(Qt::ShiftModifier);
    // The axis keeps its direction in right-to-left layouts, so the keys do too.
    switch (event->key()) {
    case Qt::Key_Left: moveTo({m_current.day, m_current.hour - 1}, extend); return;
    case Qt::Key_Right: moveTo({m_current.day, m_current.hour + 1}, extend); return;
    case Qt::Key_Up: moveTo({m_current.day - 1, m_current.hour}, extend); return;
    case Qt::Key_Down: moveTo({m_current.day + 1, m_current.hour}, extend); return;
    case Qt::Key_Home: moveTo({m_current.day, 0}, extend); return;
    case Qt::Key_End: moveTo({m_current.day, kHours - 1}, extend); return;
    case Qt::Key_Space: {
        const bool on = !at(m_current);
        const QRect area = selected();
        for (int day = area.top(); day <= area.bottom(); ++day)
            for (int hour = area.left(); hour <= area.right(); ++hour)
                set({day, hour}, on);
        update();
        announceValue(this);
        Q_EMIT edited(m_hours);
        return;
    }
    default: break;
    }
    if (event->matches(QKeySequence::Copy))
        copyDay(m_current.day);
    else if (event->matches(QKeySequence::Paste))
        pasteDay(m_current.day);
    else
        QWidget::keyPressEvent(event);
}

void WeekGrid::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void WeekGrid::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_anchor = m_current;
    update();
}

}  // namespace sunloco::ui
