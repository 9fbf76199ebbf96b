// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/rules_engine.h"
#include "engine/core/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sunloco::rules {

/// What a trace does not say itself.
struct ReplayOptions {
    Settings settings;
    UserOverride userOverride;
    UtcOffset utcOffset;               ///< empty: UTC
    double runningWatts = 100;         ///< own draw while training where the trace has no column "own_w"
    std::int64_t maxGapMs = 120'000;   ///< a row speaks for at most this long; then its sensors count as stale
};

/// The state changed at this moment.
struct ReplayTransition {
    core::UtcMs at = 0;
    double powerW = 0;   ///< own draw from here on
    Decision decision;
};

/// Own energy in Wh by origin, with starts and hours of training. Without a meter, energy from the mains is of unknown origin.
struct ReplayTotals {
    double solarWh = 0;
    double batteryWh = 0;
    double gridWh = 0;
    double unknownWh = 0;
    int starts = 0;
    double hours = 0;
};

struct ReplayResult {
    std::vector<ReplayTransition> transitions;
    ReplayTotals totals;
};

/// Runs the rules over a recorded day. `csv` starts with a line of column names:
///   t_utc (ISO 8601 "2025-03-30T01:00:00Z" or seconds since 1970; rising), idle_s, locked, on_battery, battery_percent, ups_on_battery,
///   metered, free_gib, used_gib, work, own_w.  Truth values: 0 or 1. An empty cell = unknown. A column that is absent = its rule finds
///   nothing against running. The error names line and column.
core::Result<ReplayResult> replayTrace(std::string_view csv, const ReplayOptions& options);
/// The same from a file of at most 64 MiB.
core::Result<ReplayResult> replayTraceFile(const std::filesystem::path& path, const ReplayOptions& options);

/// {transitions: [{t_utc, state, power_w, reason}], totals: {...}}; `reason` makes the sentence, or the deciding rule's code is used when it is empty.
core::Json toJson(const ReplayResult& result, const std::function<std::string(const Decision&)>& reason = {});

/// "2025-03-30T01:00:00Z" from UTC milliseconds (fractions only where there are any).
std::string isoTime(core::UtcMs utc);

}  // namespace sunloco::rules
