// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/rules_engine.h"

namespace sunloco::rules {

/// Wednesday 2025-01-15 12:00:00 UTC.
inline constexpr core::UtcMs kNoon = 1'736'942'400'000;
inline constexpr std::int64_t kMinute = 60'000;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kGib = 1LL << 30;

/// A desktop PC whose user left an hour ago, with work waiting: everything allows.
inline Inputs quietPc() {
    Inputs inputs;
    SensorSnapshot& s = inputs.snapshot;
    s.userIdleMs = Reading<std::int64_t>::known(kHour);
    s.sessionLocked = Reading<bool>::known(false);
    s.sleepPending = Reading<bool>::known(false);
    s.awakeMs = Reading<std::int64_t>::known(5 * kHour);
    s.onBattery = Reading<bool>::known(false);
    s.batteryPercent = Reading<double>::unknown(UnknownReason::NoSource);
    s.upsOnBattery = Reading<bool>::known(false);
    s.meteredNetwork = Reading<bool>::known(false);
    s.freeDiskBytes = Reading<std::int64_t>::known(200 * kGib);
    s.usedDiskBytes = Reading<std::int64_t>::known(2 * kGib);
    s.workAvailable = Reading<bool>::known(true);
    return inputs;
}

/// The same on a notebook's battery.
inline Inputs onBattery(double percent) {
    Inputs inputs = quietPc();
    inputs.snapshot.onBattery = Reading<bool>::known(true);
    inputs.snapshot.batteryPercent = Reading<double>::known(percent);
    return inputs;
}

/// Central European Time by rule, for the years of the tests: +1 h, +2 h from the last Sunday of March to that of October, both at 01:00 UTC.
inline int centralEurope(core::UtcMs utc) {
    struct Summer {
        core::UtcMs from;
        core::UtcMs to;
    };
    constexpr Summer k2025{1'743'296'400'000 /* 2025-03-30T01:00Z */, 1'761'440'400'000 /* 2025-10-26T01:00Z */};
    return utc >= k2025.from && utc < k2025.to ? 7200 : 3600;
}

}  // namespace sunloco::rules
