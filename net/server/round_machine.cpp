// SPDX-License-Identifier: Apache-2.0
#include "net/server/round_machine.h"

#include <algorithm>

namespace sunloco::server {
namespace {

constexpr std::int64_t kMergeRetryMs = 5'000;
constexpr std::int64_t kMaxMergeRetryMs = 300'000;

RoundStep close(RoundNow state) {
    state.phase = RoundPhase::Closing;
    state.quorumAt.reset();
    state.retryMergeAt.reset();
    return {state, {FixContributions{}, StartMerge{}}};
}

/// What time alone may bring: the quorum's grace is over, the deadline has passed, a failed merge is due again.
RoundStep onTime(RoundNow state, const RoundRules& rules, core::UtcMs now) {
    if (state.phase == RoundPhase::Closing) {
        if (state.retryMergeAt && now >= *state.retryMergeAt) {
            state.retryMergeAt.reset();
            return {state, {StartMerge{}}};
        }
        return {state, {}};
    }
    if (state.phase != RoundPhase::Open) { return {state, {}}; }
    if (state.committed >= rules.quorum) {
        if (!state.quorumAt) { state.quorumAt = now; }
        if (state.uploading == 0 || now >= *state.quorumAt + rules.graceMs) { return close(state); }
        return {state, {}};
    }
    state.quorumAt.reset();
    if (now < state.deadline) { return {state, {}}; }
    if (state.committed >= std::max<std::int64_t>(1, rules.minContributions)) { return close(state); }
    // From now, not from the old deadline: a server that was off for days does not run through all the missed ones.
    state.deadline = now + rules.deadlineMs;
    return {state, {MoveDeadline{state.deadline}}};
}

struct Handler {
    RoundNow state;
    const RoundRules& rules;
    core::UtcMs now;

    RoundStep operator()(const CountsChanged& event) {
        if (state.phase == RoundPhase::Open || state.phase == RoundPhase::Halted) {
            state.committed = event.committed;
            state.uploading = event.uploading;
        }
        return onTime(state, rules, now);
    }
    RoundStep operator()(const Ticked&) { return onTime(state, rules, now); }
    RoundStep operator()(const OperatorCloses&) {
        switch (state.phase) {
        case RoundPhase::Open:
        case RoundPhase::Halted:
            if (state.committed == 0) { return {state, {RefuseOperator{"Nobody has finished a contribution in this round yet, so there is nothing to merge."}}}; }
            return close(state);
        case RoundPhase::Closing: return {state, {RefuseOperator{"This round is being closed already."}}};
        case RoundPhase::Finished: return {state, {RefuseOperator{"The training is finished; no round is open."}}};
        }
        return {state, {}};
    }
    RoundStep operator()(const OperatorHalts&) {
        if (state.phase != RoundPhase::Open) { return {state, {RefuseOperator{"Only an open round can be halted."}}}; }
        state.phase = RoundPhase::Halted;
        state.quorumAt.reset();
        return {state, {}};
    }
    RoundStep operator()(const OperatorResumes&) {
        if (state.phase != RoundPhase::Halted) { return {state, {RefuseOperator{"The project is not halted."}}}; }
        state.phase = RoundPhase::Open;
        return onTime(state, rules, now);
    }
    RoundStep operator()(const MergeDone& event) {
        if (state.phase != RoundPhase::Closing) { return {state, {}}; }
        RoundNow next;
        next.phase = event.finished ? RoundPhase::Finished : RoundPhase::Open;
        next.round = state.round + 1;
        next.openedAt = event.openedAt;
        next.deadline = event.openedAt + rules.deadlineMs;
        return {next, {}};
    }
    RoundStep operator()(const MergeFailed&) {
        if (state.phase != RoundPhase::Closing) { return {state, {}}; }
        const std::int64_t wait = std::min(kMaxMergeRetryMs, kMergeRetryMs << std::min<std::int64_t>(state.mergeFailures, 6));
        ++state.mergeFailures;
        state.retryMergeAt = now + wait;
        return {state, {}};
    }
    RoundStep operator()(const MergeEmpty&) {
        if (state.phase != RoundPhase::Closing) { return {state, {}}; }
        state.phase = RoundPhase::Open;
        state.committed = 0;
        state.uploading = 0;
        state.mergeFailures = 0;
        state.deadline = now + rules.deadlineMs;
        return {state, {ReopenRound{state.deadline}}};
    }
};

}  // namespace

RoundStep nextRound(const RoundNow& state, const RoundEvent& event, const RoundRules& rules, core::UtcMs now) {
    return std::visit(Handler{state, rules, now}, event);
}

std::vector<RoundAction> resumeActions(const RoundNow& state) {
    if (state.phase == RoundPhase::Closing) { return {StartMerge{}}; }
    return {};
}

std::int64_t retryAfterMs(std::int64_t usualRoundMs) {
    constexpr std::int64_t shortest = 300;
    constexpr std::int64_t longest = 30'000;
    return std::clamp(usualRoundMs / 100, shortest, longest);
}

}  // namespace sunloco::server
