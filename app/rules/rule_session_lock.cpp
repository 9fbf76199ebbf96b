// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// "Only while the screen is locked".
Verdict ruleSessionLock(const RuleContext& context) {
    if (!context.settings.isOn(keys::kOnlyWhenLocked)) {
        return off("not_used");
    }
    const Reading<bool>& locked = context.snapshot.sessionLocked;
    if (!locked.isKnown()) {
        return unknown(locked, UnknownMeans::Stop);
    }
    return *locked.value ? allow("locked") : deny("unlocked");
}

}  // namespace sunloco::rules
