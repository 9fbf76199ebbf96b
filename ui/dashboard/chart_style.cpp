// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/chart_style.h"

#include <QtCharts/QAbstractAxis>
#include <QtCharts/QLegend>

#include <QGraphicsLayout>

namespace sunloco::ui {

QChart* plainChart()
{
    auto* chart = new QChart;
    chart->setAnimationOptions(QChart::NoAnimation);
    chart->setBackgroundVisible(false);
    chart->setLocalizeNumbers(true);
    chart->layout()->setContentsMargins(0, 0, 0, 0);
    chart->legend()->hide();
    return chart;
}

void styleAxis(QAbstractAxis* axis, const Theme& theme, const QFont& axisFont)
{
    axis->setLabelsFont(axisFont);
    axis->setLabelsColor(theme.text2);
    axis->setGridLinePen(QPen(theme.line, 1));
    axis->setLinePen(QPen(theme.line, 1));
}

QChartView* plainChartView(QChart* chart, QWidget* owner)
{
    auto* view = new QChartView(chart, owner);
    view->setFrameShape(QFrame::NoFrame);
    view->setFocusPolicy(Qt::NoFocus);
    view->setBackgroundBrush(Qt::NoBrush);
    view->viewport()->setAutoFillBackground(false);
    view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view->setContextMenuPolicy(Qt::NoContextMenu);
    view->viewport()->setMouseTracking(true);
    view->viewport()->installEventFilter(owner);
    return view;
}

}  // namespace sunloco::ui
