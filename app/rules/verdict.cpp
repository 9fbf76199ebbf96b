// SPDX-License-Identifier: Apache-2.0
#include "app/rules/verdict.h"

#include "app/rules/rule_table.h"

#include <array>

namespace sunloco::rules {
namespace {

constexpr std::array kRules{
#define SUNLOCO_RULE(Name, code, group, governs, override) \
    RuleEntry{RuleId::Name, code, RuleGroup::group, Governs::governs, OverrideBy::override, &rule##Name},
#include "app/rules/rule_list.h"
#undef SUNLOCO_RULE
};

constexpr std::array<std::string_view, 5> kReasons{"starting", "no_source", "no_answer", "not_permitted", "stale"};

}  // namespace

std::span<const RuleEntry> ruleTable() { return kRules; }

const Verdict* Decision::find(RuleId rule) const {
    for (const Verdict& verdict : verdicts) {
        if (verdict.rule == rule) {
            return &verdict;
        }
    }
    return nullptr;
}

std::string_view unknownReasonName(UnknownReason reason) { return kReasons[static_cast<std::size_t>(reason)]; }

std::optional<UnknownReason> unknownReasonFromName(std::string_view name) {
    for (std::size_t i = 0; i < kReasons.size(); ++i) {
        if (kReasons[i] == name) {
            return static_cast<UnknownReason>(i);
        }
    }
    return std::nullopt;
}

std::string_view ruleCode(RuleId rule) { return kRules[static_cast<std::size_t>(rule)].code; }

std::optional<RuleId> ruleFromCode(std::string_view code) {
    for (const RuleEntry& entry : kRules) {
        if (entry.code == code) {
            return entry.id;
        }
    }
    return std::nullopt;
}

RuleGroup ruleGroup(RuleId rule) { return kRules[static_cast<std::size_t>(rule)].group; }

std::string_view groupName(RuleGroup group) {
    switch (group) {
    case RuleGroup::Pause: return "pause";
    case RuleGroup::Safety: return "safety";
    case RuleGroup::SleepLock: return "sleep_lock";
    case RuleGroup::InUse: return "in_use";
    case RuleGroup::NetworkDisk: return "network_disk";
    case RuleGroup::Energy: return "energy";
    case RuleGroup::Work: return "work";
    }
    return "";
}

std::string_view verdictKindName(VerdictKind kind) {
    switch (kind) {
    case VerdictKind::Allow: return "allow";
    case VerdictKind::Deny: return "deny";
    case VerdictKind::Limit: return "limit";
    case VerdictKind::Unknown: return "unknown";
    case VerdictKind::Off: return "off";
    }
    return "";
}

std::string_view unitName(Unit unit) {
    switch (unit) {
    case Unit::None: return "";
    case Unit::Milliseconds: return "ms";
    case Unit::Percent: return "percent";
    case Unit::Bytes: return "bytes";
    case Unit::Watts: return "watts";
    case Unit::Celsius: return "celsius";
    case Unit::Count: return "count";
    }
    return "";
}

std::string_view nextKindName(NextKind kind) {
    switch (kind) {
    case NextKind::None: return "none";
    case NextKind::Fact: return "fact";
    case NextKind::Earliest: return "earliest";
    case NextKind::Forecast: return "forecast";
    }
    return "";
}

std::string_view runStateName(RunState state) {
    switch (state) {
    case RunState::Training: return "training";
    case RunState::TrainingAsked: return "training_asked";
    case RunState::PausedByUser: return "paused_by_user";
    case RunState::TurnedOff: return "turned_off";
    case RunState::PausedByRule: return "paused_by_rule";
    case RunState::WaitingForIdle: return "waiting_for_idle";
    case RunState::WaitingForWork: return "waiting_for_work";
    }
    return "";
}

std::string_view modeName(Mode mode) {
    switch (mode) {
    case Mode::Always: return "always";
    case Mode::Rules: return "rules";
    case Mode::Never: return "never";
    }
    return "";
}

std::optional<Mode> modeFromName(std::string_view name) {
    for (const Mode mode : {Mode::Always, Mode::Rules, Mode::Never}) {
        if (modeName(mode) == name) {
            return mode;
        }
    }
    return std::nullopt;
}

}  // namespace sunloco::rules
