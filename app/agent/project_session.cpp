// SPDX-License-Identifier: Apache-2.0
// The session's own course: enrolment, metadata, leases, what the server tells. What happens to one unit is in project_session_units.cpp.
#include "app/agent/project_session.h"

#include "engine/core/files.h"
#include "net/protocol/limits.h"
#include "net/protocol/paths.h"

#include <algorithm>
#include <limits>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using core::MonotonicMs;
using protocol::ProblemCode;

constexpr MonotonicMs kNever = std::numeric_limits<MonotonicMs>::max();
constexpr MonotonicMs kMetadataEveryMs = 10 * 60'000;     // a quiet project's root, manifest and expiry
constexpr MonotonicMs kMetadataSoonMs = 1'000;            // the server speaks of a round that its metadata does not have yet
constexpr MonotonicMs kFollowMostMs = 60'000;             // who has delivered wants to see the round close
constexpr MonotonicMs kRefusedAgainMs = 15 * 60'000;      // what a person must put right first
constexpr MonotonicMs kUnknownRefusalMs = 60'000;
constexpr MonotonicMs kOutcomesFirstMs = 2'000;
constexpr MonotonicMs kOutcomesMostMs = 10 * 60'000;
constexpr MonotonicMs kStatusEveryMs = 60'000;
constexpr MonotonicMs kStatusSoonMs = 5'000;
constexpr MonotonicMs kLeaveWaitMs = 10'000;

}  // namespace

ProjectSession::ProjectSession(SessionParts parts, ProjectRow row, protocol::KeyPair key, QObject* parent)
    : QObject(parent), m_parts(parts), m_row(std::move(row)), m_key(std::move(key)), m_folder(m_parts.projectsFolder / m_row.id),
      m_client(protocol::parseLink(m_row.link).value_or(protocol::ProjectLink{}), m_parts.transfers, m_parts.retry, m_parts.clock),
      m_metadata(m_row.id, m_client, &m_parts.journal), m_base(m_folder, m_client, m_parts.files, m_parts.faults, this),
      m_delivery(m_client, [this](const std::string& note) {
          if (note.empty()) clearTrouble();
          else setTrouble(SessionTrouble::Kind::Passing, note);
      }) {
    m_client.setKey(&m_key);
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &ProjectSession::pump);
}

ProjectSession::~ProjectSession() { m_client.cancelAll(); }

core::Result<void> ProjectSession::start() {
    for (const auto& folder : {m_parts.projectsFolder, m_folder}) {
        if (auto made = core::ensurePrivateDirectory(folder); !made) return made;
    }
    if (auto restored = m_metadata.restore(); !restored && restored.error().code != ErrorCode::NotFound) {
        // The files are fetched anew; what was stored does not verify any more and is not used.
        log("the stored metadata cannot be used: " + restored.error().text());
    }
    if (auto hash = core::parseDigest(m_row.baseHash)) m_base.adopt(m_row.baseRound, *hash);
    auto units = m_parts.journal.liveUnits(m_row.id);
    if (!units) return units.error();
    for (WorkUnit& unit : *units) {
        const std::string id = unit.leaseId;
        if (unit.state == UnitState::Committed) m_deliveredRound = std::max(m_deliveredRound, unit.round);
        m_units[id].unit = std::move(unit);
        apply(id, event::Restarted{});
    }
    auto rounds = m_parts.journal.rounds(m_row.id);
    if (rounds) {
        for (const RoundRow& round : *rounds) {
            if (round.heldOutLoss) m_heldOutLoss = round.heldOutLoss;
        }
    }
    if (m_row.leaving) leave();
    pump();
    return {};
}

bool ProjectSession::online() const { return m_client.wait() == 0; }

ProjectSession::Live* ProjectSession::find(const std::string& leaseId) {
    const auto found = m_units.find(leaseId);
    return found == m_units.end() ? nullptr : &found->second;
}

const WorkUnit* ProjectSession::unit(const std::string& leaseId) const {
    const auto found = m_units.find(leaseId);
    return found == m_units.end() ? nullptr : &found->second.unit;
}

