// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

#include <algorithm>

namespace sunloco::rules {
namespace {

constexpr std::int64_t kMaxAgeMs = 5 * kMinuteMs;
/// Once stopped, this much more must be free, or writing one saved state would stop it again.
constexpr double kRecoverShare = 0.05;
constexpr double kRecoverAtLeast = 0.25 * kGib;

}  // namespace

/// Leaves the user's disk some room.
Verdict ruleDiskFloor(const RuleContext& context) {
    const auto floor = static_cast<double>(context.settings.number(keys::kDiskFloorGib)) * kGib;
    if (floor <= 0) {
        return off("not_used");
    }
    const Reading<std::int64_t> free = context.snapshot.freeDiskBytes.notOlderThan(kMaxAgeMs);
    if (!free.isKnown()) {
        return unknown(free, UnknownMeans::Stop, {std::nullopt, floor, Unit::Bytes});
    }
    const double limit = stoppedBefore(context) ? floor + std::max(kRecoverShare * floor, kRecoverAtLeast) : floor;
    const Numbers numbers{static_cast<double>(*free.value), limit, Unit::Bytes};
    return *numbers.value < limit ? deny("too_little_free", numbers) : allow("enough_free", numbers);
}

}  // namespace sunloco::rules
