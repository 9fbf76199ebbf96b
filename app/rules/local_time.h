// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"

#include <functional>

namespace sunloco::rules {

/// Seconds that local time is ahead of UTC at a moment (Berlin in summer: 7200). Injected, because only the platform knows the time zone.
using UtcOffset = std::function<int(core::UtcMs)>;

/// UTC all year; what an empty UtcOffset stands for.
int noUtcOffset(core::UtcMs);

/// A moment as the wall clock shows it.
struct LocalHour {
    int weekday = 0;  ///< 0 = Monday
    int hour = 0;     ///< 0 to 23
};

LocalHour localHourAt(core::UtcMs utc, const UtcOffset& offset);

/// The next moment after `utc` at which the wall clock shows `hour`:00 on a later date than at `utc`.
/// An hour that daylight saving skips on that day: the moment the clock jumps past it.
core::UtcMs nextDayAt(core::UtcMs utc, int hour, const UtcOffset& offset);

/// The first moment after `utc` at which the wall clock's hour changes, counting jumps of the offset.
core::UtcMs nextHourChange(core::UtcMs utc, const UtcOffset& offset);

}  // namespace sunloco::rules
