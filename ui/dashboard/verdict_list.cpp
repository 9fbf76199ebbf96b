// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/verdict_list.h"

#include "app/text/sentence.h"
#include "ui/dashboard/verdict_text.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace sunloco::ui {
namespace {

constexpr std::size_t kMostRows = 5;
constexpr int kRowHeight = 21;

int importance(const rules::Verdict& verdict, rules::RuleId deciding)
{
    if (verdict.stops)
        return 0;
    if (verdict.rule == rules::RuleId::UserIdle)
        return 1;
    if (verdict.kind == rules::VerdictKind::Limit)
        return 2;
    if (verdict.kind == rules::VerdictKind::Unknown)
        return 4;
    // These say something of their own only when they stop.
    switch (verdict.rule) {
    case rules::RuleId::UserPause:
    case rules::RuleId::Mode:
    case rules::RuleId::Sleep:
    case rules::RuleId::StartGrace:
    case rules::RuleId::MinimumTimes:
    case rules::RuleId::DiskQuota:
    case rules::RuleId::PowerSafety: return 6;
    default: return verdict.rule == deciding ? 2 : 3;
    }
}

}  // namespace

VerdictList::VerdictList(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_rows(new QVBoxLayout(this))
{
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
}

void VerdictList::setDecision(const rules::Decision& decision)
{
    std::vector<rules::Verdict> shown;
    for (const rules::Verdict& verdict : decision.verdicts)
        if (verdict.kind != rules::VerdictKind::Off)
            shown.push_back(verdict);
    std::stable_sort(shown.begin(), shown.end(), [&decision](const auto& a, const auto& b) {
        return importance(a, decision.deciding.rule) < importance(b, decision.deciding.rule);
    });
    if (shown.size() > kMostRows)
        shown.resize(kMostRows);
    if (shown == m_shown)
        return;
    m_shown = std::move(shown);

    while (QLayoutItem* item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const QFont small = fontFor(TextSize::Secondary, font());
    for (const rules::Verdict& verdict : m_shown) {
        auto* row = new QWidget(this);
        row->setMinimumHeight(kRowHeight);
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(8);
        auto* mark = new VerdictMark(m_theme, markOf(verdict), row);
        const QString name = text::ruleName(verdict.rule);
        mark->setAccessibleName(name);
        auto* nameLabel = new ElidedLabel(name, row);
        nameLabel->setFont(small);
        const QString value = text::verdictValue(verdict);
        QLabel* valueLabel = makeLabel(value, TextSize::Secondary, m_theme.text, Wrap::No, row);
        valueLabel->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        line->addWidget(mark);
        line->addWidget(nameLabel, 1);
        line->addWidget(valueLabel);
        row->setToolTip(text::verdictText(verdict));
        m_rows->addWidget(row);
    }
    m_rows->addStretch(1);
}

}  // namespace sunloco::ui
