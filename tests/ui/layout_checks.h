// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QStringList>

class QWidget;

namespace sunloco::testing {

/// Every visible text below `root` that does not fit its place, as "class: text (has 120, needs 140)"; empty = nothing is cut.
[[nodiscard]] QStringList cutTexts(QWidget* root);

/// Widgets that Tab reaches from the present focus, in order, until the walk comes back to its start.
[[nodiscard]] QList<QWidget*> tabWalk(QWidget* window);

/// Visible, enabled controls below `root` that a person can operate.
[[nodiscard]] QList<QWidget*> controlsOf(QWidget* root);

}  // namespace sunloco::testing
