// SPDX-License-Identifier: Apache-2.0
#include "app/agent/unit_delivery.h"

#include "net/protocol/limits.h"
#include "net/protocol/messages.h"
#include "net/protocol/paths.h"

namespace sunloco::agent {
namespace {

using protocol::ProblemCode;

std::vector<protocol::PartInfo> partInfos(const WorkUnit& unit) {
    std::vector<protocol::PartInfo> infos;
    for (std::size_t n = 0; n < unit.parts.size(); ++n) {
        const core::PayloadPart& part = unit.parts[n].part;
        infos.push_back({static_cast<std::int64_t>(n), static_cast<std::int64_t>(part.bytes), part.sha256, part.firstElement, part.elements});
    }
    return infos;
}

}  // namespace

struct UnitDelivery::Run {
    WorkUnit unit;
    std::filesystem::path folder;
    const protocol::TrustStore* trust = nullptr;
    Report report;
    std::function<void()> idle;
};

UnitDelivery::UnitDelivery(ProjectClient& client, std::function<void(const std::string&)> note) : m_client(client), m_note(std::move(note)) {}

void UnitDelivery::end(const std::shared_ptr<Run>& run, const std::optional<UnitEvent>& event) {
    m_busy = false;
    if (event) run->report(*event);
    run->idle();
}

bool UnitDelivery::refused(const std::shared_ptr<Run>& run, const ServerReply& reply) {
    if (reply.response == nullptr || !reply.final()) {
        if (reply.final() && reply.error.code != core::ErrorCode::Cancelled) {
            // A local fault that no repetition cures (a part file is gone): the unit cannot be delivered.
            end(run, UnitEvent(event::Refused{"local", reply.error.text()}));
            return true;
        }
        m_note(reply.error.message);
        end(run, std::nullopt);
        return true;
    }
    const ProblemCode code = reply.problem ? reply.problem->code : ProblemCode::Other;
    switch (code) {
    case ProblemCode::RoundClosed:
    case ProblemCode::BaseMismatch: end(run, UnitEvent(event::RoundEnded{reply.error.message})); return true;
    case ProblemCode::LeaseExpired: end(run, UnitEvent(event::LeaseLost{reply.error.message})); return true;
    case ProblemCode::BearerExpired:
    case ProblemCode::BearerInvalid: renewBearer(run); return true;
    default: return false;
    }
}

void UnitDelivery::step(const WorkUnit& unit, const std::filesystem::path& folder, const protocol::TrustStore& trust, Report report, std::function<void()> idle) {
    if (m_busy) return;
    m_busy = true;
    auto run = std::make_shared<Run>(Run{unit, folder, &trust, std::move(report), std::move(idle)});
    switch (unit.state) {
    case UnitState::Encoded:
    case UnitState::Creating: create(run); return;
    case UnitState::Uploading:
        if (unit.bearer.empty() || unit.bearerExpires <= m_client.serverNow()) renewBearer(run);
        else putNext(run);
        return;
    case UnitState::Committing: commit(run); return;
    default: end(run, std::nullopt); return;
    }
}

void UnitDelivery::create(const std::shared_ptr<Run>& run) {
    const WorkUnit& unit = run->unit;
    protocol::ContributionRequest request;
    request.leaseId = unit.leaseId;
    request.baseHash = unit.baseHash;
    request.steps = unit.stepsDone;
    request.tokens = unit.tokens;
    request.entryLoss = unit.entryLoss;
    request.exitLoss = unit.exitLoss;
    request.deltaNorm = unit.deltaNorm;
    request.parts = partInfos(unit);
    ServerCall call;
    call.method = "POST";
    call.path = std::string(protocol::kContributionsPath);
    call.body = request.serialise();
    call.signing = Signing::DeviceKey;
    call.idempotencyKey = unit.idempotencyKey;
    m_client.send(std::move(call), [this, run](const ServerReply& reply) {
        if (!reply.ok()) {
            if (!refused(run, reply)) end(run, UnitEvent(event::Refused{"create", reply.error.message}));
            return;
        }
        auto answer = protocol::ContributionCreated::parse(reply.response->body);
        if (!answer) {
            m_note(answer.error().text());
            end(run, std::nullopt);
            return;
        }
        m_note({});
        end(run, UnitEvent(event::ContributionCreated{answer->contributionId, answer->bearer, answer->bearerExpires}));
    });
}

void UnitDelivery::renewBearer(const std::shared_ptr<Run>& run) {
    ServerCall call;
    call.method = "POST";
    call.path = protocol::bearerPath(run->unit.contributionId);
    call.body = "{}";
    call.signing = Signing::DeviceKey;
    m_client.send(std::move(call), [this, run](const ServerReply& reply) {
        if (!reply.ok()) {
            const bool bearerTrouble = reply.problem && (reply.problem->code == ProblemCode::BearerExpired || reply.problem->code == ProblemCode::BearerInvalid);
            if (bearerTrouble || !refused(run, reply)) end(run, UnitEvent(event::Refused{"bearer", reply.error.message}));
            return;
        }
        auto answer = protocol::BearerAnswer::parse(reply.response->body);
        if (!answer) {
            m_note(answer.error().text());
            end(run, std::nullopt);
            return;
        }
        run->report(UnitEvent(event::BearerRenewed{answer->bearer, answer->bearerExpires}));
        run->unit.bearer = answer->bearer;
        run->unit.bearerExpires = answer->bearerExpires;
        askMissing(run);  // after a pause the server knows better than we what it has
    });
}

void UnitDelivery::askMissing(const std::shared_ptr<Run>& run) {
    ServerCall call;
    call.path = protocol::contributionPath(run->unit.contributionId);
    call.bearer = run->unit.bearer;
    call.maxBytes = protocol::kMaxAnswerBytes;
    m_client.send(std::move(call), [this, run](const ServerReply& reply) {
        if (!reply.ok()) {
            const bool bearerTrouble = reply.problem && (reply.problem->code == ProblemCode::BearerExpired || reply.problem->code == ProblemCode::BearerInvalid);
            if (bearerTrouble) end(run, std::nullopt);
            else if (!refused(run, reply)) end(run, UnitEvent(event::Refused{"status", reply.error.message}));
            return;
        }
        auto status = protocol::ContributionStatus::parse(reply.response->body);
        if (!status) {
            m_note(status.error().text());
            end(run, std::nullopt);
            return;
        }
        if (status->receipt) {
            takeReceipt(run, *status->receipt);
            return;
        }
        if (status->state == protocol::ContributionState::Expired) {
            end(run, UnitEvent(event::RoundEnded{"the round closed before the upload was complete"}));
            return;
        }
        if (status->state == protocol::ContributionState::Rejected) {
            end(run, UnitEvent(event::Refused{status->code.value_or("rejected"), "the server rejected it: " + status->code.value_or("no reason given")}));
            return;
        }
        event::PartsMissing missing;
        for (const std::int64_t n : status->missing) missing.indices.push_back(static_cast<std::size_t>(n));
        end(run, UnitEvent(missing));
    });
}

void UnitDelivery::putNext(const std::shared_ptr<Run>& run) {
    const WorkUnit& unit = run->unit;
    std::size_t index = 0;
    while (index < unit.parts.size() && unit.parts[index].stored) ++index;
    if (index == unit.parts.size()) {
        end(run, UnitEvent(event::PartsMissing{}));
        return;
    }
    const core::PayloadPart& part = unit.parts[index].part;
    ServerCall call;
    call.method = "PUT";
    call.path = protocol::partPath(unit.contributionId, static_cast<std::int64_t>(index));
    call.bearer = unit.bearer;
    call.file = transfer::FileRange{run->folder / part.file, 0, part.bytes};
    call.fileDigest = part.sha256;
    m_client.send(std::move(call), [this, run, index](const ServerReply& reply) {
        if (!reply.ok()) {
            if (!refused(run, reply)) end(run, UnitEvent(event::Refused{"part", reply.error.message}));
            return;
        }
        m_note({});
        end(run, UnitEvent(event::PartStored{index}));
    });
}

void UnitDelivery::commit(const std::shared_ptr<Run>& run) {
    ServerCall call;
    call.method = "POST";
    call.path = protocol::commitPath(run->unit.contributionId);
    call.body = "{}";
    call.signing = Signing::DeviceKey;
    m_client.send(std::move(call), [this, run](const ServerReply& reply) {
        if (!reply.ok()) {
            if (reply.problem && reply.problem->code == ProblemCode::MissingParts) {
                renewBearer(run);
                return;
            }
            if (!refused(run, reply)) end(run, UnitEvent(event::Refused{"commit", reply.error.message}));
            return;
        }
        auto answer = protocol::CommitAnswer::parse(reply.response->body);
        if (!answer) {
            m_note(answer.error().text());
            end(run, std::nullopt);
            return;
        }
        takeReceipt(run, answer->receipt);
    });
}

/// Only a receipt with the project's own signature over exactly these parts lets the delta go.
void UnitDelivery::takeReceipt(const std::shared_ptr<Run>& run, const protocol::Envelope& envelope) {
    const WorkUnit& unit = run->unit;
    auto receipt = protocol::verifyReceipt(envelope, run->trust->root());
    if (!receipt) {
        m_note("the server's receipt is not signed by the project: " + receipt.error().message);
        end(run, std::nullopt);
        return;
    }
    if (receipt->contributionId != unit.contributionId || receipt->leaseId != unit.leaseId || receipt->partsDigest != protocol::partsDigest(partInfos(unit))) {
        m_note("the server's receipt is for another contribution");
        end(run, std::nullopt);
        return;
    }
    m_note({});
    const std::string text = envelope.serialise();
    end(run, UnitEvent(event::ReceiptVerified{text, core::sha256(core::asBytes(text)).hex()}));
}

}  // namespace sunloco::agent