std::vector<const WorkUnit*> ProjectSession::units() const {
    std::vector<const WorkUnit*> all;
    for (const auto& [id, live] : m_units) all.push_back(&live.unit);
    return all;
}

void ProjectSession::log(const std::string& text) { Q_EMIT logLine(QString::fromStdString(m_row.name.empty() ? text : m_row.name + ": " + text)); }

core::Result<void> ProjectSession::saveRow() {
    auto saved = m_parts.journal.saveProject(m_row);
    if (!saved) localFault(saved.error());
    return saved;
}

// ---- troubles -------------------------------------------------------------------------------------------------------------------------

void ProjectSession::setTrouble(SessionTrouble::Kind kind, const std::string& text) {
    if (m_trouble.kind == kind && m_trouble.text == text) return;
    log(text);
    m_trouble = {kind, text, m_parts.clock.utcNow()};
    Q_EMIT changed();
}

void ProjectSession::clearTrouble() {
    if (m_trouble.kind == SessionTrouble::Kind::None) return;
    m_trouble = {};
    Q_EMIT changed();
}

/// Something on this PC failed: disk, journal, folder.
void ProjectSession::localFault(const Error& error) {
    setTrouble(error.code == ErrorCode::DiskFull ? SessionTrouble::Kind::DiskFull : SessionTrouble::Kind::Passing, error.text());
}

void ProjectSession::passingTrouble(const Error& error) {
    if (error.code == ErrorCode::DiskFull) localFault(error);
    else setTrouble(SessionTrouble::Kind::Passing, error.message);
}

/// A refusal that ends what was asked for, as far as it is the same for every request.
void ProjectSession::refused(const ServerReply& reply, const char* what) {
    const ProblemCode code = reply.problem ? reply.problem->code : ProblemCode::Other;
    switch (code) {
    case ProblemCode::UnknownDevice:
        m_row.deviceId.clear();   // the server has lost its list of devices (an older backup): enrol again with the same key
        (void)saveRow();
        return;
    case ProblemCode::UpgradeRequired: setTrouble(SessionTrouble::Kind::UpdateNeeded, reply.error.message); return;
    default: setTrouble(SessionTrouble::Kind::ServerRefused, std::string(what) + " was refused: " + reply.error.message); return;
    }
}

// ---- the pump -------------------------------------------------------------------------------------------------------------------------

void ProjectSession::pump() {
    if (m_pumping) {
        m_pumpAgain = true;
        return;
    }
    m_pumping = true;
    do {
        m_pumpAgain = false;
        pumpOnce();
    } while (m_pumpAgain);
    m_pumping = false;
}

void ProjectSession::wakeAt(MonotonicMs when) { m_wake = std::min(m_wake, when); }

void ProjectSession::schedule() {
    if (!online()) wakeAt(now() + m_client.wait());
    if (m_wake == kNever) {
        m_timer.stop();
        return;
    }
    constexpr MonotonicMs kShortest = 20;   // a mistake must not become a busy loop
    m_timer.start(static_cast<int>(std::clamp<MonotonicMs>(m_wake - now(), kShortest, kMetadataEveryMs)));
}

void ProjectSession::pumpOnce() {
    m_wake = kNever;
    for (auto& [id, live] : m_units) carryOut(live);
    if (m_leaving) {
        const bool told = std::none_of(m_units.begin(), m_units.end(), [](const auto& entry) { return entry.second.due.contains(UnitAction::ReleaseLease); });
        if (told || now() >= m_leaveBy) {
            m_timer.stop();
            Q_EMIT gone();
            return;
        }
        wakeAt(m_leaveBy);
        schedule();
        return;
    }
    if (online()) {
        if (m_row.deviceId.empty()) enrol();
        keepMetadata();
        keepBase();
        askForWork();
        askOutcomes();
        askStatus();
    }
    dropFinished();
    schedule();
}

void ProjectSession::permit(const std::set<std::string>& devices, bool upload) {
    if (m_devices == devices && m_uploadAllowed == upload) return;
    m_devices = devices;
    m_uploadAllowed = upload;
    pump();
}

