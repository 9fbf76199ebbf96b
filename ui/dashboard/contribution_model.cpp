// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/contribution_model.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/verdict_mark.h"

#include <QDateTime>
#include <QLocale>
#include <QPainter>
#include <QPixmap>

#include <algorithm>

namespace sunloco::ui {
namespace {

// Fewer equal neighbours than this stay rows of their own.
constexpr std::size_t kFoldAtLeast = 3;
constexpr int kIconSize = 16;

bool isEnded(const QString& state)
{
    return state == u"merged" || state == u"rejected" || state == u"expired" || state == u"abandoned";
}

bool saysTheSame(const agent::ContributionRow& a, const agent::ContributionRow& b)
{
    return isEnded(a.state) && a.state == b.state && a.weight == b.weight && a.problem == b.problem && a.steps == b.steps
        && a.stepsWanted == b.stepsWanted && a.round == b.round + 1;
}

QString compact(qint64 number)
{
    const QLocale locale;
    const double value = static_cast<double>(number);
    if (number >= 1'000'000'000)
        return ContributionModel::tr("%1 billion").arg(locale.toString(value / 1e9, 'f', 2));
    if (number >= 1'000'000)
        return ContributionModel::tr("%1 M").arg(locale.toString(value / 1e6, 'f', 1));
    return locale.toString(number);
}

QString finishedText(const std::optional<qint64>& utc)
{
    if (!utc)
        return ContributionModel::tr("running");
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(*utc);
    const QLocale locale;
    if (time.date() == QDate::currentDate())
        return locale.toString(time.time(), QLocale::ShortFormat);
    return locale.toString(time.date(), ContributionModel::tr("d MMM", "date format: day and short month"));
}

}  // namespace

ContributionModel::ContributionModel(const Theme& theme, QObject* parent)
    : QAbstractItemModel(parent)
    , m_theme(theme)
{
}

void ContributionModel::setRows(const QVector<agent::ContributionRow>& rows, qreal devicePixelRatio)
{
    beginResetModel();
    m_devicePixelRatio = devicePixelRatio;
    m_groups.clear();
    for (qsizetype i = 0; i < rows.size();) {
        qsizetype end = i + 1;
        while (end < rows.size() && saysTheSame(rows[end - 1], rows[end]))
            ++end;
        if (static_cast<std::size_t>(end - i) >= kFoldAtLeast) {
            m_groups.emplace_back(rows.begin() + i, rows.begin() + end);
        } else {
            for (qsizetype single = i; single < end; ++single)
                m_groups.push_back({rows[single]});
        }
        i = end;
    }
    endResetModel();
}

// The internal id of a child is its group's number plus one; 0 = a top row.
QModelIndex ContributionModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : quintptr(0));
}

QModelIndex ContributionModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || child.internalId() == 0)
        return {};
    return createIndex(static_cast<int>(child.internalId()) - 1, 0, quintptr(0));
}

int ContributionModel::rowCount(const QModelIndex& parent) const
{
    if (!parent.isValid())
        return static_cast<int>(m_groups.size());
    if (parent.internalId() != 0 || parent.column() != 0)
        return 0;
    const Group& group = m_groups[static_cast<std::size_t>(parent.row())];
    return group.size() > 1 ? static_cast<int>(group.size()) : 0;
}

int ContributionModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QString ContributionModel::stateText(const agent::ContributionRow& row)
{
    if (row.state == u"training")
        return tr("Training");
    if (row.state == u"encoded")
        return tr("Packed, waits for the upload");
    if (row.state == u"uploading")
        return tr("Uploading");
    if (row.state == u"committed")
        return tr("Received, counts when the round closes");
    if (row.state == u"merged")
        return row.weight ? tr("Accepted, weight %1").arg(QLocale().toString(*row.weight, 'f', 2)) : tr("Accepted");
    const QString why = row.problem;
    if (row.state == u"rejected")
        return why.isEmpty() ? tr("Not used") : tr("Not used: %1").arg(why);
    if (row.state == u"expired")
        return why.isEmpty() ? tr("Not used: the round had closed") : tr("Not used: %1").arg(why);
    if (row.state == u"abandoned")
        return why.isEmpty() ? tr("Given up") : tr("Given up: %1").arg(why);
    return row.state;
}

