// SPDX-License-Identifier: Apache-2.0
// What a session does with one lease: prepare, hand to the worker, deliver, give back, clean up. The states are those of work_unit.h.
#include "app/agent/project_session.h"

#include "net/protocol/paths.h"

#include <algorithm>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using core::MonotonicMs;
using protocol::ProblemCode;

constexpr MonotonicMs kAgainMs = 2'000;
constexpr MonotonicMs kAgainMostMs = 15 * 60'000;
constexpr MonotonicMs kHeartbeatLeastMs = 2'000;
constexpr MonotonicMs kHeartbeatMostMs = 30'000;   // a round that closed early is noticed by then

/// Waits after local faults and bad copies grow per unit: answers of the same server that go well do not shorten them.
MonotonicMs backOff(int failures) { return std::min(kAgainMostMs, kAgainMs << std::min(failures, 12)); }

std::string describe(const WorkUnit& unit) { return "round " + std::to_string(unit.round) + ", lease " + unit.leaseId.substr(0, 8); }

}  // namespace

void ProjectSession::apply(const std::string& leaseId, const UnitEvent& event) {
    Live* live = find(leaseId);
    if (live == nullptr) return;
    const Transition step = next(live->unit, event, m_parts.clock.utcNow());
    if (!step.accepted) return;
    if (auto saved = m_parts.journal.saveUnit(step.unit); !saved) {
        // Nothing has happened as far as the journal knows; from there every step can be taken again, also without a restart.
        localFault(saved.error());
        live->notBefore = now() + backOff(live->failures++);
        for (const UnitAction action : next(live->unit, event::Restarted{}, m_parts.clock.utcNow()).actions) live->due.insert(action);
        return;
    }
    const UnitState before = live->unit.state;
    live->unit = step.unit;
    // Events end what was due before, except what must be told to the server or cleaned up.
    std::erase_if(live->due, [](UnitAction action) { return action != UnitAction::ReleaseLease && action != UnitAction::DeleteFiles; });
    for (const UnitAction action : step.actions) live->due.insert(action);
    if (before != live->unit.state) {
        live->failures = 0;
        if (live->unit.state == UnitState::Committed) m_deliveredRound = std::max(m_deliveredRound, live->unit.round);
        std::string line = describe(live->unit) + ": " + std::string(stateName(live->unit.state));
        if (live->unit.state == UnitState::Encoded) line += ", " + std::to_string(live->unit.stepsDone) + " steps, " + std::to_string(live->unit.tokens) + " tokens";
        if (live->unit.state == UnitState::Committed) line += ", receipt " + live->unit.receiptDigest.substr(0, 8) + " stored";
        if (!live->unit.problem.empty()) line += " (" + live->unit.problem + ")";
        log(line);
        Q_EMIT unitsChanged();
    }
    Q_EMIT changed();
    pump();
}

bool ProjectSession::isPreparing() const {
    return std::any_of(m_units.begin(), m_units.end(), [](const auto& entry) { return entry.second.unit.state == UnitState::Leased || entry.second.unit.state == UnitState::Preparing; });
}

bool ProjectSession::isDelivering() const {
    return std::any_of(m_units.begin(), m_units.end(), [](const auto& entry) {
        const UnitState state = entry.second.unit.state;
        return state == UnitState::Creating || state == UnitState::Uploading || state == UnitState::Committing;
    });
}

void ProjectSession::carryOut(Live& live) {
    if (live.due.contains(UnitAction::StopWorker)) live.due.erase(UnitAction::StopWorker);   // jobFor() no longer names it; the agent withdraws it
    if (live.fileWork || live.talking) return;
    if (now() < live.notBefore) return wakeAt(live.notBefore);
    if (live.due.contains(UnitAction::Prepare)) prepare(live);
    else if (live.due.contains(UnitAction::CreateContribution) || live.due.contains(UnitAction::UploadParts) || live.due.contains(UnitAction::Commit)) deliver(live);
    else if (live.due.contains(UnitAction::ReleaseLease)) release(live);
    else if (live.due.contains(UnitAction::DeleteFiles)) removeFiles(live);
    else if (live.unit.state == UnitState::Training) heartbeat(live);
}

// ---- before the training --------------------------------------------------------------------------------------------------------------

