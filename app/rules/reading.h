// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace sunloco::rules {

/// Why a sensor has no value. Unknown is never taken for zero and never for "go".
enum class UnknownReason {
    Starting,      ///< the sensor was asked and has not answered yet
    NoSource,      ///< this system has nothing that could tell
    NoAnswer,      ///< the source failed or stopped answering
    NotPermitted,  ///< the source refuses us
    Stale,         ///< the last value is too old to be believed
};

/// A sensor's value or the reason why there is none, with the age of the measurement.
template <typename T>
struct Reading {
    std::optional<T> value;
    UnknownReason reason = UnknownReason::Starting;  ///< meaningful without a value only
    std::int64_t ageMs = 0;                          ///< milliseconds between the measurement and the snapshot, by the monotonic clock

    [[nodiscard]] static Reading known(T value, std::int64_t ageMs = 0) { return Reading{std::move(value), UnknownReason::Starting, ageMs}; }
    [[nodiscard]] static Reading unknown(UnknownReason why, std::int64_t ageMs = 0) { return Reading{std::nullopt, why, ageMs}; }
    [[nodiscard]] bool isKnown() const { return value.has_value(); }
    /// The same reading, or unknown(Stale) when it is older than `maxAgeMs`.
    [[nodiscard]] Reading notOlderThan(std::int64_t maxAgeMs) const {
        return isKnown() && ageMs > maxAgeMs ? unknown(UnknownReason::Stale, ageMs) : *this;
    }
};

/// Stable lower-case code: "starting", "no_source", "no_answer", "not_permitted", "stale".
std::string_view unknownReasonName(UnknownReason reason);
std::optional<UnknownReason> unknownReasonFromName(std::string_view name);

}  // namespace sunloco::rules
