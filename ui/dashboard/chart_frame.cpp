// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/chart_frame.h"

#include <QContextMenuEvent>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace sunloco::ui {

ChartFrame::ChartFrame(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setFocusPolicy(Qt::StrongFocus);
}

QString ChartFrame::accessibleValue() const
{
    return m_current >= 0 && m_current < pointCount() ? pointText(m_current) : summary();
}

void ChartFrame::setCurrent(int point)
{
    const int wanted = point < 0 || pointCount() == 0 ? -1 : std::min(point, pointCount() - 1);
    if (wanted == m_current)
        return;
    m_current = wanted;
    markPoint(m_current);
    Q_EMIT pointed(m_current >= 0 ? pointText(m_current) : QString());
    announceValue(this);
}

void ChartFrame::keyPressEvent(QKeyEvent* event)
{
    const int last = pointCount() - 1;
    switch (event->key()) {
    case Qt::Key_Left: setCurrent(m_current < 0 ? last : std::max(0, m_current - 1)); return;
    case Qt::Key_Right: setCurrent(m_current < 0 ? 0 : std::min(last, m_current + 1)); return;
    case Qt::Key_Home: setCurrent(0); return;
    case Qt::Key_End: setCurrent(last); return;
    default: QWidget::keyPressEvent(event);
    }
}

void ChartFrame::contextMenuEvent(QContextMenuEvent* event)
{
    QMenu menu(this);
    connect(menu.addAction(tr("Show as &table…")), &QAction::triggered, this, &ChartFrame::showTable);
    menu.exec(event->globalPos());
}

void ChartFrame::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    update();
}

void ChartFrame::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCurrent(-1);
    update();
}

void ChartFrame::paintEvent(QPaintEvent*)
{
    if (!hasFocus())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.accent, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 4, 4);
}

void ChartFrame::showTable()
{
    QDialog dialog(this);
    dialog.setWindowTitle(accessibleName());
    auto* column = new QVBoxLayout(&dialog);
    const QStringList header = tableHeader();
    auto* table = new QTableWidget(pointCount(), static_cast<int>(header.size()), &dialog);
    table->setHorizontalHeaderLabels(header);
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setTabKeyNavigation(false);
    table->setAccessibleName(accessibleName());
    for (int point = 0; point < pointCount(); ++point) {
        const QStringList cells = tableRow(point);
        for (int i = 0; i < cells.size(); ++i)
            table->setItem(point, i, new QTableWidgetItem(cells[i]));
    }
    table->resizeColumnsToContents();
    table->horizontalHeader()->setStretchLastSection(true);
    column->addWidget(table);
    auto* buttons = new QDialogButtonBox(&dialog);
    buttons->addButton(tr("C&lose"), QDialogButtonBox::RejectRole);
    connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    column->addWidget(buttons);
    dialog.resize(480, 360);
    dialog.exec();
}

}  // namespace sunloco::ui
