// SPDX-License-Identifier: Apache-2.0
#include "app/rules/user_override.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <limits>
#include <string>

namespace sunloco::rules {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

core::Error badLength(std::string_view given) {
    return {core::ErrorCode::InvalidArgument,
            "a pause is 15m, 1h, 4h, 2d, a number of minutes, tomorrow or forever, and at most a year; given was \"" +
                std::string(given.substr(0, 80)) + '"',
            "pause"};
}

}  // namespace

bool UserOverride::isActive(core::UtcMs now) const {
    return kind != Kind::None && (!until || now < *until);
}

core::Result<UserOverride> pauseFor(std::string_view length, core::UtcMs now, const UtcOffset& offset) {
    UserOverride pause{UserOverride::Kind::Pause, now, std::nullopt};
    if (length.empty() || length == "forever") {
        return pause;
    }
    if (length == "tomorrow") {
        pause.until = nextDayAt(now, kTomorrowHour, offset);
        return pause;
    }
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(length.data() + length.size() - end));
    const std::int64_t minutesPerUnit = unit.empty() || unit == "m" || unit == "min" ? 1 : unit == "h" ? 60 : unit == "d" ? 24 * 60 : 0;
    if (error != std::errc{} || number < 1 || minutesPerUnit == 0 || number > kMaxOverrideMinutes / minutesPerUnit) {
        return badLength(length);
    }
    pause.until = now + number * minutesPerUnit * kMinuteMs;
    return pause;
}

core::Result<UserOverride> runNowFor(std::int64_t minutes, core::UtcMs now) {
    if (minutes == 0) {
        return UserOverride{UserOverride::Kind::RunNow, now, std::nullopt};
    }
    if (minutes < 0 || minutes > kMaxOverrideMinutes) {
        return core::Error{core::ErrorCode::InvalidArgument,
                           "\"run now\" takes 0 to " + std::to_string(kMaxOverrideMinutes) + " minutes, given was " + std::to_string(minutes),
                           "run-now"};
    }
    return UserOverride{UserOverride::Kind::RunNow, now, now + minutes * kMinuteMs};
}

core::Json toJson(const UserOverride& value) {
    switch (value.kind) {
    case UserOverride::Kind::None: return {{"kind", "none"}};
    case UserOverride::Kind::Pause:
    case UserOverride::Kind::RunNow: break;
    }
    core::Json json{{"kind", value.kind == UserOverride::Kind::Pause ? "pause" : "run_now"}, {"since", value.since}};
    if (value.until) {
        json["until"] = *value.until;
    }
    return json;
}

core::Result<UserOverride> userOverrideFromJson(const core::Json& json) {
    auto known = core::refuseUnknownKeys(json, {"kind", "since", "until"}, "override");
    if (!known) {
        return std::move(known).error();
    }
    auto kind = core::stringMember(json, "kind", "override");
    if (!kind) {
        return std::move(kind).error();
    }
    UserOverride value;
    if (*kind == "none") {
        return value;
    }
    if (*kind != "pause" && *kind != "run_now") {
        return core::Error{core::ErrorCode::InvalidData, "override.kind is none, pause or run_now, found \"" + *kind + '"', "override.kind"};
    }
    value.kind = *kind == "pause" ? UserOverride::Kind::Pause : UserOverride::Kind::RunNow;
    constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
    auto since = core::intMember(json, "since", "override", 0, kMax);
    if (!since) {
        return std::move(since).error();
    }
    value.since = *since;
    if (json.contains("until")) {
        auto until = core::intMember(json, "until", "override", 0, kMax);
        if (!until) {
            return std::move(until).error();
        }
        value.until = *until;
    }
    return value;
}

}  // namespace sunloco::rules
