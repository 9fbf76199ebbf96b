// SPDX-License-Identifier: Apache-2.0
#include "app/rules/verdict.h"

#include <nlohmann/json.hpp>

#include <array>
#include <limits>

namespace sunloco::rules {
namespace {

constexpr auto kMaxTime = std::numeric_limits<std::int64_t>::max();
constexpr double kMaxNumber = 1e18;

core::Error badName(std::string_view what, const std::string& given) {
    return {core::ErrorCode::InvalidData, "unknown " + std::string(what) + " \"" + given.substr(0, 100) + '"', std::string(what)};
}

/// Reads the members of one object; after the first problem everything answers its default and `error` says what was wrong.
class Reader {
public:
    Reader(const core::Json& json, std::string_view where) : m_json(json), m_where(where) {}

    bool flag(std::string_view key) { return take(core::boolMember(m_json, key, m_where)); }
    std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max) { return take(core::intMember(m_json, key, m_where, min, max)); }
    std::string text(std::string_view key) { return take(core::stringMember(m_json, key, m_where)); }
    std::optional<double> number(std::string_view key) {
        return present(key) ? std::optional(take(core::numberMember(m_json, key, m_where, -kMaxNumber, kMaxNumber))) : std::nullopt;
    }
    std::optional<core::UtcMs> time(std::string_view key) {
        return present(key) ? std::optional(integer(key, -kMaxTime, kMaxTime)) : std::nullopt;
    }
    /// The value among `all` whose name stands at `key`.
    template <typename T, std::size_t N>
    T named(std::string_view key, const std::array<T, N>& all, std::string_view (*nameOf)(T)) {
        const std::string given = text(key);
        for (const T value : all) {
            if (nameOf(value) == given) {
                return value;
            }
        }
        fail(badName(key, given));
        return all.front();
    }
    std::optional<RuleId> rule(std::string_view key) {
        if (!present(key)) {
            return std::nullopt;
        }
        const std::string given = text(key);
        const auto found = ruleFromCode(given);
        if (!found) {
            fail(badName(key, given));
        }
        return found;
    }
    const core::Json* child(std::string_view key) {
        auto found = core::member(m_json, key, m_where);
        if (!found) {
            fail(std::move(found).error());
            return nullptr;
        }
        return *found;
    }
    void fail(core::Error error) {
        if (!m_error) {
            m_error = std::move(error);
        }
    }
    [[nodiscard]] const std::optional<core::Error>& error() const { return m_error; }

private:
    [[nodiscard]] bool present(std::string_view key) const {
        const auto found = m_json.find(std::string(key));
        return m_json.is_object() && found != m_json.end() && !found->is_null();
    }
    template <typename T>
    T take(core::Result<T> result) {
        if (result) {
            return std::move(result).value();
        }
        fail(std::move(result).error());
        return T{};
    }

    const core::Json& m_json;
    std::string_view m_where;
    std::optional<core::Error> m_error;
};

constexpr std::array kKinds{VerdictKind::Allow, VerdictKind::Deny, VerdictKind::Limit, VerdictKind::Unknown, VerdictKind::Off};
constexpr std::array kUnits{Unit::None, Unit::Milliseconds, Unit::Percent, Unit::Bytes, Unit::Watts, Unit::Celsius, Unit::Count};
constexpr std::array kNexts{NextKind::None, NextKind::Fact, NextKind::Earliest, NextKind::Forecast};
constexpr std::array kModes{Mode::Always, Mode::Rules, Mode::Never};
constexpr std::array kStates{RunState::Training,     RunState::TrainingAsked,  RunState::PausedByUser,  RunState::TurnedOff,
                             RunState::PausedByRule, RunState::WaitingForIdle, RunState::WaitingForWork};

template <typename T>
core::Json orNull(const std::optional<T>& value) {
    return value ? core::Json(*value) : core::Json();
}

}  // namespace

core::Json toJson(const Verdict& verdict) {
    return {{"rule", ruleCode(verdict.rule)},
            {"group", groupName(ruleGroup(verdict.rule))},
            {"verdict", verdictKindName(verdict.kind)},
            {"value", orNull(verdict.value)},
            {"limit", orNull(verdict.limit)},
            {"unit", unitName(verdict.unit)},
            {"detail", verdict.detail},
            {"since", verdict.since},
            {"next_change", orNull(verdict.nextChange)},
            {"next_kind", nextKindName(verdict.nextKind)},
            {"stops", verdict.stops},
            {"overridden", verdict.overridden},
            {"may_wait", verdict.mayWait}};
}

