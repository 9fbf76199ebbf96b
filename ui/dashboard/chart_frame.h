// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/readable.h"
#include "ui/widgets/theme.h"

#include <QStringList>
#include <QWidget>

namespace sunloco::ui {

/// What both charts share: one tab stop, Left and Right go point by point and say it in one line, "Show as table" in the context menu.
/// The header keeps Qt Charts out of whoever includes it.
class ChartFrame : public QWidget, public Readable {
    Q_OBJECT
public:
    explicit ChartFrame(const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] QString accessibleValue() const override;
    [[nodiscard]] QAccessible::Role accessibleRole() const override { return QAccessible::Chart; }
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int point);

Q_SIGNALS:
    /// One line of text about the point under the pointer or the keys; empty = none.
    void pointed(const QString& line);

protected:
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    [[nodiscard]] virtual int pointCount() const = 0;
    [[nodiscard]] virtual QString pointText(int point) const = 0;
    [[nodiscard]] virtual QString summary() const = 0;
    [[nodiscard]] virtual QStringList tableHeader() const = 0;
    [[nodiscard]] virtual QStringList tableRow(int point) const = 0;
    virtual void markPoint(int point) = 0;

    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void showTable();
    Theme m_theme;
    int m_current = -1;
};

}  // namespace sunloco::ui