void ProjectSession::retryNow() {
    m_leaseAt = m_metadataAt = m_metadataNotBefore = m_enrolAt = m_outcomesAt = m_statusAt = 0;
    m_quietOutcomes = 0;
    for (auto& [id, live] : m_units) live.notBefore = 0;
    pump();
}

void ProjectSession::leave() {
    m_leaving = true;
    m_leaveBy = now() + kLeaveWaitMs;
    m_row.leaving = true;
    (void)saveRow();
    std::vector<std::string> ids;
    for (const auto& [id, live] : m_units) ids.push_back(id);
    for (const std::string& id : ids) apply(id, event::UserLeft{});
    pump();
}

// ---- enrolment and metadata -----------------------------------------------------------------------------------------------------------

/// Only after the server has forgotten this device; the first enrolment is the joiner's.
void ProjectSession::enrol() {
    if (m_enrolling || now() < m_enrolAt) return wakeAt(m_enrolling ? kNever : m_enrolAt);
    m_enrolling = true;
    protocol::EnrolRequest request;
    request.publicKey = m_key.publicKey();
    request.software = m_parts.software;
    if (!m_row.invite.empty()) request.invite = m_row.invite;
    ServerCall call;
    call.method = "POST";
    call.path = std::string(protocol::kDevicesPath);
    call.body = request.serialise();
    call.signing = Signing::DeviceKey;
    m_client.send(std::move(call), [this](const ServerReply& reply) {
        m_enrolling = false;
        m_enrolAt = now() + kUnknownRefusalMs;
        if (reply.ok()) {
            auto answer = protocol::EnrolAnswer::parse(reply.response->body);
            if (answer) {
                m_row.deviceId = answer->deviceId;
                (void)saveRow();
                clearTrouble();
            } else {
                passingTrouble(answer.error());
            }
        } else if (reply.final()) {
            m_enrolAt = now() + kRefusedAgainMs;
            refused(reply, "This PC");
        } else {
            passingTrouble(reply.error);
        }
        pump();
    });
}

void ProjectSession::keepMetadata() {
    if (m_metadata.refreshing()) return;
    MonotonicMs due = m_metadata.complete() && !m_metadataWanted ? m_metadataAt : m_metadataNotBefore;
    if (m_metadata.complete() && m_deliveredRound >= m_metadata.store()->rounds()->round) due = m_metadataNotBefore;
    if (now() < due) return wakeAt(due);
    const std::int64_t roundBefore = m_metadata.complete() ? m_metadata.store()->rounds()->round : 0;
    m_metadata.refresh([this, roundBefore](const core::Result<void>& result, const transfer::RetryDecision& decision) {
        m_metadataNotBefore = now() + kMetadataSoonMs;
        m_metadataAt = now() + kMetadataEveryMs;
        if (result) {
            m_metadataWanted = false;
            if (m_trouble.kind == SessionTrouble::Kind::Passing || m_trouble.kind == SessionTrouble::Kind::ProjectChanged) clearTrouble();
            const protocol::Root& root = m_metadata.store()->root();
            if (m_row.name != root.project.name || m_row.description != root.project.description) {
                m_row.name = root.project.name;
                m_row.description = root.project.description;
                (void)saveRow();
            }
            if (m_metadata.store()->rounds()->round == roundBefore) {
                m_metadataNotBefore = now() + std::min(kFollowMostMs, kMetadataSoonMs << std::min(m_quietRounds++, 10));
            } else {
                m_quietRounds = 0;
                m_statusWanted = true;
                m_outcomesAt = std::min(m_outcomesAt, now());
                m_quietOutcomes = 0;
                const std::int64_t open = m_metadata.store()->rounds()->round;
                std::vector<std::string> old;
                for (const auto& [id, live] : m_units) {
                    if (live.unit.state == UnitState::Rejected && live.unit.round < open) old.push_back(id);
                }
                for (const std::string& id : old) apply(id, event::RoundEnded{"the round is closed"});
            }
        } else if (result.error().code == ErrorCode::SignatureInvalid || result.error().code == ErrorCode::HashMismatch) {
            // The chain of trust does not reach the server's files: nothing is trained on them, and a person should know.
            m_metadataNotBefore = now() + std::max<MonotonicMs>(decision.waitMs, kUnknownRefusalMs);
            setTrouble(SessionTrouble::Kind::ProjectChanged, result.error().text());
        } else {
            m_metadataNotBefore = now() + std::max<MonotonicMs>(decision.waitMs, kMetadataSoonMs);
            passingTrouble(result.error());
        }
        Q_EMIT changed();
        pump();
    });
}

