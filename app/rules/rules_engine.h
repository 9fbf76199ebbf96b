// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/settings.h"
#include "app/rules/snapshot.h"
#include "app/rules/user_override.h"
#include "app/rules/verdict.h"

#include <string>
#include <vector>

namespace sunloco::rules {

/// Everything a decision depends on. Time and the time zone come from outside.
struct Inputs {
    SensorSnapshot snapshot;
    Settings settings;
    UserOverride userOverride;
    std::vector<std::string> devices;  ///< ids; empty counts as one device "cpu"
    UtcOffset utcOffset;               ///< empty: UTC
};

/// Asks every rule in order of precedence: pause, safety, sleep and lock, in use, network and disk, energy, work. The first that stops decides.
/// A pure function: `previous` (null at first) is the memory for `since`, hysteresis and minimum times.
Decision evaluate(const Inputs& inputs, core::UtcMs now, const Decision* previous = nullptr);

/// What one rule may look at.
struct RuleContext {
    const SensorSnapshot& snapshot;
    const Settings& settings;
    const UserOverride& userOverride;
    const UtcOffset& utcOffset;
    core::UtcMs now;
    const Verdict* before;     ///< what this rule said last time; null at first
    const Decision* previous;  ///< the last decision; null at first
};

}  // namespace sunloco::rules
