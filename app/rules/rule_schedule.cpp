// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// The chosen hours of the week, by this PC's wall clock.
Verdict ruleSchedule(const RuleContext& context) {
    if (!context.settings.isOn(keys::kScheduleEnabled)) {
        return off("not_used");
    }
    const WeekGrid week = context.settings.week();
    const std::optional<core::UtcMs> next = week.nextChange(context.now, context.utcOffset);
    if (week.isOpenAt(context.now, context.utcOffset)) {
        return withNext(allow("open"), next, NextKind::Fact);
    }
    return withNext(deny(next ? "closed" : "no_hour_chosen"), next, NextKind::Fact);
}

}  // namespace sunloco::rules
