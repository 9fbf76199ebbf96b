// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// The user's own pause, and the user's "run now" (which the engine lets stand above all rules that yield).
Verdict ruleUserPause(const RuleContext& context) {
    const UserOverride& asked = context.userOverride;
    if (asked.isPause(context.now)) {
        return withSince(withNext(deny(asked.until ? "until" : "until_resumed"), asked.until, NextKind::Fact), asked.since);
    }
    if (asked.isRunNow(context.now)) {
        return withSince(withNext(allow("run_now"), asked.until, NextKind::Fact), asked.since);
    }
    return allow("not_paused");
}

}  // namespace sunloco::rules
