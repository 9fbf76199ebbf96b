// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"

#include <optional>
#include <variant>
#include <vector>

/// The life of a training round as a pure function: state + event + time -> state + actions. No clock, no store, no thread.
namespace sunloco::server {

struct RoundRules {
    std::int64_t quorum = 2;             ///< committed contributions that close a round
    std::int64_t minContributions = 1;   ///< below it the deadline moves instead of closing the round
    std::int64_t deadlineMs = 900'000;
    std::int64_t graceMs = 5'000;        ///< how long a full round waits for uploads that are under way
};

enum class RoundPhase {
    Open,       ///< work is given out, contributions are taken
    Closing,    ///< its contributions are fixed; the merge runs or is to run
    Halted,     ///< the operator stopped the project
    Finished,   ///< the recipe's steps are done
};

/// All that decides what happens next. It is rebuilt from the store after a restart.
struct RoundNow {
    RoundPhase phase = RoundPhase::Open;
    std::int64_t round = 1;
    core::UtcMs openedAt = 0;
    core::UtcMs deadline = 0;
    std::int64_t committed = 0;              ///< contributions with a receipt
    std::int64_t uploading = 0;              ///< announced, not yet committed
    std::optional<core::UtcMs> quorumAt;     ///< when the quorum was reached
    std::int64_t mergeFailures = 0;
    std::optional<core::UtcMs> retryMergeAt;
    bool operator==(const RoundNow&) const = default;
};

// Events.
struct CountsChanged { std::int64_t committed = 0; std::int64_t uploading = 0; };  ///< from the store, after each change and on each tick
struct Ticked {};
struct OperatorCloses {};
struct OperatorHalts {};
struct OperatorResumes {};
struct MergeDone { core::UtcMs openedAt = 0; bool finished = false; };
struct MergeFailed {};   ///< disk full and the like: tried again
struct MergeEmpty {};    ///< no contribution was sound: the round opens again
using RoundEvent = std::variant<CountsChanged, Ticked, OperatorCloses, OperatorHalts, OperatorResumes, MergeDone, MergeFailed, MergeEmpty>;

// Actions, to be done in order.
struct FixContributions {};                                  ///< closes the round in the store: no commit gets in any more
struct StartMerge {};
struct MoveDeadline { core::UtcMs deadline = 0; };           ///< and publish it
struct ReopenRound { core::UtcMs deadline = 0; };
struct RefuseOperator { const char* reason = ""; };          ///< a sentence
using RoundAction = std::variant<FixContributions, StartMerge, MoveDeadline, ReopenRound, RefuseOperator>;

struct RoundStep {
    RoundNow state;
    std::vector<RoundAction> actions;
};

RoundStep nextRound(const RoundNow& state, const RoundEvent& event, const RoundRules& rules, core::UtcMs now);

/// What a restarted server does first: a round that was closing is merged (again).
std::vector<RoundAction> resumeActions(const RoundNow& state);

/// How long a device without work should wait before it asks again: a hundredth of a round, 0.3 to 30 seconds.
std::int64_t retryAfterMs(std::int64_t usualRoundMs);

}  // namespace sunloco::server
