// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QWheelEvent>

namespace sunloco::ui {
namespace {

constexpr int kRowHeight = 28;

class RowDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        return {size.width() + 8, std::max(kRowHeight, size.height())};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideMiddle;
    }
};

}  // namespace

TableView::TableView(const Theme& theme, QWidget* parent)
    : QTreeView(parent)
    , m_theme(theme)
{
    setItemDelegate(new RowDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setTabKeyNavigation(false);
    setIndentation(16);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    header()->setStretchLastSection(false);
    header()->setFont(fontFor(TextSize::Secondary, font()));
    header()->setMinimumSectionSize(40);
    // A selected row is tinted, not filled: its words and marks keep their colours.
    QPalette quiet = palette();
    quiet.setColor(QPalette::Highlight, theme.tint);
    quiet.setColor(QPalette::HighlightedText, theme.text);
    if (theme.kind != Theme::Kind::HighContrast)
        setPalette(quiet);
}

void TableView::fitHeight()
{
    if (!model())
        return;
    int height = header()->sizeHint().height() + 2;
    for (QModelIndex index = model()->index(0, 0); index.isValid(); index = indexBelow(index))
        height += std::max(kRowHeight, rowHeight(index));
    setFixedHeight(std::max(height, 3 * kRowHeight));
}

QString TableView::asText() const
{
    const auto rowText = [this](const auto& cell) {
        QStringList cells;
        for (int column = 0; column < model()->columnCount(); ++column)
            cells.append(cell(column));
        return cells.join(u'\t');
    };
    QStringList lines{rowText([this](int column) { return model()->headerData(column, Qt::Horizontal).toString(); })};
    for (QModelIndex index = model()->index(0, 0); index.isValid(); index = indexBelow(index))
        lines.append(rowText([&index](int column) { return index.siblingAtColumn(column).data().toString(); }));
    return lines.join(u'\n');
}

void TableView::drawRow(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QTreeView::drawRow(painter, option, index);
    painter->setPen(QPen(m_theme.line, 1));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
}

void TableView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        QGuiApplication::clipboard()->setText(asText());
    else
        QTreeView::keyPressEvent(event);
}

void TableView::wheelEvent(QWheelEvent* event)
{
    // The page scrolls, the table shows all of its rows.
    event->ignore();
}

}  // namespace sunloco::ui
