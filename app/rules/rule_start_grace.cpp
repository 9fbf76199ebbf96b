// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {
namespace {

constexpr std::int64_t kGraceMs = 3 * kMinuteMs;

}  // namespace

/// The first minutes after login or wake-up belong to the user: the PC is busy with itself, and its idle counters may be wrong.
Verdict ruleStartGrace(const RuleContext& context) {
    const Reading<std::int64_t>& awake = context.snapshot.awakeMs;
    if (!awake.isKnown()) {
        return unknown(awake, UnknownMeans::Stop);
    }
    const Numbers numbers{static_cast<double>(*awake.value), static_cast<double>(kGraceMs), Unit::Milliseconds};
    if (*awake.value >= kGraceMs) {
        return allow("settled", numbers);
    }
    return withSince(withNext(deny("just_started", numbers), context.now + kGraceMs - *awake.value, NextKind::Earliest), context.now - *awake.value);
}

}  // namespace sunloco::rules