void ProjectSession::prepare(Live& live) {
    if (!m_metadata.complete()) return;   // keepMetadata() is on it
    const protocol::Targets& targets = *m_metadata.store()->targets();
    const protocol::Rounds& rounds = *m_metadata.store()->rounds();
    const std::string id = live.unit.leaseId;
    if (rounds.round > live.unit.round || (rounds.round == live.unit.round && rounds.baseHash != live.unit.baseHash)) {
        apply(id, event::RoundEnded{"round " + std::to_string(live.unit.round) + " closed before the work was done"});
        return;
    }
    if (rounds.round < live.unit.round) {
        m_metadataWanted = true;
        return;
    }
    if (live.unit.state == UnitState::Leased) {
        apply(id, event::PreparationBegan{});
        live.due.insert(UnitAction::Prepare);
        if (live.unit.state != UnitState::Preparing) return;
    }
    if (!m_base.hasBase(live.unit.baseHash) || !m_base.hasShards(targets.manifest)) {
        if (online()) fetchFor(live, targets, rounds);
        return;
    }
    const JobFolder folder(m_folder, live.unit);
    auto written = folder.write(live.unit, targets.manifest, m_base, m_parts.faults);
    if (!written) {
        localFault(written.error());
        live.notBefore = now() + backOff(live.failures++);
        return wakeAt(live.notBefore);
    }
    holdBase(live.unit.round - 1, live.unit.baseHash);
    apply(id, event::PreparationDone{});
}

/// Base first: it is what everybody waits for; shards next. One object at a time.
void ProjectSession::fetchFor(Live& live, const protocol::Targets& targets, const protocol::Rounds& rounds) {
    if (m_base.busy()) return;
    const std::string id = live.unit.leaseId;
    const auto done = [this, id](const core::Result<void>& result, const transfer::RetryDecision& decision) {
        Live* unit = find(id);
        if (result) {
            if (unit != nullptr) unit->failures = 0;
            clearTrouble();
        } else {
            passingTrouble(result.error());
            if (unit != nullptr && decision.verdict == transfer::Verdict::GiveUp && result.error().code != ErrorCode::NotFound) {
                apply(id, event::PreparationFailed{result.error()});
            } else if (unit != nullptr) {
                // NotFound: the object is named by a newer round's files only; look at the metadata again.
                if (result.error().code == ErrorCode::NotFound) m_metadataWanted = true;
                unit->notBefore = now() + std::max<MonotonicMs>(decision.waitMs, backOff(unit->failures++));
            }
        }
        pump();
    };
    if (!m_base.hasBase(live.unit.baseHash)) m_base.fetchBase(targets.manifest, rounds, done);
    else m_base.fetchShards(targets.manifest, done);
}

// ---- the worker -----------------------------------------------------------------------------------------------------------------------

std::optional<DeviceRunner::Job> ProjectSession::jobFor(const std::string& device) const {
    for (const auto& [id, live] : m_units) {
        if (live.unit.device == device && live.unit.state == UnitState::Training && live.due.contains(UnitAction::OfferToWorker)) {
            return DeviceRunner::Job{id, JobFolder(m_folder, live.unit).path().string(), 1};
        }
    }
    return std::nullopt;
}

void ProjectSession::workerProgress(const std::string& leaseId, const core::ProgressMessage& progress) {
    Live* live = find(leaseId);
    if (live == nullptr) return;
    live->unit.stepsDone = progress.step;   // for the heartbeat and the window; the journal gets it with the result
    live->computing = !progress.quiet;
    if (progress.tokensPerSecond > 0) m_tokensPerSecond = progress.tokensPerSecond;
    if (live->heartbeatAt == 0 || now() >= live->heartbeatAt) pump();
}

void ProjectSession::workerFinished(const std::string& leaseId, const core::JobResult& result) {
    Live* live = find(leaseId);
    if (live == nullptr || live->unit.state != UnitState::Training) return;
    live->due.erase(UnitAction::OfferToWorker);
    live->fileWork = true;
    const JobFolder folder(m_folder, live->unit);
    folder.promoteInnerState(live->unit);
    m_parts.files.run(
        this, [path = folder.path(), result] { return checkParts(path, result); },
        [this, leaseId, result](const core::Result<void>& checked) {
            if (Live* unit = find(leaseId)) unit->fileWork = false;
            if (checked) apply(leaseId, event::WorkerFinished{result});
            else apply(leaseId, event::WorkerCrashed{checked.error().text()});
        });
    Q_EMIT changed();
}

void ProjectSession::workerCrashed(const std::string& leaseId, const std::string& why) { apply(leaseId, event::WorkerCrashed{why}); }
void ProjectSession::workerRefused(const std::string& leaseId, const core::Error& error) { apply(leaseId, event::WorkerRefused{error}); }

