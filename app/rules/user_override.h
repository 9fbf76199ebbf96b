// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/local_time.h"
#include "engine/core/json.h"

#include <optional>
#include <string_view>

namespace sunloco::rules {

/// What the user asked for last: a pause, a run, or nothing. A plain value; the journal keeps its JSON form, so it survives restarts.
struct UserOverride {
    enum class Kind { None, Pause, RunNow };

    Kind kind = Kind::None;
    core::UtcMs since = 0;
    std::optional<core::UtcMs> until;  ///< none: until the user resumes

    [[nodiscard]] bool isActive(core::UtcMs now) const;
    [[nodiscard]] bool isPause(core::UtcMs now) const { return kind == Kind::Pause && isActive(now); }
    [[nodiscard]] bool isRunNow(core::UtcMs now) const { return kind == Kind::RunNow && isActive(now); }
    [[nodiscard]] bool operator==(const UserOverride&) const = default;
};

/// Length of a run without a number: `sunloco-ctl run-now`.
inline constexpr int kRunNowMinutes = 60;
/// Wall-clock hour at which "until tomorrow" ends.
inline constexpr int kTomorrowHour = 6;
/// Longest timed pause or run: a year.
inline constexpr std::int64_t kMaxOverrideMinutes = 366LL * 24 * 60;

/// A pause from "15m", "1h", "4h", "2d", "90" (minutes), "tomorrow" (06:00 local) or "forever"; empty = "forever".
core::Result<UserOverride> pauseFor(std::string_view length, core::UtcMs now, const UtcOffset& offset);
/// A run of `minutes` (at most kMaxOverrideMinutes); 0 = until the user resumes the rules.
core::Result<UserOverride> runNowFor(std::int64_t minutes, core::UtcMs now);

core::Json toJson(const UserOverride& value);
core::Result<UserOverride> userOverrideFromJson(const core::Json& json);

}  // namespace sunloco::rules
