// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {
namespace {

/// Only what can swing by itself needs a rest: a user who has left, or an hour that has come, may start at once.
bool needsRest(RuleId stoppedBy) {
    switch (ruleGroup(stoppedBy)) {
    case RuleGroup::NetworkDisk: return true;
    case RuleGroup::Energy: return stoppedBy != RuleId::Schedule && stoppedBy != RuleId::MinimumTimes;
    case RuleGroup::Pause:
    case RuleGroup::Safety:
    case RuleGroup::SleepLock:
    case RuleGroup::InUse:
    case RuleGroup::Work: break;
    }
    return stoppedBy == RuleId::PowerSafety;
}

}  // namespace

/// The minimum rest after a stop by power or disk. The minimum running time is kept by the engine: see Verdict::mayWait.
Verdict ruleMinimumTimes(const RuleContext& context) {
    const std::int64_t rest = context.settings.number(keys::kMinOffMinutes) * kMinuteMs;
    const Decision* last = context.previous;
    if (rest == 0) {
        return off("not_used");
    }
    if (last == nullptr || last->run || !last->stoppedBy || !needsRest(*last->stoppedBy)) {
        return allow("no_rest_needed");
    }
    const std::int64_t rested = context.now - last->stoppedAt;
    const Numbers numbers{static_cast<double>(rested), static_cast<double>(rest), Unit::Milliseconds};
    // A clock that was set back makes `rested` negative: then the rest counts as over, for nobody knows how long it was.
    if (rested < 0 || rested >= rest) {
        return allow("rested", numbers);
    }
    return withSince(withNext(deny("resting", numbers), last->stoppedAt + rest, NextKind::Earliest), last->stoppedAt);
}

}  // namespace sunloco::rules
