// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

#include <algorithm>

namespace sunloco::rules {
namespace {

/// A counter that was not read for this long may hide a user who has come back.
constexpr std::int64_t kMaxAgeMs = 30'000;
/// Who locks the screen says "I am leaving"; a minute covers the walk to the door.
constexpr std::int64_t kLockedMs = kMinuteMs;

}  // namespace

/// Keyboard, mouse, touch. Unknown counts as "in use".
Verdict ruleUserIdle(const RuleContext& context) {
    const std::int64_t inUsePercent = context.settings.number(keys::kInUsePercent);
    const bool locked = context.snapshot.sessionLocked.value == true;
    const std::int64_t wanted = context.settings.number(keys::kIdleMinutes) * kMinuteMs;
    const std::int64_t limit = locked ? std::min(wanted, kLockedMs) : wanted;
    const Reading<std::int64_t> idle = context.snapshot.userIdleMs.notOlderThan(kMaxAgeMs);
    if (!idle.isKnown()) {
        return inUsePercent > 0 ? limitTo(inUsePercent, "idle_unknown")
                                : unknown(idle, UnknownMeans::Stop, {std::nullopt, static_cast<double>(limit), Unit::Milliseconds});
    }
    const Numbers numbers{static_cast<double>(*idle.value), static_cast<double>(limit), Unit::Milliseconds};
    const core::UtcMs lastInput = context.now - idle.ageMs - *idle.value;
    if (*idle.value >= limit) {
        return withSince(allow(locked ? "away_locked" : "away", numbers), lastInput);
    }
    const core::UtcMs earliest = std::max(lastInput + limit, context.now);  // a reading of some age may be past it already
    if (inUsePercent > 0) {
        return withSince(withNext(limitTo(inUsePercent, "in_use"), earliest, NextKind::Earliest), lastInput);
    }
    return withSince(withNext(deny("in_use", numbers), earliest, NextKind::Earliest), lastInput);
}

}  // namespace sunloco::rules
