// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/reading.h"
#include "engine/core/clock.h"
#include "engine/core/json.h"
#include "engine/core/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sunloco::rules {

/// One entry per line of rule_list.h, in the order in which they are asked.
enum class RuleId {
#define SUNLOCO_RULE(Name, code, group, governs, override) Name,
#include "app/rules/rule_list.h"
#undef SUNLOCO_RULE
};

/// The order of precedence that people see (DESIGN section 10).
enum class RuleGroup { Pause, Safety, SleepLock, InUse, NetworkDisk, Energy, Work };

/// What a rule says. Shown as: Allows, Stops, Limits, Unknown, Off.
enum class VerdictKind {
    Allow,
    Deny,
    Limit,    ///< runs, but at `value` percent
    Unknown,  ///< the sensor has no value; `stops` tells whether that forbids running
    Off,      ///< the user has this rule switched off, or this PC has nothing it applies to
};

/// Unit of `value` and `limit`.
enum class Unit { None, Milliseconds, Percent, Bytes, Watts, Celsius, Count };

/// How sure `nextChange` is: "13:30" (Fact), "at 11:57 at the earliest" (Earliest), "about 16:40" (Forecast), nothing is foreseen (None).
enum class NextKind { None, Fact, Earliest, Forecast };

/// What one rule says now, with the numbers a sentence needs. Sentences are made from it in app/text, never here.
struct Verdict {
    RuleId rule = RuleId::UserPause;
    VerdictKind kind = VerdictKind::Off;
    std::optional<double> value;                 ///< measured value in `unit`
    std::optional<double> limit;                 ///< the limit it is compared with, in `unit`
    Unit unit = Unit::None;
    /// A stable lower-case code that tells cases of one rule apart; app/rules/README.md lists them. For Unknown: unknownReasonName().
    std::string detail;
    core::UtcMs since = 0;                       ///< since when the rule says so; for "in use": the time of the last input
    std::optional<core::UtcMs> nextChange;       ///< when this rule may say something else
    NextKind nextKind = NextKind::None;
    bool stops = false;                          ///< forbids what it governs: Deny, or an Unknown that must not count as "go"
    bool overridden = false;                     ///< would stop, but "run now" or the mode "always" stands above it; then `stops` is false
    bool mayWait = false;                        ///< a Deny that may wait until the minimum running time is over

    [[nodiscard]] bool operator==(const Verdict&) const = default;
};

/// What the agent as a whole is to do.
enum class RunState {
    Training,         ///< allowed by the rules, or by the mode "always"
    TrainingAsked,    ///< the user said "run now"
    PausedByUser,     ///< the user's pause
    TurnedOff,        ///< the mode "never", or every device is switched off
    PausedByRule,     ///< `deciding` names the rule
    WaitingForIdle,   ///< the user is using the PC, or that cannot be told
    WaitingForWork,   ///< everything allows it, there is nothing to do
};

/// A mode of the whole agent or of one device.
enum class Mode { Always, Rules, Never };

/// What one device is to do.
struct DeviceDecision {
    std::string id;                        ///< as the agent names it, stable over restarts: "cpu", a graphics card's UUID
    Mode mode = Mode::Rules;               ///< the device's own setting
    bool run = false;
    int throttlePercent = 100;             ///< duty cycle, 25 to 100
    std::optional<RuleId> deciding;        ///< the rule that stops it; none when it runs or when its own mode is "never"

    [[nodiscard]] bool operator==(const DeviceDecision&) const = default;
};

/// The result of all rules at one moment. A plain value: the next evaluation takes it as its memory.
struct Decision {
    core::UtcMs at = 0;
    bool run = false;                      ///< at least one device may train
    int throttlePercent = 100;             ///< the strictest limit of the rules, 25 to 100
    RunState state = RunState::WaitingForWork;
    Verdict deciding;                      ///< the first rule that stops; when running: the rule that will end or limits the run first
    std::vector<Verdict> verdicts;         ///< every rule, in order of precedence
    Verdict upload;                        ///< may finished work be uploaded: the rule that stops it, or one that allows
    bool uploadAllowed = true;
    std::vector<DeviceDecision> devices;

    std::optional<core::UtcMs> nextChange; ///< when running: first foreseen end; else: first foreseen start (the latest of all stopping rules)
    NextKind nextKind = NextKind::None;

    // Memory for minimum times.
    core::UtcMs runningSince = 0;          ///< 0 when not running
    core::UtcMs stoppedAt = 0;             ///< 0 when it never ran
    std::optional<RuleId> stoppedBy;

    [[nodiscard]] const Verdict* find(RuleId rule) const;
};

std::string_view ruleCode(RuleId rule);      ///< "user_idle"; also the rule's key in JSON
std::optional<RuleId> ruleFromCode(std::string_view code);
RuleGroup ruleGroup(RuleId rule);
std::string_view groupName(RuleGroup group);        ///< "pause", "safety", "sleep_lock", "in_use", "network_disk", "energy", "work"
std::string_view verdictKindName(VerdictKind kind); ///< "allow", "deny", "limit", "unknown", "off"
std::string_view unitName(Unit unit);               ///< "", "ms", "percent", "bytes", "watts", "celsius", "count"
std::string_view nextKindName(NextKind kind);       ///< "none", "fact", "earliest", "forecast"
std::string_view runStateName(RunState state);      ///< "training", "training_asked", "paused_by_user", "turned_off", "paused_by_rule", …
std::string_view modeName(Mode mode);               ///< "always", "rules", "never"
std::optional<Mode> modeFromName(std::string_view name);

/// JSON forms, for the local socket, `sunloco-ctl why --json` and the log; times in UTC milliseconds.
core::Json toJson(const Verdict& verdict);
core::Json toJson(const Decision& decision);
core::Result<Verdict> verdictFromJson(const core::Json& json);
core::Result<Decision> decisionFromJson(const core::Json& json);

}  // namespace sunloco::rules