/// The base of the open round, fetched as soon as it is published: the download overlaps whatever else is going on, and who has taken part
/// in a round holds its result. Who neither trains nor has just delivered costs the server nothing.
void ProjectSession::keepBase() {
    if (!m_metadata.complete() || m_base.busy()) return;
    const protocol::Rounds& rounds = *m_metadata.store()->rounds();
    if (m_base.hasBase(rounds.baseHash) && m_row.baseHash == rounds.baseHash.hex()) return;
    if (m_devices.empty() && m_deliveredRound + 1 < rounds.round) return;
    if (std::any_of(m_units.begin(), m_units.end(), [](const auto& entry) { return entry.second.due.contains(UnitAction::Prepare); })) return;   // that fetches it
    if (now() < m_baseNotBefore) return wakeAt(m_baseNotBefore);
    m_base.fetchBase(m_metadata.store()->targets()->manifest, rounds, [this, round = rounds.round, hash = rounds.baseHash](const core::Result<void>& result, const transfer::RetryDecision& decision) {
        if (result) {
            m_baseFailures = 0;
            holdBase(round - 1, hash);
        } else {
            if (result.error().code == ErrorCode::NotFound) m_metadataWanted = true;
            m_baseNotBefore = now() + std::max<MonotonicMs>(decision.waitMs, std::min(kRefusedAgainMs, kOutcomesFirstMs << std::min(m_baseFailures++, 10)));
            passingTrouble(result.error());
        }
        pump();
    });
}

/// This base is the one to train from; older ones go, except those of work in hand.
void ProjectSession::holdBase(std::int64_t round, const core::Digest& hash) {
    if (m_row.baseHash == hash.hex()) return;
    m_row.baseRound = round;
    m_row.baseHash = hash.hex();
    if (!saveRow()) return;
    std::vector<core::Digest> keep{hash};
    for (const auto& [id, live] : m_units) keep.push_back(live.unit.baseHash);
    m_base.removeUnused(keep);
    Q_EMIT changed();
}

// ---- leases ---------------------------------------------------------------------------------------------------------------------------

namespace {

bool beforeResult(UnitState state) { return state == UnitState::Leased || state == UnitState::Preparing || state == UnitState::Training; }

}  // namespace

bool ProjectSession::holdsWorkFor(const std::string& device) const {
    return std::any_of(m_units.begin(), m_units.end(), [&](const auto& entry) {
        const WorkUnit& unit = entry.second.unit;
        return unit.device == device && (beforeResult(unit.state) || unit.state == UnitState::Encoded || unit.state == UnitState::Creating);
    });
}

bool ProjectSession::mayHaveWork() const {
    if (m_leaving) return false;
    const bool holds = std::any_of(m_units.begin(), m_units.end(), [](const auto& entry) { return beforeResult(entry.second.unit.state); });
    return holds || (!m_noWork && m_trouble.kind == SessionTrouble::Kind::None);
}

std::optional<core::UtcMs> ProjectSession::askedAgainAt() const {
    const MonotonicMs wait = std::max(m_client.wait(), m_leaseAt - now());
    if (wait <= 0) return std::nullopt;
    return m_parts.clock.utcNow() + wait;
}

void ProjectSession::askForWork() {
    if (m_leasing || !m_metadata.complete() || m_row.deviceId.empty()) return;
    // The server gives an open lease out again, so those given back here must be given back there first.
    const bool releasing = std::any_of(m_units.begin(), m_units.end(), [](const auto& entry) { return entry.second.due.contains(UnitAction::ReleaseLease); });
    if (releasing) return;
    // Nothing is begun on files that have run out: somebody may be holding back newer ones.
    if (!m_metadata.store()->checkFresh(m_client.serverNow())) {
        m_metadataWanted = true;
        return wakeAt(m_metadataNotBefore);
    }
    for (const std::string& device : m_devices) {
        if (holdsWorkFor(device)) continue;
        if (now() < m_leaseAt) {
            wakeAt(m_leaseAt);
            return;
        }
        requestLease(device);
        return;   // one request at a time; the sequence number must arrive in order
    }
}

