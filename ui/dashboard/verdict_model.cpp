// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/verdict_model.h"

#include "app/text/sentence.h"
#include "ui/dashboard/verdict_text.h"

#include <QFont>
#include <QLocale>
#include <QPainter>
#include <QPixmap>

namespace sunloco::ui {
namespace {
constexpr int kMarkSize = 16;
}

VerdictModel::VerdictModel(const Theme& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , m_theme(theme)
{
}

void VerdictModel::setDecision(const rules::Decision& decision, qreal devicePixelRatio)
{
    m_devicePixelRatio = devicePixelRatio;
    const bool sameShape = decision.verdicts.size() == m_verdicts.size();
    if (!sameShape)
        beginResetModel();
    m_verdicts = decision.verdicts;
    m_deciding = -1;
    for (std::size_t i = 0; i < m_verdicts.size() && m_deciding < 0; ++i)
        if (m_verdicts[i].stops)
            m_deciding = static_cast<int>(i);
    if (!sameShape)
        endResetModel();
    else if (!m_verdicts.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int VerdictModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_verdicts.size());
}

int VerdictModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

bool VerdictModel::decides(int row) const
{
    return row == m_deciding;
}

QString VerdictModel::text(int row, int column) const
{
    const rules::Verdict& verdict = m_verdicts[static_cast<std::size_t>(row)];
    switch (column) {
    case Asked: {
        const rules::RuleGroup group = rules::ruleGroup(verdict.rule);
        const bool first = row == 0 || rules::ruleGroup(m_verdicts[static_cast<std::size_t>(row) - 1].rule) != group;
        return first ? QString(QLocale().toString(static_cast<int>(group) + 1) % u"  " % groupTitle(group)) : QString();
    }
    case Verdict: return markWord(markOf(verdict));
    case Rule: return text::ruleName(verdict.rule);
    case Value: return text::verdictValue(verdict);
    case Limit: return text::verdictLimit(verdict);
    case Since: return verdict.since > 0 ? text::formatMoment(verdict.since) : QString();
    case Next: return text::verdictNext(verdict);
    default: return {};
    }
}

QVariant VerdictModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const rules::Verdict& verdict = m_verdicts[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole: return text(index.row(), column);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: return text::verdictText(verdict);
    case Qt::DecorationRole: {
        if (column != Verdict)
            return {};
        QPixmap pixmap(qRound(kMarkSize * m_devicePixelRatio), qRound(kMarkSize * m_devicePixelRatio));
        pixmap.setDevicePixelRatio(m_devicePixelRatio);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintMark(painter, QRectF(0, 0, kMarkSize, kMarkSize), markOf(verdict), m_theme);
        painter.end();
        return pixmap;
    }
    case Qt::ForegroundRole: {
        const bool quiet = column == Asked || column == Limit || column == Since;
        return quiet && !decides(index.row()) ? m_theme.text2 : m_theme.text;
    }
    case Qt::BackgroundRole: return decides(index.row()) ? QVariant(m_theme.warn) : QVariant();
    case Qt::FontRole: {
        if (!decides(index.row()))
            return {};
        QFont bold;
        bold.setWeight(QFont::DemiBold);
        return bold;
    }
    default: return {};
    }
}

QVariant VerdictModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Asked: return tr("Asked in this order");
    case Verdict: return tr("Verdict");
    case Rule: return tr("Rule");
    case Value: return tr("Value now");
    case Limit: return tr("Limit");
    case Since: return tr("Since");
    case Next: return tr("Changes next");
    default: return {};
    }
}

}  // namespace sunloco::ui