QString ContributionModel::receiptText(const QString& digest)
{
    return digest.isEmpty() ? tr("not yet") : QString(digest.left(4) % u' ' % digest.mid(4, 4));
}

QString ContributionModel::text(const Group& group, int column) const
{
    const agent::ContributionRow& newest = group.front();
    const QLocale locale;
    const bool folded = group.size() > 1;
    switch (column) {
    case Round: {
        if (!folded)
            return locale.toString(newest.round);
        const QString first = locale.toString(group.back().round);
        return tr("%1 – %2", "first and last round of a range").arg(first, locale.toString(newest.round));
    }
    case Finished: return finishedText(newest.finishedAt);
    case Steps: {
        qint64 done = 0;
        qint64 wanted = 0;
        for (const agent::ContributionRow& row : group) {
            done += row.steps;
            wanted += row.stepsWanted;
        }
        return tr("%1 of %2", "steps done of steps wanted").arg(locale.toString(done), locale.toString(wanted));
    }
    case Tokens: {
        qint64 tokens = 0;
        for (const agent::ContributionRow& row : group)
            tokens += row.tokens;
        return compact(tokens);
    }
    case StateText: return folded && newest.weight ? tr("%1 each").arg(stateText(newest)) : stateText(newest);
    case Receipt: {
        if (!folded)
            return receiptText(newest.receiptDigest);
        const auto count = std::count_if(group.begin(), group.end(), [](const auto& row) { return !row.receiptDigest.isEmpty(); });
        return tr("%n receipts", nullptr, static_cast<int>(count));
    }
    default: return {};
    }
}

QVariant ContributionModel::sortValue(const Group& group, int column) const
{
    const agent::ContributionRow& row = group.front();
    switch (column) {
    case Round: return row.round;
    case Finished: return row.finishedAt.value_or(std::numeric_limits<qint64>::max());
    case Steps: return row.steps;
    case Tokens: return row.tokens;
    default: return text(group, column);
    }
}

QVariant ContributionModel::decoration(const QString& state) const
{
    if (state == u"training")
        return icons::tinted(QStringLiteral("tray/training"), m_theme.train, kIconSize, m_devicePixelRatio);
    if (state == u"uploading" || state == u"encoded" || state == u"committed")
        return icons::tinted(QStringLiteral("tray/uploading"), m_theme.upload, kIconSize, m_devicePixelRatio);
    QPixmap pixmap(qRound(kIconSize * m_devicePixelRatio), qRound(kIconSize * m_devicePixelRatio));
    pixmap.setDevicePixelRatio(m_devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paintMark(painter, QRectF(0, 0, kIconSize, kIconSize), state == u"merged" ? Mark::Allows : Mark::Off, m_theme);
    painter.end();
    return pixmap;
}

QVariant ContributionModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const bool isChild = index.internalId() != 0;
    const Group& whole = m_groups[isChild ? index.internalId() - 1 : static_cast<std::size_t>(index.row())];
    const Group group = isChild ? Group{whole[static_cast<std::size_t>(index.row())]} : whole;
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return text(group, column);
    case Qt::ToolTipRole:
        return column == Receipt && group.size() == 1 && !group.front().receiptDigest.isEmpty() ? tr("Show the receipt") : text(group, column);
    case Qt::DecorationRole: return column == StateText ? decoration(group.front().state) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(column == Steps || column == Tokens ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (column == Receipt)
            return group.front().receiptDigest.isEmpty() ? m_theme.text2 : m_theme.accent;
        return m_theme.text;
    case SortRole: return sortValue(group, column);
    case LeaseRole: return group.size() == 1 ? group.front().leaseId : QString();
    default: return {};
    }
}

QVariant ContributionModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(section == Steps || section == Tokens ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Round: return tr("Round");
    case Finished: return tr("Finished");
    case Steps: return tr("Steps");
    case Tokens: return tr("Tokens");
    case StateText: return tr("State");
    case Receipt: return tr("Receipt");
    default: return {};
    }
}

}  // namespace sunloco::ui