void ProjectSession::requestLease(const std::string& device) {
    ++m_row.sequence;
    if (!saveRow()) {
        --m_row.sequence;
        m_leaseAt = now() + kOutcomesFirstMs;
        return wakeAt(m_leaseAt);
    }
    m_leasing = true;
    protocol::LeaseRequest request;
    request.roundSeen = m_metadata.store()->rounds()->round;
    request.sequence = m_row.sequence;
    request.software = m_parts.software;
    request.tokensPerSecond = m_tokensPerSecond;
    ServerCall call;
    call.method = "POST";
    call.path = std::string(protocol::kLeasePath);
    call.body = request.serialise();
    call.signing = Signing::DeviceKey;
    m_client.send(std::move(call), [this, device](const ServerReply& reply) {
        m_leasing = false;
        if (!reply.ok()) {
            leaseRefused(reply);
        } else if (auto lease = protocol::Lease::parse(reply.response->body); lease) {
            takeLease(device, *lease);
        } else {
            m_leaseAt = now() + kUnknownRefusalMs;
            passingTrouble(lease.error());
        }
        pump();
    });
}

void ProjectSession::leaseRefused(const ServerReply& reply) {
    const ProblemCode code = reply.problem ? reply.problem->code : ProblemCode::Other;
    if (!reply.final()) {
        passingTrouble(reply.error);
        return;
    }
    m_noWork = true;
    switch (code) {
    case ProblemCode::RoundDoneForYou:
    case ProblemCode::NoDataLeft:
    case ProblemCode::RoundClosing: {
        const std::int64_t wait = reply.problem->retryAfterMs.value_or(kUnknownRefusalMs);
        m_leaseAt = now() + std::clamp<std::int64_t>(wait, 200, kRefusedAgainMs);
        clearTrouble();
        break;
    }
    default:
        m_leaseAt = now() + kRefusedAgainMs;
        if (code == ProblemCode::UnknownDevice) m_leaseAt = now();
        refused(reply, "Work for this PC");
    }
    Q_EMIT changed();
}

void ProjectSession::takeLease(const std::string& device, const protocol::Lease& lease) {
    m_noWork = false;
    clearTrouble();
    if (const Live* known = find(lease.leaseId); known != nullptr && beforeResult(known->unit.state)) return;
    auto stored = m_parts.journal.unit(lease.leaseId);
    if (!stored) {
        m_leaseAt = now() + kOutcomesFirstMs;
        localFault(stored.error());
        return;
    }
    if (*stored) {
        // A lease that is over for us: the answer that said so was lost. Tell the server again.
        m_units[lease.leaseId].unit = **stored;
        m_units[lease.leaseId].due = {UnitAction::ReleaseLease};
        m_leaseAt = now() + kOutcomesFirstMs;
        return;
    }
    WorkUnit unit;
    unit.leaseId = lease.leaseId;
    unit.projectId = m_row.id;
    unit.device = device;
    unit.round = lease.round;
    unit.baseHash = lease.baseHash;
    unit.examples = {lease.examples.first, lease.examples.count};
    unit.steps = lease.steps;
    unit.minSteps = lease.minSteps;
    unit.firstGlobalStep = lease.firstGlobalStep;
    unit.leaseExpires = lease.expiresAt;
    unit.idempotencyKey = protocol::randomId();
    unit.createdAt = m_parts.clock.utcNow();
    unit.updatedAt = unit.createdAt;
    if (auto saved = m_parts.journal.saveUnit(unit); !saved) {
        m_leaseAt = now() + kOutcomesFirstMs;   // the server gives the same lease again
        localFault(saved.error());
        return;
    }
    log("lease for round " + std::to_string(lease.round) + ": " + std::to_string(lease.steps) + " steps from example " + std::to_string(lease.examples.first));
    Live& live = m_units[unit.leaseId];
    live.unit = std::move(unit);
    live.due.insert(UnitAction::Prepare);
    Q_EMIT unitsChanged();
    Q_EMIT changed();
}