/// While it computes, the server learns that the lease is alive; and the device learns that the round is over.
void ProjectSession::heartbeat(Live& live) {
    if (!live.computing || !m_metadata.complete() || !online()) return;
    const std::int64_t leaseMs = m_metadata.store()->targets()->manifest.recipe.leaseSeconds * 1000;
    const MonotonicMs every = std::clamp<MonotonicMs>(leaseMs / 4, kHeartbeatLeastMs, kHeartbeatMostMs);
    if (live.heartbeatAt == 0) live.heartbeatAt = now() + every;
    // Right after the deadline it is most likely that the round closes without us.
    const core::UtcMs untilDeadline = m_metadata.store()->rounds()->deadline - m_client.serverNow();
    if (untilDeadline > -every && untilDeadline + kHeartbeatLeastMs < live.heartbeatAt - now()) live.heartbeatAt = now() + std::max<MonotonicMs>(untilDeadline + kHeartbeatLeastMs, kHeartbeatLeastMs);
    if (now() < live.heartbeatAt) return wakeAt(live.heartbeatAt);
    live.heartbeatAt = now() + every;
    live.talking = true;
    protocol::HeartbeatRequest request;
    request.steps = live.unit.stepsDone;
    ServerCall call;
    call.method = "POST";
    call.path = protocol::heartbeatPath(live.unit.leaseId);
    call.body = request.serialise();
    call.signing = Signing::DeviceKey;
    m_client.send(std::move(call), [this, id = live.unit.leaseId](const ServerReply& reply) {
        Live* unit = find(id);
        if (unit == nullptr) return;
        unit->talking = false;
        if (reply.ok()) {
            clearTrouble();
            auto answer = protocol::HeartbeatAnswer::parse(reply.response->body);
            if (answer && !answer->roundOpen) {
                m_metadataWanted = true;
                apply(id, event::RoundEnded{"round " + std::to_string(unit->unit.round) + " closed before the work was done"});
            }
        } else if (reply.final()) {
            const ProblemCode code = reply.problem ? reply.problem->code : ProblemCode::Other;
            if (code == ProblemCode::LeaseExpired || code == ProblemCode::NotFound) apply(id, event::LeaseLost{reply.error.message});
            else refused(reply, "The sign of life");
        } else {
            passingTrouble(reply.error);
        }
        pump();
    });
}

// ---- after the training ---------------------------------------------------------------------------------------------------------------

void ProjectSession::deliver(Live& live) {
    if (!m_uploadAllowed || m_delivery.busy() || !online() || m_metadata.store() == nullptr || m_row.deviceId.empty()) return;
    const std::string id = live.unit.leaseId;
    auto reported = std::make_shared<bool>(false);
    m_delivery.step(
        live.unit, JobFolder(m_folder, live.unit).path(), *m_metadata.store(),
        [this, id, reported](const UnitEvent& event) {
            *reported = true;
            apply(id, event);
        },
        [this, id, reported] {
            // Without news the same step comes again; the host's own back-off holds besides.
            if (Live* unit = find(id); unit != nullptr && !*reported) unit->notBefore = now() + kAgainMs;
            pump();
        });
}

void ProjectSession::release(Live& live) {
    if (!online() || m_row.deviceId.empty()) return;
    live.talking = true;
    protocol::ReleaseRequest request;
    request.reason = m_leaving ? "user-left" : "worker-failed";
    ServerCall call;
    call.method = "POST";
    call.path = protocol::releasePath(live.unit.leaseId);
    call.body = request.serialise();
    call.signing = Signing::DeviceKey;
    m_client.send(std::move(call), [this, id = live.unit.leaseId](const ServerReply& reply) {
        Live* unit = find(id);
        if (unit == nullptr) return;
        unit->talking = false;
        // A refusal for good (the server has forgotten the lease) means as much as a yes.
        if (reply.ok() || reply.final()) {
            unit->due.erase(UnitAction::ReleaseLease);
            apply(id, event::ReleaseConfirmed{});
        } else {
            unit->notBefore = now() + kAgainMs;
        }
        pump();
    });
}

void ProjectSession::removeFiles(Live& live) {
    live.fileWork = true;
    m_parts.files.run(
        this, [folder = JobFolder(m_folder, live.unit), faults = m_parts.faults] { return folder.remove(faults); },
        [this, id = live.unit.leaseId](const core::Result<void>& removed) {
            Live* unit = find(id);
            if (unit == nullptr) return;
            unit->fileWork = false;
            if (removed) {
                unit->due.erase(UnitAction::DeleteFiles);
                apply(id, event::FilesGone{});
            } else {
                localFault(removed.error());
                unit->notBefore = now() + backOff(unit->failures++);
            }
            pump();
        });
}

/// Units with nothing left to do leave the memory; the journal keeps them.
void ProjectSession::dropFinished() {
    std::erase_if(m_units, [](const auto& entry) {
        const Live& live = entry.second;
        const UnitState state = live.unit.state;
        const bool over = state == UnitState::Merged || state == UnitState::Rejected || state == UnitState::Expired || state == UnitState::Abandoned;
        return over && live.unit.filesDeleted && live.due.empty() && !live.fileWork && !live.talking;
    });
}

}  // namespace sunloco::agent
