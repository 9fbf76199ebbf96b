// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rules_engine.h"

#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

#include <algorithm>

namespace sunloco::rules {
namespace {

/// All rules, before any override.
std::vector<Verdict> askAll(const Inputs& inputs, core::UtcMs now, const Decision* previous) {
    std::vector<Verdict> verdicts;
    verdicts.reserve(ruleTable().size());
    for (const RuleEntry& entry : ruleTable()) {
        const Verdict* before = previous != nullptr ? previous->find(entry.id) : nullptr;
        Verdict verdict = entry.evaluate({inputs.snapshot, inputs.settings, inputs.userOverride, inputs.utcOffset, now, before, previous});
        verdict.rule = entry.id;
        if (verdict.since == 0) {
            const bool same = before != nullptr && before->kind == verdict.kind && before->detail == verdict.detail && before->since <= now;
            verdict.since = same ? before->since : now;
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

/// A Deny that may wait, while the minimum running time is not over: allowed until then.
void holdForMinimumRun(std::vector<Verdict>& verdicts, const Inputs& inputs, core::UtcMs now, const Decision* previous) {
    const std::int64_t minimum = inputs.settings.number(keys::kMinOnMinutes) * kMinuteMs;
    if (previous == nullptr || !previous->run || previous->runningSince > now || now - previous->runningSince >= minimum) {
        return;
    }
    for (Verdict& verdict : verdicts) {
        if (verdict.kind == VerdictKind::Deny && verdict.mayWait) {
            verdict.kind = VerdictKind::Allow;
            verdict.detail = "held_by_minimum_time";
            verdict.stops = false;
            verdict = withNext(std::move(verdict), previous->runningSince + minimum, NextKind::Fact);
        }
    }
}

enum class Standing { Rules, Overridden };

/// The verdicts as they count where the user's "run now" or the mode "always" stands above the rules that yield.
std::vector<Verdict> applied(std::vector<Verdict> verdicts, Standing standing) {
    if (standing == Standing::Overridden) {
        for (Verdict& verdict : verdicts) {
            const bool yields = ruleTable()[static_cast<std::size_t>(verdict.rule)].overridden == OverrideBy::Yields;
            if (yields && (verdict.stops || verdict.kind == VerdictKind::Limit)) {
                verdict.overridden = true;
                verdict.stops = false;
            }
        }
    }
    return verdicts;
}

bool governsRun(const Verdict& verdict) { return ruleTable()[static_cast<std::size_t>(verdict.rule)].governs == Governs::Run; }

const Verdict* firstStop(const std::vector<Verdict>& verdicts) {
    const auto found = std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.stops && governsRun(v); });
    return found == verdicts.end() ? nullptr : &*found;
}

int strictestLimit(const std::vector<Verdict>& verdicts) {
    double percent = 100;
    for (const Verdict& verdict : verdicts) {
        if (verdict.kind == VerdictKind::Limit && !verdict.overridden && verdict.value) {
            percent = std::min(percent, *verdict.value);
        }
    }
    return static_cast<int>(percent);
}

std::vector<DeviceDecision> decideDevices(const Inputs& inputs, const std::vector<Verdict>& byRules, Standing global) {
    std::vector<std::string> ids = inputs.devices;
    if (ids.empty()) {
        ids.emplace_back("cpu");
    }
    std::vector<DeviceDecision> devices;
    for (std::string& id : ids) {
        DeviceDecision device;
        device.mode = inputs.settings.deviceMode(id);
        device.id = std::move(id);
        if (device.mode != Mode::Never) {
            const std::vector<Verdict> own = applied(byRules, device.mode == Mode::Always ? Standing::Overridden : global);
            const Verdict* stop = firstStop(own);
            device.run = stop == nullptr;
            device.throttlePercent = strictestLimit(own);
            if (stop != nullptr) {
                device.deciding = stop->rule;
            }
        }
        devices.push_back(std::move(device));
    }
    return devices;
}

/// Finished work is worth sending while training is paused, unless the user says otherwise; what it costs is asked apart.
Verdict decideUpload(const Inputs& inputs, const std::vector<Verdict>& verdicts) {
    if (!inputs.settings.isOn(keys::kUploadWhilePaused)) {
        for (const Verdict& verdict : verdicts) {
            if (verdict.stops && ruleGroup(verdict.rule) == RuleGroup::Pause) {
                return verdict;
            }
        }
    }
    const Verdict* speaks = nullptr;
    for (const Verdict& verdict : verdicts) {
        if (!governsRun(verdict)) {
            if (verdict.stops) {
                return verdict;
            }
            speaks = &verdict;
        }
    }
    return speaks != nullptr ? *speaks : verdicts.front();
}

RunState waitingState(RuleId deciding) {
    switch (deciding) {
    case RuleId::UserPause: return RunState::PausedByUser;
    case RuleId::Mode: return RunState::TurnedOff;
    case RuleId::UserIdle: return RunState::WaitingForIdle;
    case RuleId::HasWork: return RunState::WaitingForWork;
    default: return RunState::PausedByRule;
    }
}

/// The start that can be foreseen: when the last of the stopping rules may give way. One rule that cannot be foreseen hides it.
void foreseeStart(Decision& decision, const std::vector<Verdict>& verdicts) {
    for (const Verdict& verdict : verdicts) {
        if (!verdict.stops || !governsRun(verdict)) {
            continue;
        }
        if (!verdict.nextChange) {
            decision.nextChange.reset();
            decision.nextKind = NextKind::None;
            return;
        }
        decision.nextChange = std::max(decision.nextChange.value_or(*verdict.nextChange), *verdict.nextChange);
        decision.nextKind = std::max(decision.nextKind, verdict.nextKind);
    }
}

/// The end that can be foreseen, and the rule that will bring it.
const Verdict* foreseeEnd(Decision& decision, const std::vector<Verdict>& verdicts) {
    const Verdict* first = nullptr;
    for (const Verdict& verdict : verdicts) {
        if (verdict.kind == VerdictKind::Allow && governsRun(verdict) && !verdict.overridden && verdict.nextChange &&
            (first == nullptr || *verdict.nextChange < *first->nextChange)) {
            first = &verdict;
        }
    }
    if (first != nullptr) {
        decision.nextChange = first->nextChange;
        decision.nextKind = first->nextKind;
    }
    return first;
}

const Verdict* firstLimit(const std::vector<Verdict>& verdicts) {
    const Verdict* strictest = nullptr;
    for (const Verdict& verdict : verdicts) {
        if (verdict.kind == VerdictKind::Limit && !verdict.overridden && (strictest == nullptr || verdict.value < strictest->value)) {
            strictest = &verdict;
        }
    }
    return strictest;
}

}  // namespace

Decision evaluate(const Inputs& inputs, core::UtcMs now, const Decision* previous) {
    std::vector<Verdict> byRules = askAll(inputs, now, previous);
    holdForMinimumRun(byRules, inputs, now, previous);
    const bool asked = inputs.userOverride.isRunNow(now);
    const Standing global = asked || inputs.settings.mode() == Mode::Always ? Standing::Overridden : Standing::Rules;

    Decision decision;
    decision.at = now;
    decision.verdicts = applied(byRules, global);
    decision.devices = decideDevices(inputs, byRules, global);
    decision.upload = decideUpload(inputs, decision.verdicts);
    decision.uploadAllowed = !decision.upload.stops;
    decision.run = std::any_of(decision.devices.begin(), decision.devices.end(), [](const DeviceDecision& d) { return d.run; });
    decision.throttlePercent = strictestLimit(decision.verdicts);

    if (decision.run) {
        decision.state = asked ? RunState::TrainingAsked : RunState::Training;
        // A device whose own mode is "always" may run while the rules stop the others: then the rules that stop still speak of the future.
        const Verdict* stop = firstStop(decision.verdicts);
        const Verdict* limit = firstLimit(decision.verdicts);
        const Verdict* end = stop == nullptr ? foreseeEnd(decision, decision.verdicts) : nullptr;
        decision.deciding = end != nullptr ? *end : limit != nullptr ? *limit : *decision.find(RuleId::Mode);
    } else if (const Verdict* stop = firstStop(decision.verdicts)) {
        decision.deciding = *stop;
        decision.state = waitingState(stop->rule);
        foreseeStart(decision, decision.verdicts);
    } else {
        decision.state = RunState::TurnedOff;
        decision.deciding = *decision.find(RuleId::Mode);
        decision.deciding.kind = VerdictKind::Deny;
        decision.deciding.detail = "all_devices_off";
        decision.deciding.stops = true;
    }

    const bool ranBefore = previous != nullptr && previous->run;
    decision.runningSince = !decision.run ? 0 : ranBefore ? previous->runningSince : now;
    if (previous != nullptr) {
        decision.stoppedAt = previous->stoppedAt;
        decision.stoppedBy = previous->stoppedBy;
    }
    if (ranBefore && !decision.run) {
        decision.stoppedAt = now;
        decision.stoppedBy = decision.deciding.rule;
    }
    return decision;
}

}  // namespace sunloco::rules
