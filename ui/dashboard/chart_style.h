// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QtCharts/QChart>
#include <QtCharts/QChartView>

namespace sunloco::ui {

/// A chart as look.md section 4 wants it: no frame, no animation, no legend, numbers in the person's format.
[[nodiscard]] QChart* plainChart();
/// Axis words in the secondary colour, hairline grid.
void styleAxis(QAbstractAxis* axis, const Theme& theme, const QFont& axisFont);
/// A view of `chart` inside `owner`: transparent, out of the Tab order, its mouse events seen by `owner`'s eventFilter().
[[nodiscard]] QChartView* plainChartView(QChart* chart, QWidget* owner);

}  // namespace sunloco::ui
