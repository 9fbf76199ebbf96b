// SPDX-License-Identifier: Apache-2.0
#include "app/agent/present_state.h"

namespace sunloco::agent {
namespace {

Present withTrouble(State state, const PresentFacts::Trouble& trouble) {
    Present present;
    present.state = state;
    present.reason.code = trouble.code;
    present.reason.detail = trouble.text;
    present.reason.since = trouble.since;
    present.reason.nextChange = trouble.nextTry;
    return present;
}

Present training(const PresentFacts& facts) {
    Present present;
    present.state = State::Training;
    const rules::Decision& decision = *facts.decision;
    if (decision.state == rules::RunState::TrainingAsked) {
        present.reason.code = Reason::Code::TrainingAsked;
        present.reason.nextChange = facts.overrideEnds;
    } else if (facts.modeAlways) {
        present.reason.code = Reason::Code::TrainingAlways;
    } else {
        present.reason.code = Reason::Code::TrainingByRules;
        if (decision.nextChange) present.reason.nextChange = *decision.nextChange;
    }
    present.reason.verdict = decision.deciding;
    return present;
}

}  // namespace

Present presentState(const PresentFacts& facts) {
    const rules::Decision& decision = *facts.decision;
    if (facts.grave) return withTrouble(State::NeedsAttention, *facts.grave);
    Present present;
    if (!facts.hasProject) return present;
    if (decision.state == rules::RunState::PausedByUser) {
        present.state = State::PausedByUser;
        present.reason.code = Reason::Code::PausedByUser;
        if (decision.nextChange) present.reason.nextChange = *decision.nextChange;
        return present;
    }
    if (facts.computing) return training(facts);
    if (facts.delivering) {
        present.state = State::Uploading;
        present.reason.code = Reason::Code::Uploading;
        present.reason.detail = facts.deliveredRound;
        return present;
    }
    if (decision.deciding.stops && decision.deciding.rule != rules::RuleId::HasWork) {
        present.state = decision.state == rules::RunState::WaitingForIdle ? State::Waiting : State::PausedByRule;
        present.reason.code = Reason::Code::RuleStops;
        present.reason.verdict = decision.deciding;
        if (decision.nextChange) present.reason.nextChange = *decision.nextChange;
        return present;
    }
    if (facts.passing) return withTrouble(State::Waiting, *facts.passing);
    present.state = State::Waiting;
    present.reason.code = facts.preparing ? Reason::Code::StartingUp : Reason::Code::WaitingForWork;
    if (!facts.preparing) present.reason.nextChange = facts.asksAgainAt;
    return present;
}

std::string_view stateCode(State state) {
    switch (state) {
    case State::NoProject: return "no_project";
    case State::Waiting: return "waiting";
    case State::PausedByRule: return "paused_by_rule";
    case State::PausedByUser: return "paused_by_user";
    case State::Training: return "training";
    case State::Uploading: return "uploading";
    case State::NeedsAttention: return "needs_attention";
    }
    return "";
}

std::string_view reasonCode(Reason::Code code) {
    switch (code) {
    case Reason::Code::NoProject: return "no_project";
    case Reason::Code::TrainingByRules: return "training_by_rules";
    case Reason::Code::TrainingAlways: return "training_always";
    case Reason::Code::TrainingAsked: return "training_asked";
    case Reason::Code::PausedByUser: return "paused_by_user";
    case Reason::Code::RuleStops: return "rule_stops";
    case Reason::Code::WaitingForWork: return "waiting_for_work";
    case Reason::Code::WaitingForServer: return "waiting_for_server";
    case Reason::Code::Uploading: return "uploading";
    case Reason::Code::StartingUp: return "starting_up";
    case Reason::Code::WorkerFailed: return "worker_failed";
    case Reason::Code::ServerRefused: return "server_refused";
    case Reason::Code::DiskFull: return "disk_full";
    case Reason::Code::ProjectChanged: return "project_changed";
    case Reason::Code::UpdateNeeded: return "update_needed";
    }
    return "";
}

}  // namespace sunloco::agent
