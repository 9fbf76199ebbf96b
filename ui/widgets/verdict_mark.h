// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/readable.h"
#include "ui/widgets/theme.h"

#include <QWidget>

class QPainter;

namespace sunloco::ui {

/// Five marks that differ by shape: check, barred square, arrow to a line, dotted ring, dash.
enum class Mark { Allows, Stops, Limits, Unknown, Off };

void paintMark(QPainter& painter, const QRectF& place, Mark mark, const Theme& theme);
[[nodiscard]] QColor markColor(Mark mark, const Theme& theme);
/// "Allows", "Stops", "Limits", "Unknown", "Off".
[[nodiscard]] QString markWord(Mark mark);

/// The mark alone; the word stands beside it in a label.
class VerdictMark : public QWidget, public Readable {
    Q_OBJECT
public:
    VerdictMark(const Theme& theme, Mark mark, QWidget* parent = nullptr);

    void setMark(Mark mark);
    [[nodiscard]] Mark mark() const { return m_mark; }
    [[nodiscard]] QSize sizeHint() const override { return {16, 16}; }
    [[nodiscard]] QString accessibleValue() const override { return markWord(m_mark); }
    [[nodiscard]] QAccessible::Role accessibleRole() const override { return QAccessible::Graphic; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme m_theme;
    Mark m_mark;
};

}  // namespace sunloco::ui
