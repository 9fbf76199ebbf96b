// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QAccessible>
#include <QString>

class QWidget;

namespace sunloco::ui {

/// A widget of our own painting that a screen reader can read: its name is QWidget::accessibleName(), its value comes from here.
class Readable {
public:
    virtual ~Readable() = default;
    [[nodiscard]] virtual QString accessibleValue() const = 0;
    [[nodiscard]] virtual QAccessible::Role accessibleRole() const = 0;
};

/// Installs the accessible interface for every Readable widget; safe to call more than once.
void installReadableFactory();

/// Tells a screen reader that the widget's value is another one now.
void announceValue(QWidget* widget);

}  // namespace sunloco::ui