core::Result<Verdict> verdictFromJson(const core::Json& json) {
    Reader read(json, "verdict");
    Verdict verdict;
    verdict.rule = read.rule("rule").value_or(RuleId::UserPause);
    verdict.kind = read.named("verdict", kKinds, &verdictKindName);
    verdict.value = read.number("value");
    verdict.limit = read.number("limit");
    verdict.unit = read.named("unit", kUnits, &unitName);
    verdict.detail = read.text("detail");
    verdict.since = read.integer("since", -kMaxTime, kMaxTime);
    verdict.nextChange = read.time("next_change");
    verdict.nextKind = read.named("next_kind", kNexts, &nextKindName);
    verdict.stops = read.flag("stops");
    verdict.overridden = read.flag("overridden");
    verdict.mayWait = read.flag("may_wait");
    if (read.error()) {
        return *read.error();
    }
    return verdict;
}

core::Json toJson(const Decision& decision) {
    core::Json verdicts = core::Json::array();
    for (const Verdict& verdict : decision.verdicts) {
        verdicts.push_back(toJson(verdict));
    }
    core::Json devices = core::Json::array();
    for (const DeviceDecision& device : decision.devices) {
        devices.push_back({{"id", device.id},
                           {"mode", modeName(device.mode)},
                           {"run", device.run},
                           {"throttle_percent", device.throttlePercent},
                           {"deciding", device.deciding ? core::Json(ruleCode(*device.deciding)) : core::Json()}});
    }
    return {{"at", decision.at},
            {"run", decision.run},
            {"throttle_percent", decision.throttlePercent},
            {"state", runStateName(decision.state)},
            {"deciding", toJson(decision.deciding)},
            {"verdicts", std::move(verdicts)},
            {"upload", toJson(decision.upload)},
            {"upload_allowed", decision.uploadAllowed},
            {"devices", std::move(devices)},
            {"next_change", orNull(decision.nextChange)},
            {"next_kind", nextKindName(decision.nextKind)},
            {"running_since", decision.runningSince},
            {"stopped_at", decision.stoppedAt},
            {"stopped_by", decision.stoppedBy ? core::Json(ruleCode(*decision.stoppedBy)) : core::Json()}};
}

core::Result<Decision> decisionFromJson(const core::Json& json) {
    Reader read(json, "decision");
    Decision decision;
    const auto nested = [&read](std::string_view key, Verdict& into) {
        if (const core::Json* child = read.child(key)) {
            auto verdict = verdictFromJson(*child);
            if (verdict) {
                into = std::move(verdict).value();
            } else {
                read.fail(std::move(verdict).error());
            }
        }
    };
    decision.at = read.integer("at", -kMaxTime, kMaxTime);
    decision.run = read.flag("run");
    decision.throttlePercent = static_cast<int>(read.integer("throttle_percent", 0, 100));
    decision.state = read.named("state", kStates, &runStateName);
    nested("deciding", decision.deciding);
    nested("upload", decision.upload);
    decision.uploadAllowed = read.flag("upload_allowed");
    if (const core::Json* verdicts = read.child("verdicts"); verdicts != nullptr && verdicts->is_array()) {
        for (const core::Json& one : *verdicts) {
            auto verdict = verdictFromJson(one);
            if (!verdict) {
                return std::move(verdict).error();
            }
            decision.verdicts.push_back(std::move(verdict).value());
        }
    }
    if (const core::Json* devices = read.child("devices"); devices != nullptr && devices->is_array()) {
        for (const core::Json& one : *devices) {
            Reader of(one, "device");
            DeviceDecision device;
            device.id = of.text("id");
            device.mode = of.named("mode", kModes, &modeName);
            device.run = of.flag("run");
            device.throttlePercent = static_cast<int>(of.integer("throttle_percent", 0, 100));
            device.deciding = of.rule("deciding");
            if (of.error()) {
                return *of.error();
            }
            decision.devices.push_back(std::move(device));
        }
    }
    decision.nextChange = read.time("next_change");
    decision.nextKind = read.named("next_kind", kNexts, &nextKindName);
    decision.runningSince = read.integer("running_since", 0, kMaxTime);
    decision.stoppedAt = read.integer("stopped_at", 0, kMaxTime);
    decision.stoppedBy = read.rule("stopped_by");
    if (read.error()) {
        return *read.error();
    }
    return decision;
}

}  // namespace sunloco::rules
