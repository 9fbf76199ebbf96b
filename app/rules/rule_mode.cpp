// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// The mode of the whole agent. "Run now" was said later than the mode was set, so it wins over "never" while it lasts.
Verdict ruleMode(const RuleContext& context) {
    switch (context.settings.mode()) {
    case Mode::Always: return allow("always");
    case Mode::Rules: return allow("rules");
    case Mode::Never: break;
    }
    return context.userOverride.isRunNow(context.now) ? allow("run_now") : deny("never");
}

}  // namespace sunloco::rules
