// SPDX-License-Identifier: Apache-2.0
#include "app/rules/local_time.h"

#include <cstdint>

namespace sunloco::rules {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;
constexpr std::int64_t kDayMs = 24 * kHourMs;
constexpr std::int64_t kMinuteMs = 60'000;

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
    const std::int64_t q = a / b;
    return q * b > a ? q - 1 : q;
}

std::int64_t wallMs(core::UtcMs utc, const UtcOffset& offset) {
    return utc + 1000LL * (offset ? offset(utc) : 0);
}

}  // namespace

int noUtcOffset(core::UtcMs) { return 0; }

LocalHour localHourAt(core::UtcMs utc, const UtcOffset& offset) {
    const std::int64_t wall = wallMs(utc, offset);
    const std::int64_t day = floorDiv(wall, kDayMs);
    // 1970-01-01 was a Thursday: day 0 has weekday 3 when Monday is 0.
    const std::int64_t weekday = ((day + 3) % 7 + 7) % 7;
    return {static_cast<int>(weekday), static_cast<int>(floorDiv(wall - day * kDayMs, kHourMs))};
}

core::UtcMs nextHourChange(core::UtcMs utc, const UtcOffset& offset) {
    const std::int64_t hour = floorDiv(wallMs(utc, offset), kHourMs);
    // While the offset stays, the hour ends here; it always ends within the next real hour then.
    const core::UtcMs plain = utc + ((hour + 1) * kHourMs - wallMs(utc, offset));
    const int before = offset ? offset(utc) : 0;
    const int after = offset ? offset(plain) : 0;
    if (before == after) {
        return plain;
    }
    // The clock jumps in between: find the jump (to the millisecond) by halving.
    core::UtcMs low = utc;
    core::UtcMs high = plain;
    while (high - low > 1) {
        const core::UtcMs middle = low + (high - low) / 2;
        (offset(middle) == before ? low : high) = middle;
    }
    if (floorDiv(wallMs(high, offset), kHourMs) != hour) {
        return high;
    }
    // A jump that stays within the hour (half-hour shifts, back by an hour at its very end): the hour ends later.
    return high + ((hour + 1) * kHourMs - wallMs(high, offset));
}

core::UtcMs nextDayAt(core::UtcMs utc, int hour, const UtcOffset& offset) {
    const std::int64_t tomorrow = floorDiv(wallMs(utc, offset), kDayMs) + 1;
    const std::int64_t wanted = tomorrow * kDayMs + hour * kHourMs;
    // wallMs grows with utc but for jumps back of at most a few hours, so the first moment that shows `wanted` lies within a day of this guess.
    const core::UtcMs guess = wanted - 1000LL * (offset ? offset(utc) : 0);
    core::UtcMs at = guess - 3 * kHourMs;
    while (wallMs(at, offset) < wanted) {
        at += kMinuteMs;
    }
    // A jump forward over the wanted hour lands on the jump's minute, which is the moment asked for.
    return at;
}

}  // namespace sunloco::rules
