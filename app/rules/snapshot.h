// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/reading.h"
#include "engine/core/clock.h"

#include <cstdint>
#include <optional>

namespace sunloco::rules {

/// All sensors at one moment. app/platform's SensorHub fills the first part, the agent the last one.
struct SensorSnapshot {
    Reading<std::int64_t> userIdleMs;      ///< since the last key, pointer or touch input
    Reading<bool> sessionLocked;
    Reading<bool> sleepPending;            ///< the system has announced sleep
    Reading<std::int64_t> awakeMs;         ///< since the later of: login, the end of the last sleep, the agent's start
    Reading<bool> onBattery;               ///< draws from a battery; a PC without one: known false
    Reading<double> batteryPercent;        ///< unknown(NoSource) on a PC without a battery
    Reading<bool> upsOnBattery;            ///< an uninterruptible supply runs on its battery; known false without one
    Reading<bool> meteredNetwork;
    Reading<std::int64_t> freeDiskBytes;   ///< on the file system of the data folder

    // Filled by the agent.
    Reading<std::int64_t> usedDiskBytes;   ///< by SunLoCo's data folder
    Reading<bool> workAvailable;           ///< a project is joined and has something to train now
    std::optional<core::UtcMs> workAskedAgainAt;  ///< without work: when the project is asked again
};

}  // namespace sunloco::rules
