// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// Last of all: is there anything to do?
Verdict ruleHasWork(const RuleContext& context) {
    const Reading<bool>& work = context.snapshot.workAvailable;
    if (!work.isKnown()) {
        return unknown(work, UnknownMeans::Stop);
    }
    return *work.value ? allow("work") : withNext(deny("no_work"), context.snapshot.workAskedAgainAt, NextKind::Earliest);
}

}  // namespace sunloco::rules
