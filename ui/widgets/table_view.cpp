// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QWheelEvent>

namespace sunloco::ui {
namespace {

constexpr int kRowHeight = 28;
constexpr int kNumberPadding = 22;   // behind right-aligned numbers, before the next column

class RowDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QSize size = QStyledItemDelegate::sizeHint(option, index);
        return {size.width() + (isNumber(index) ? kNumberPadding : 10), std::max(kRowHeight, size.height())};
    }

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = Qt::ElideMiddle;
        if (isNumber(index))
            option->rect.adjust(0, 0, -kNumberPadding + 5, 0);
    }

private:
    static bool isNumber(const QModelIndex& index)
    {
        return index.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
    }
};

/// Column names in the quiet colour over a hairline, the sorting arrow behind the name.
class QuietHeader final : public QHeaderView {
public:
    QuietHeader(const Theme& theme, QWidget* parent)
        : QHeaderView(Qt::Horizontal, parent)
        , m_theme(theme)
    {
        setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }

protected:
    QSize sectionSizeFromContents(int section) const override
    {
        const QString text = model()->headerData(section, Qt::Horizontal).toString();
        const int arrow = isSortIndicatorShown() ? kArrow + 4 : 0;
        return {fontMetrics().horizontalAdvance(text) + kLeft + paddingRight(section) + arrow, fontMetrics().height() + 10};
    }

    void paintSection(QPainter* painter, const QRect& rect, int section) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->fillRect(rect, m_theme.card);
        painter->setPen(m_theme.text2);
        const QString text = model()->headerData(section, Qt::Horizontal).toString();
        const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
        const bool right = isRight(section);
        QRect place = rect.adjusted(kLeft, 0, -paddingRight(section), -1);
        if (layoutDirection() == Qt::RightToLeft)
            place = rect.adjusted(paddingRight(section), 0, -kLeft, -1);
        const QString shown = fontMetrics().elidedText(text, Qt::ElideRight, place.width() + (right ? 0 : paddingRight(section)));
        painter->drawText(place, static_cast<int>(Qt::AlignVCenter | Qt::TextDontClip | (right ? Qt::AlignRight : Qt::AlignLeft)), shown);
        if (sorted) {
            const int width = fontMetrics().horizontalAdvance(shown);
            const qreal x = right ? place.right() - width - kArrow - 3 : place.left() + width + 4;
            const qreal y = rect.center().y();
            const bool up = sortIndicatorOrder() == Qt::AscendingOrder;
            painter->setPen(QPen(m_theme.text2, 1.4));
            painter->drawPolyline(QPolygonF({{x, up ? y + 2 : y - 2}, {x + kArrow / 2.0, up ? y - 2 : y + 2}, {x + kArrow, up ? y + 2 : y - 2}}));
        }
        painter->setPen(m_theme.line);
        painter->drawLine(rect.bottomLeft(), rect.bottomRight());
        painter->restore();
    }

private:
    static constexpr int kLeft = 5;
    static constexpr int kArrow = 8;
    [[nodiscard]] bool isRight(int section) const
    {
        return model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
    }
    [[nodiscard]] int paddingRight(int section) const { return isRight(section) ? kNumberPadding : 4; }
    Theme m_theme;
};

}  // namespace

TableView::TableView(const Theme& theme, QWidget* parent)
    : QTreeView(parent)
    , m_theme(theme)
{
    setHeader(new QuietHeader(theme, this));
    header()->setSectionsMovable(false);
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
    if (header()->sectionResizeMode(header()->count() - 1) == QHeaderView::ResizeToContents) {
        header()->setStretchLastSection(false);
        header()->setStretchLastSection(header()->length() < viewport()->width());
    }
    int height = header()->sizeHint().height() + 2;
    for (QModelIndex index = model()->index(0, 0); index.isValid(); index = indexBelow(index))
        height += std::max(kRowHeight, rowHeight(index));
    if (header()->length() > viewport()->width())
        height += horizontalScrollBar()->sizeHint().height();
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
