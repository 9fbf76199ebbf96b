// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// The user's upper bound of the duty cycle.
Verdict ruleThrottle(const RuleContext& context) {
    const std::int64_t percent = context.settings.number(keys::kThrottlePercent);
    return percent < 100 ? limitTo(percent, "limited") : off("not_used");
}

}  // namespace sunloco::rules
