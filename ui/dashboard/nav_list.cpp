// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/nav_list.h"

#include "ui/widgets/icons.h"

#include <QKeySequence>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>

#include <algorithm>

namespace sunloco::ui {
namespace {

constexpr int kRowHeight = 33;
constexpr int kSectionHeight = 29;
constexpr int kIconSize = 18;
constexpr int kClosedGap = 10;

enum NavRole { IdRole = Qt::UserRole, IconRole, SectionRole, SpacerRole };

class NavDelegate final : public QStyledItemDelegate {
public:
    NavDelegate(const Theme& theme, QAbstractItemView* view)
        : QStyledItemDelegate(view)
        , m_theme(theme)
        , m_view(view)
    {
    }

    void setIconsOnly(bool on) { m_iconsOnly = on; }

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.data(SpacerRole).toBool())
            return {10, index.data(Qt::SizeHintRole).toSize().height()};
        const int text = option.fontMetrics.height() + 12;
        return {m_iconsOnly ? 36 : 100, std::max(index.data(SectionRole).isValid() ? kSectionHeight : kRowHeight, text)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        if (index.data(SpacerRole).toBool())
            return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const bool on = option.state.testFlag(QStyle::State_Selected);
        const bool section = index.data(SectionRole).isValid();
        const QRectF box = QRectF(option.rect).adjusted(0, 0, 0, -1);
        if (on) {
            painter->setPen(m_theme.kind == Theme::Kind::HighContrast ? QPen(m_theme.accent, 2) : QPen(Qt::NoPen));
            painter->setBrush(m_theme.tint);
            painter->drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6);
        }
        if (option.state.testFlag(QStyle::State_HasFocus) && m_view->hasFocus()) {
            painter->setPen(QPen(m_theme.accent, 2));
            painter->setBrush(Qt::NoBrush);
            painter->drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6);
        }
        const QColor quiet = section ? m_theme.text2 : m_theme.text;
        const bool mirrored = option.direction == Qt::RightToLeft;
        const QString icon = index.data(IconRole).toString();
        if (!icon.isEmpty()) {
            const QPixmap pixmap = icons::tinted(icon, on ? m_theme.accent : m_theme.text2, kIconSize, painter->device()->devicePixelRatioF());
            const qreal inset = m_iconsOnly ? (box.width() - kIconSize) / 2 : 10;
            const qreal left = mirrored ? box.right() - inset - kIconSize : box.left() + inset;
            painter->drawPixmap(QPointF(left, box.center().y() - kIconSize / 2.0), pixmap);
        }
        if (!m_iconsOnly) {
            QFont font = option.font;
            font.setWeight(on ? QFont::DemiBold : QFont::Normal);
            painter->setFont(font);
            painter->setPen(on ? m_theme.accent : quiet);
            const QRectF place = mirrored ? box.adjusted(8, 0, -38, 0) : box.adjusted(38, 0, -8, 0);
            const QString text = QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideMiddle, static_cast<int>(place.width()));
            painter->drawText(place, static_cast<int>(Qt::AlignVCenter | (mirrored ? Qt::AlignRight : Qt::AlignLeft)), text);
        }
        painter->restore();
    }

private:
    Theme m_theme;
    QAbstractItemView* m_view;
    bool m_iconsOnly = false;
};

}  // namespace

NavList::NavList(const Theme& theme, QWidget* parent)
    : QListView(parent)
    , m_theme(theme)
    , m_model(new QStandardItemModel(this))
{
    setModel(m_model);
    setItemDelegate(new NavDelegate(theme, this));
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setEditTriggers(NoEditTriggers);
    setSelectionMode(SingleSelection);
    setTabKeyNavigation(false);
    setAccessibleName(tr("Pages"));
    QPalette side = palette();
    side.setColor(QPalette::Base, theme.side);
    setPalette(side);
}

QStandardItem* NavList::makeItem(const QString& id, const QString& title, const QString& icon, const QKeySequence& shortcut) const
{
    auto* item = new QStandardItem(title);
    item->setData(id, IdRole);
    item->setData(icon, IconRole);
    const QString keys = shortcut.toString(QKeySequence::NativeText);
    item->setToolTip(keys.isEmpty() ? title : title % u" (" % keys % u')');
    return item;
}

void NavList::addPage(const QString& id, const QString& title, const QString& icon, const QKeySequence& shortcut)
{
    m_model->appendRow(makeItem(id, title, icon, shortcut));
}

void NavList::addSettings(const QString& id, const QString& title, const QString& icon, const QStringList& sections, const QKeySequence& shortcut)
{
    m_spacer = new QStandardItem;
    m_spacer->setData(true, SpacerRole);
    m_spacer->setFlags(Qt::NoItemFlags);
    m_model->appendRow(m_spacer);
    m_settingsId = id;
    m_model->appendRow(makeItem(id, title, icon, shortcut));
    for (int i = 0; i < sections.size(); ++i) {
        QStandardItem* item = makeItem(id, sections[i], {}, {});
        item->setData(i, SectionRole);
        m_model->appendRow(item);
    }
    fitSpacer();
}

void NavList::select(const QString& id)
{
    if (current() == id)
        return;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (m_model->item(row)->data(IdRole).toString() != id)
            continue;
        setCurrentIndex(m_model->index(row, 0));
        return;
    }
}

QString NavList::current() const
{
    return currentIndex().data(IdRole).toString();
}

void NavList::setIconsOnly(bool on)
{
    if (m_iconsOnly == on)
        return;
    m_iconsOnly = on;
    static_cast<NavDelegate*>(itemDelegate())->setIconsOnly(on);
    fitSpacer();
    scheduleDelayedItemsLayout();
}

void NavList::resizeEvent(QResizeEvent* event)
{
    QListView::resizeEvent(event);
    fitSpacer();
}

void NavList::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QListView::currentChanged(current, previous);
    fitSpacer();
    if (!current.isValid())
        return;
    if (current.data(IdRole).toString() != previous.data(IdRole).toString() || !previous.isValid())
        Q_EMIT pageChosen(current.data(IdRole).toString());
    if (current.data(SectionRole).isValid())
        Q_EMIT sectionChosen(current.data(SectionRole).toInt());
}

void NavList::fitSpacer()
{
    if (!m_spacer)
        return;
    const bool open = current() == m_settingsId && !m_iconsOnly;
    int used = 0;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const bool section = m_model->item(row)->data(SectionRole).isValid();
        setRowHidden(row, section && !open);
        if (m_model->item(row) != m_spacer && (!section || open))
            used += sizeHintForRow(row);
    }
    // Open settings stand below the pages, closed ones at the foot of the sidebar.
    const int gap = open ? kClosedGap : std::max(kClosedGap, viewport()->height() - used - 2);
    if (m_spacer->data(Qt::SizeHintRole).toSize().height() != gap)
        m_spacer->setData(QSize(10, gap), Qt::SizeHintRole);
}

}  // namespace sunloco::ui
