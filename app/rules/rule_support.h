// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/rules_engine.h"

#include <string>
#include <string_view>

namespace sunloco::rules {

inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

/// A value and its limit in one unit.
struct Numbers {
    std::optional<double> value;
    std::optional<double> limit;
    Unit unit = Unit::None;
};

inline Verdict makeVerdict(VerdictKind kind, std::string_view detail, const Numbers& numbers) {
    Verdict verdict;
    verdict.kind = kind;
    verdict.detail = detail;
    verdict.value = numbers.value;
    verdict.limit = numbers.limit;
    verdict.unit = numbers.unit;
    verdict.stops = kind == VerdictKind::Deny;
    return verdict;
}

inline Verdict allow(std::string_view detail, const Numbers& numbers = {}) { return makeVerdict(VerdictKind::Allow, detail, numbers); }
inline Verdict deny(std::string_view detail, const Numbers& numbers = {}) { return makeVerdict(VerdictKind::Deny, detail, numbers); }
inline Verdict off(std::string_view detail) { return makeVerdict(VerdictKind::Off, detail, {}); }

/// Runs at `percent` of the time.
inline Verdict limitTo(std::int64_t percent, std::string_view detail) {
    return makeVerdict(VerdictKind::Limit, detail, {static_cast<double>(percent), std::nullopt, Unit::Percent});
}

enum class UnknownMeans { Stop, Go };

template <typename T>
Verdict unknown(const Reading<T>& reading, UnknownMeans means, const Numbers& numbers = {}) {
    Verdict verdict = makeVerdict(VerdictKind::Unknown, unknownReasonName(reading.reason), numbers);
    verdict.stops = means == UnknownMeans::Stop;
    return verdict;
}

inline Verdict withNext(Verdict verdict, std::optional<core::UtcMs> at, NextKind kind) {
    verdict.nextChange = at;
    verdict.nextKind = at ? kind : NextKind::None;
    return verdict;
}

inline Verdict withSince(Verdict verdict, core::UtcMs since) {
    verdict.since = since;
    return verdict;
}

/// Did this rule stop last time? For limits that differ between stopping and starting again.
inline bool stoppedBefore(const RuleContext& context) { return context.before != nullptr && context.before->kind == VerdictKind::Deny; }

}  // namespace sunloco::rules