// ---- what the server tells ------------------------------------------------------------------------------------------------------------

void ProjectSession::askOutcomes() {
    const auto waiting = [this](const auto& entry) {
        const WorkUnit& unit = entry.second.unit;
        return unit.state == UnitState::Committed && m_metadata.complete() && m_metadata.store()->rounds()->round > unit.round;
    };
    if (m_askingOutcomes || std::none_of(m_units.begin(), m_units.end(), waiting)) return;
    if (now() < m_outcomesAt) return wakeAt(m_outcomesAt);
    m_askingOutcomes = true;
    ServerCall call;
    call.path = std::string(protocol::kOwnContributionsPath);
    call.signing = Signing::DeviceKey;
    call.maxBytes = protocol::kMaxAnswerBytes;
    m_client.send(std::move(call), [this](const ServerReply& reply) {
        m_askingOutcomes = false;
        m_outcomesAt = now() + std::min(kOutcomesMostMs, kOutcomesFirstMs << std::min(m_quietOutcomes, 10));
        ++m_quietOutcomes;
        if (reply.ok()) {
            if (auto own = protocol::OwnContributions::parse(reply.response->body)) takeOutcomes(*own);
            else passingTrouble(own.error());
        } else if (reply.final()) {
            refused(reply, "The list of contributions");
        }
        pump();
    });
}

void ProjectSession::takeOutcomes(const protocol::OwnContributions& own) {
    for (const protocol::OwnContribution& row : own.rows) {
        const Live* live = find(row.leaseId);
        if (live == nullptr || live->unit.contributionId != row.contributionId) continue;
        if (row.state == protocol::ContributionState::Merged) apply(row.leaseId, event::ServerMerged{row.weight});
        else if (row.state == protocol::ContributionState::Rejected) apply(row.leaseId, event::ServerRejected{"the server did not merge it"});
    }
}

void ProjectSession::askStatus() {
    if (m_askingStatus || !m_metadata.complete()) return;
    // The held-out loss of a round comes a while after its end, so the question is repeated while this PC takes part.
    const bool active = !m_devices.empty() || !m_units.empty();
    if (!m_statusWanted && !active) return;
    if (!m_statusWanted && now() < m_statusAt) return wakeAt(m_statusAt);
    m_statusWanted = false;
    m_askingStatus = true;
    ServerCall call;
    call.path = std::string(protocol::kStatusPath);
    call.maxBytes = protocol::kMaxAnswerBytes;
    m_client.send(std::move(call), [this](const ServerReply& reply) {
        m_askingStatus = false;
        m_statusAt = now() + kStatusEveryMs;
        if (reply.ok()) {
            if (auto status = protocol::StatusAnswer::parse(reply.response->body)) {
                // The loss of a round is measured after it has closed.
                if (!status->history.empty() && !status->history.back().heldOutLoss) m_statusAt = now() + kStatusSoonMs;
                takeStatus(*status);
            }
        }
        pump();
    });
}

void ProjectSession::takeStatus(const protocol::StatusAnswer& status) {
    std::vector<RoundRow> rows;
    if (status.initialHeldOutLoss) rows.push_back({0, status.initialHeldOutLoss, status.history.empty() ? status.openedAt : status.history.front().closedAt, 0, 0});
    for (const protocol::RoundHistory& round : status.history) rows.push_back({round.round, round.heldOutLoss, round.closedAt, round.contributors, round.tokens});
    if (rows.empty()) return;
    if (auto saved = m_parts.journal.saveRounds(m_row.id, rows); !saved) return localFault(saved.error());
    const auto newest = std::find_if(rows.rbegin(), rows.rend(), [](const RoundRow& row) { return row.heldOutLoss.has_value(); });
    if (newest != rows.rend()) m_heldOutLoss = newest->heldOutLoss;
    Q_EMIT roundsChanged();
    Q_EMIT changed();
}

}  // namespace sunloco::agent
