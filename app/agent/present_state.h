// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"

namespace sunloco::agent {

/// What must be known to say in which state the agent is.
struct PresentFacts {
    const rules::Decision* decision = nullptr;
    bool hasProject = false;
    bool computing = false;                      ///< a worker trains
    bool preparing = false;                      ///< files are fetched, or the worker loads them
    bool delivering = false;                     ///< an upload is under way
    bool modeAlways = false;
    /// The gravest trouble that needs a person, else a passing one; none when all is well.
    struct Trouble {
        Reason::Code code = Reason::Code::WaitingForServer;
        QString text;
        std::optional<qint64> since;
        std::optional<qint64> nextTry;
    };
    std::optional<Trouble> grave;
    std::optional<Trouble> passing;
    std::optional<qint64> asksAgainAt;
    std::optional<qint64> overrideEnds;          ///< of "run now"
    QString deliveredRound;
};

struct Present {
    State state = State::NoProject;
    Reason reason;
};

/// Attention > paused by you > training > uploading > paused by rule > waiting (look.md section 7). Pure.
Present presentState(const PresentFacts& facts);

/// "training", "paused_by_rule", …: for JSON and logs.
std::string_view stateCode(State state);
/// "training_by_rules", "rule_stops", …
std::string_view reasonCode(Reason::Code code);

}  // namespace sunloco::agent
