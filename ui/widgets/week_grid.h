// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/readable.h"
#include "ui/widgets/theme.h"

#include <QPoint>
#include <QWidget>

#include <bitset>

namespace sunloco::ui {

/// The hours of a week in which training may run; bit = day * 24 + hour, Monday first.
/// Mouse: drag sets or clears. Keys: arrows move, Space toggles, Shift+arrows select, Ctrl+C and Ctrl+V copy a day.
class WeekGrid : public QWidget, public Readable {
    Q_OBJECT
public:
    static constexpr int kDays = 7;
    static constexpr int kHours = 24;
    using Hours = std::bitset<kDays * kHours>;

    explicit WeekGrid(const Theme& theme, QWidget* parent = nullptr);

    void setHours(const Hours& hours);
    [[nodiscard]] const Hours& hours() const { return m_hours; }
    /// Marks the present hour; both -1 = no mark.
    void setNow(int day, int hour);

    void copyDay(int fromDay);
    void pasteDay(int toDay);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QString accessibleValue() const override;
    [[nodiscard]] QAccessible::Role accessibleRole() const override { return QAccessible::Table; }

Q_SIGNALS:
    /// By the person's hand only, once per drag or key.
    void edited(const sunloco::ui::WeekGrid::Hours& hours);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Cell { int day = 0; int hour = 0; };
    [[nodiscard]] QRectF cellRect(Cell cell) const;
    [[nodiscard]] bool cellAt(QPointF position, Cell& cell) const;
    [[nodiscard]] QRect selected() const;
    [[nodiscard]] bool at(Cell cell) const { return m_hours.test(static_cast<std::size_t>(cell.day * kHours + cell.hour)); }
    void set(Cell cell, bool on) { m_hours.set(static_cast<std::size_t>(cell.day * kHours + cell.hour), on); }
    [[nodiscard]] int labelWidth() const;
    [[nodiscard]] int axisHeight() const;
    void moveTo(Cell cell, bool extend);

    Theme m_theme;
    Hours m_hours;
    Cell m_current;
    Cell m_anchor;
    Cell m_now{-1, -1};
    bool m_dragging = false;
    bool m_dragTo = true;
    Hours m_beforeDrag;
    std::bitset<kHours> m_copied;
    bool m_hasCopy = false;
};

}  // namespace sunloco::ui
