// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// The system has announced sleep: the worker ends with its state saved, because device contexts do not survive it.
Verdict ruleSleep(const RuleContext& context) {
    const Reading<bool>& pending = context.snapshot.sleepPending;
    if (!pending.isKnown()) {
        // Without an announcement sleep simply stops the clock; the step is redone afterwards.
        return unknown(pending, UnknownMeans::Go);
    }
    return *pending.value ? deny("sleep_announced") : allow("awake");
}

}  // namespace sunloco::rules
