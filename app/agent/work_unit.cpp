// SPDX-License-Identifier: Apache-2.0
#include "app/agent/work_unit.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sunloco::agent {
namespace {

constexpr std::array<std::pair<UnitState, std::string_view>, 12> kNames{{
    {UnitState::Leased, "leased"},         {UnitState::Preparing, "preparing"},   {UnitState::Training, "training"},   {UnitState::Encoded, "encoded"},
    {UnitState::Creating, "creating"},     {UnitState::Uploading, "uploading"},   {UnitState::Committing, "committing"}, {UnitState::Committed, "committed"},
    {UnitState::Merged, "merged"},         {UnitState::Rejected, "rejected"},     {UnitState::Expired, "expired"},     {UnitState::Abandoned, "abandoned"},
}};

bool beforeResult(UnitState s) { return s == UnitState::Leased || s == UnitState::Preparing || s == UnitState::Training; }
bool delivering(UnitState s) {
    return s == UnitState::Encoded || s == UnitState::Creating || s == UnitState::Uploading || s == UnitState::Committing;
}
bool allStored(const WorkUnit& unit) {
    return std::all_of(unit.parts.begin(), unit.parts.end(), [](const UnitPart& part) { return part.stored; });
}

/// Collects the outcome; one method per event.
struct Step {
    Transition t;
    core::UtcMs now;

    WorkUnit& unit() { return t.unit; }
    UnitState state() const { return t.unit.state; }

    void go(UnitState to, std::initializer_list<UnitAction> actions) {
        t.unit.state = to;
        keep(actions);
    }
    void keep(std::initializer_list<UnitAction> actions) {
        t.unit.updatedAt = now;
        t.actions = actions;
        t.accepted = true;
    }
    void giveBack(std::string why) {
        unit().problem = std::move(why);
        go(UnitState::Abandoned, {UnitAction::StopWorker, UnitAction::ReleaseLease, UnitAction::DeleteFiles});
    }

    void on(const event::Restarted&) {
        switch (state()) {
        // Half-done states are redone from their last safe point; every step can be repeated.
        case UnitState::Leased:
        case UnitState::Preparing: go(UnitState::Leased, {UnitAction::Prepare}); break;
        case UnitState::Training: keep({UnitAction::Prepare}); break;   // the base or a shard may have gone since
        case UnitState::Encoded:
        case UnitState::Creating: go(UnitState::Creating, {UnitAction::CreateContribution}); break;
        case UnitState::Uploading: keep({UnitAction::UploadParts}); break;
        case UnitState::Committing: keep({UnitAction::Commit}); break;
        case UnitState::Committed:
        case UnitState::Merged:
        case UnitState::Expired:
            if (!unit().filesDeleted) keep({UnitAction::DeleteFiles});
            break;
        case UnitState::Rejected: break;   // its delta stays until the round's end
        case UnitState::Abandoned:
            if (!unit().releaseTold && !unit().filesDeleted) keep({UnitAction::ReleaseLease, UnitAction::DeleteFiles});
            else if (!unit().releaseTold) keep({UnitAction::ReleaseLease});
            else if (!unit().filesDeleted) keep({UnitAction::DeleteFiles});
            break;
        }
    }
    void on(const event::PreparationBegan&) {
        if (state() == UnitState::Leased) go(UnitState::Preparing, {});
    }
    void on(const event::PreparationDone&) {
        if (beforeResult(state())) go(UnitState::Training, {UnitAction::OfferToWorker});
    }
    void on(const event::PreparationFailed& e) {
        if (beforeResult(state())) giveBack(e.error.text());
    }
    void on(const event::WorkerFinished& e) {
        if (state() != UnitState::Training) return;
        const core::JobResult& r = e.result;
        if (r.stepsDone < std::max<std::int64_t>(1, unit().minSteps)) {
            giveBack("the worker ended after " + std::to_string(r.stepsDone) + " steps; a contribution needs at least " + std::to_string(unit().minSteps));
            return;
        }
        unit().stepsDone = r.stepsDone;
        unit().tokens = r.tokens;
        unit().entryLoss = r.entryLoss;
        unit().exitLoss = r.exitLoss;
        unit().deltaNorm = r.deltaNorm;
        unit().activeSeconds = r.activeSeconds;
        unit().parts.clear();
        for (const core::PayloadPart& part : r.parts) unit().parts.push_back({part, false});
        unit().finishedAt = now;
        unit().problem.clear();
        go(UnitState::Encoded, {UnitAction::CreateContribution});
    }
    void on(const event::WorkerCrashed& e) {
        if (state() != UnitState::Training) return;
        ++unit().crashes;
        if (unit().crashes >= kMostCrashes) {
            giveBack("the worker died " + std::to_string(unit().crashes) + " times on this work: " + e.why);
            return;
        }
        unit().problem = e.why;
        keep({UnitAction::OfferToWorker});
    }
    void on(const event::WorkerRefused& e) {
        if (state() == UnitState::Training) giveBack(e.error.text());
    }
    void on(const event::ContributionCreated& e) {
        if (state() != UnitState::Encoded && state() != UnitState::Creating) return;
        unit().contributionId = e.id;
        unit().bearer = e.bearer;
        unit().bearerExpires = e.bearerExpires;
        unit().problem.clear();
        if (allStored(unit())) go(UnitState::Committing, {UnitAction::Commit});
        else go(UnitState::Uploading, {UnitAction::UploadParts});
    }
    void on(const event::BearerRenewed& e) {
        if (state() != UnitState::Uploading) return;
        unit().bearer = e.bearer;
        unit().bearerExpires = e.expires;
        keep({UnitAction::UploadParts});
    }
    void on(const event::PartStored& e) {
        if (state() != UnitState::Uploading || e.index >= unit().parts.size()) return;
        unit().parts[e.index].stored = true;
        if (allStored(unit())) go(UnitState::Committing, {UnitAction::Commit});
        else keep({UnitAction::UploadParts});
    }
    void on(const event::PartsMissing& e) {
        if (state() != UnitState::Uploading && state() != UnitState::Committing) return;
        for (UnitPart& part : unit().parts) part.stored = true;
        for (const std::size_t index : e.indices) {
            if (index < unit().parts.size()) unit().parts[index].stored = false;
        }
        if (allStored(unit())) go(UnitState::Committing, {UnitAction::Commit});
        else go(UnitState::Uploading, {UnitAction::UploadParts});
    }
    void on(const event::ReceiptVerified& e) {
        if (!delivering(state())) return;
        unit().receipt = e.envelope;
        unit().receiptDigest = e.digest;
        unit().problem.clear();
        // Only now, with the receipt in the journal, may the delta go.
        go(UnitState::Committed, {UnitAction::DeleteFiles});
    }
    void on(const event::Refused& e) {
        if (beforeResult(state())) {
            unit().problem = e.reason;
            unit().releaseTold = true;
            go(UnitState::Abandoned, {UnitAction::StopWorker, UnitAction::DeleteFiles});
        } else if (delivering(state())) {
            unit().problem = e.reason;
            go(UnitState::Rejected, {});
        }
    }
    void on(const event::RoundEnded& e) {
        if (beforeResult(state()) || delivering(state())) {
            unit().problem = e.reason;
            unit().releaseTold = true;
            go(UnitState::Expired, {UnitAction::StopWorker, UnitAction::DeleteFiles});
        } else if (state() == UnitState::Rejected && !unit().filesDeleted) {
            keep({UnitAction::DeleteFiles});
        }
    }
    void on(const event::LeaseLost& e) {
        if (beforeResult(state())) {
            unit().problem = e.reason;
            unit().releaseTold = true;
            go(UnitState::Expired, {UnitAction::StopWorker, UnitAction::DeleteFiles});
        } else if (delivering(state())) {
            // The delta is finished work: it stays until the round ends, in case an operator finds the lease again.
            unit().problem = e.reason;
            go(UnitState::Rejected, {});
        }
    }
    void on(const event::ServerMerged& e) {
        if (state() != UnitState::Committed && state() != UnitState::Merged) return;
        if (state() == UnitState::Merged && unit().weight == e.weight) return;
        unit().weight = e.weight;
        go(UnitState::Merged, {});
    }
    void on(const event::ServerRejected& e) {
        if (state() != UnitState::Committed) return;
        unit().problem = e.reason;
        go(UnitState::Rejected, {});
    }
    void on(const event::ReleaseConfirmed&) {
        if (state() != UnitState::Abandoned || unit().releaseTold) return;
        unit().releaseTold = true;
        keep({});
    }
    void on(const event::FilesGone&) {
        if (!isFinal(state()) || unit().filesDeleted) return;
        unit().filesDeleted = true;
        keep({});
    }
    void on(const event::UserLeft&) {
        if (beforeResult(state()) || delivering(state())) giveBack("you left the project");
        else if (!unit().filesDeleted) keep({UnitAction::DeleteFiles});
    }
};

}  // namespace

std::string_view stateName(UnitState state) {
    for (const auto& [value, name] : kNames) {
        if (value == state) return name;
    }
    return "leased";
}

std::optional<UnitState> stateFromName(std::string_view name) {
    for (const auto& [value, text] : kNames) {
        if (text == name) return value;
    }
    return std::nullopt;
}

bool isFinal(UnitState state) {
    return state == UnitState::Committed || state == UnitState::Merged || state == UnitState::Rejected || state == UnitState::Expired || state == UnitState::Abandoned;
}

Transition next(const WorkUnit& unit, const UnitEvent& event, core::UtcMs now) {
    Step step{Transition{unit, {}, false}, now};
    std::visit([&step](const auto& e) { step.on(e); }, event);
    return std::move(step.t);
}

}  // namespace sunloco::agent
