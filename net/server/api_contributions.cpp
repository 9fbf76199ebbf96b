// SPDX-License-Identifier: Apache-2.0
// Contributions: announce, upload parts, commit, receipt.
#include "net/server/api.h"

#include "engine/codec/codec.h"
#include "engine/core/files.h"
#include "net/protocol/limits.h"
#include "net/protocol/messages.h"
#include "net/protocol/names.h"
#include "net/server/part_sink.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using protocol::ContributionState;
using protocol::ProblemCode;

namespace {

HttpResponse badBody(const core::Error& error) { return problemResponse(ProblemCode::BadRequest, error.text()); }

std::vector<protocol::PartInfo> infosOf(const std::vector<PartRow>& rows) {
    std::vector<protocol::PartInfo> infos;
    infos.reserve(rows.size());
    for (const auto& row : rows) { infos.push_back(row.info); }
    return infos;
}

}  // namespace

HttpResponse Api::createContribution(const HttpRequest& request, const std::string& device) {
    const std::string_view key = request.header(protocol::kIdempotencyHeader);
    if (!protocol::isToken(key, 8, protocol::kMaxIdempotencyKeyBytes)) {
        return problemResponse(ProblemCode::BadRequest, "The header Idempotency-Key with 8 to 64 characters is needed.");
    }
    const auto ask = protocol::ContributionRequest::parse(request.body);
    if (!ask) { return badBody(ask.error()); }
    const core::Recipe& recipe = m_parts.facts.manifest.recipe;
    if (const auto parts = protocol::checkParts(ask->parts, recipe.uploadCodec, recipe.codecBlock, m_parts.facts.elements); !parts) { return badBody(parts.error()); }
    if (ask->steps < std::min(recipe.minInnerSteps, recipe.innerSteps)) {
        return problemResponse(ProblemCode::BadRequest, "A contribution counts from " + std::to_string(recipe.minInnerSteps) + " steps on.");
    }
    // Credit is for tokens that the steps really hold, never for what a device claims.
    if (ask->tokens != ask->steps * recipe.batchSequences * recipe.sequenceLength) {
        return problemResponse(ProblemCode::BadRequest, "The number of tokens does not fit the number of steps.");
    }
    std::uint64_t wanted = 0;
    for (const auto& part : ask->parts) { wanted += static_cast<std::uint64_t>(part.bytes); }
    const auto folder = m_parts.objects.pathOf({}).parent_path().parent_path();
    const std::uint64_t reserve = static_cast<std::uint64_t>(m_parts.config.minFreeMb) * 1'000'000;
    if (const auto free = core::freeDiskBytes(folder); free && *free < wanted + reserve) {
        return problemResponse(ProblemCode::StorageFull, "The server's disk is nearly full; its operator must free space.", 60'000);
    }

    ContributionAsk contribution;
    contribution.row.id = protocol::randomId();
    contribution.row.lease = ask->leaseId;
    contribution.row.device = device;
    contribution.row.idempotencyKey = std::string(key);
    contribution.row.bodyDigest = core::sha256(core::asBytes(request.body));
    contribution.row.steps = ask->steps;
    contribution.row.tokens = ask->tokens;
    contribution.row.entryLoss = ask->entryLoss;
    contribution.row.exitLoss = ask->exitLoss;
    contribution.row.deltaNorm = ask->deltaNorm;
    contribution.row.createdAt = m_parts.clock.utcNow();
    contribution.parts = ask->parts;
    contribution.baseHash = ask->baseHash;
    const auto outcome = m_parts.store.createContribution(contribution);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) { return problemResponse(outcome->code, outcome->detail); }
    const Created& created = *outcome->value;
    protocol::ContributionCreated answer;
    answer.contributionId = created.row.id;
    answer.bearerExpires = m_parts.clock.utcNow() + protocol::kBearerLifeSeconds * 1000;
    answer.bearer = m_parts.bearers.issue(created.row.id, device, answer.bearerExpires);
    if (!created.isReplay) { m_parts.roundChanged(); }
    return jsonResponse(created.isReplay ? 200 : 201, answer.serialise());
}

HttpResponse Api::putPart(const protocol::Route& route, const std::shared_ptr<BodySink>& sink) {
    auto* body = dynamic_cast<PartBody*>(sink.get());
    if (body == nullptr) { return problemResponse(ProblemCode::BadRequest, "The part has no body."); }
    if (const auto done = body->finish(); !done) {
        if (done.error().code == ErrorCode::HashMismatch) { return problemResponse(ProblemCode::DigestMismatch, "The body does not have the digest that was announced; send it again."); }
        return storageFailed(done.error());
    }
    const protocol::PartInfo& info = body->info();
    if (!body->isRepetition()) {
        m_parts.metrics.received(static_cast<std::uint64_t>(info.bytes));
        // Every value is looked at before the part counts: a NaN or a wrong range must never reach the merge.
        const auto bytes = m_parts.objects.read(info.sha256, 0, static_cast<std::uint64_t>(info.bytes));
        if (!bytes) { return storageFailed(bytes.error()); }
        std::vector<float> values(static_cast<std::size_t>(info.elements));
        if (const auto decoded = codec::decodeFragment(*bytes, info.first, values); !decoded) {
            static_cast<void>(m_parts.objects.remove(info.sha256));
            return problemResponse(ProblemCode::BadRequest, "The part is not a sound fragment: " + decoded.error().message);
        }
    }
    const auto outcome = m_parts.store.partStored(route.id, info.n, info.sha256);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) { return problemResponse(outcome->code, outcome->detail); }
    return jsonResponse(outcome->value->answer == PartAnswer::SameThere ? 200 : 201, "{}");
}

HttpResponse Api::contributionStatus(const protocol::Route& route, const HttpRequest& request) {
    const auto row = m_parts.store.contribution(route.id);
    if (!row) { return storageFailed(row.error()); }
    if (!*row) { return problemResponse(ProblemCode::NotFound, "There is no such contribution."); }
    const auto denied = checkBearer(**row, request);
    if (!denied) { return storageFailed(denied.error()); }
    if (*denied) { return **denied; }
    const auto parts = m_parts.store.parts(route.id);
    if (!parts) { return storageFailed(parts.error()); }
    protocol::ContributionStatus answer;
    answer.state = (*row)->state;
    for (const auto& part : *parts) {
        if (!part.stored) { answer.missing.push_back(part.info.n); }
    }
    if (!(*row)->receipt.empty()) {
        auto receipt = protocol::Envelope::parse((*row)->receipt, protocol::kMaxReceiptBytes);
        if (!receipt) { return storageFailed(receipt.error()); }
        answer.receipt = std::move(*receipt);
    }
    if (!(*row)->code.empty()) { answer.code = (*row)->code; }
    return jsonResponse(200, answer.serialise());
}

HttpResponse Api::commit(const protocol::Route& route, const std::string& device) {
    const auto row = m_parts.store.contribution(route.id);
    if (!row) { return storageFailed(row.error()); }
    if (!*row || (*row)->device != device) { return problemResponse(ProblemCode::NotFound, "There is no such contribution."); }
    const auto parts = m_parts.store.parts(route.id);
    if (!parts) { return storageFailed(parts.error()); }
    // A receipt promises that the bytes are here: look, do not only believe the table.
    for (const auto& part : *parts) {
        const auto size = part.stored ? m_parts.objects.size(part.info.sha256) : core::Result<std::uint64_t>(Error{ErrorCode::NotFound, {}, {}});
        if (!size || *size != static_cast<std::uint64_t>(part.info.bytes)) {
            if ((*row)->state == ContributionState::Open) { return problemResponse(ProblemCode::MissingParts, "Part " + std::to_string(part.info.n) + " is missing."); }
            if ((*row)->state == ContributionState::Complete) { return storageFailed({ErrorCode::InvalidData, "a stored part has vanished", part.info.sha256.hex()}); }
            break;
        }
    }
    const core::UtcMs now = m_parts.clock.utcNow();
    protocol::ReceiptPayload payload;
    payload.contributionId = (*row)->id;
    payload.deviceId = device;
    payload.leaseId = (*row)->lease;
    payload.round = (*row)->round;
    payload.steps = (*row)->steps;
    payload.tokens = (*row)->tokens;
    payload.partsDigest = protocol::partsDigest(infosOf(*parts));
    payload.acceptedAt = now;
    const std::string fresh = protocol::signReceipt(payload, m_parts.signer.roundsKey()).serialise();
    const auto outcome = m_parts.store.commit(route.id, device, fresh, now);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) { return problemResponse(outcome->code, outcome->detail); }
    const Committed& committed = *outcome->value;
    auto receipt = protocol::Envelope::parse(committed.row.receipt, protocol::kMaxReceiptBytes);
    if (!receipt) { return storageFailed(receipt.error()); }
    if (!committed.isReplay) {
        m_parts.metrics.committed();
        spdlog::info("round {}: contribution {} of device {}: {} steps, {} tokens, loss {:.3f} -> {:.3f}", committed.row.round, committed.row.id, device, committed.row.steps,
                     committed.row.tokens, committed.row.entryLoss, committed.row.exitLoss);
        m_parts.roundChanged();
    }
    protocol::CommitAnswer answer;
    answer.state = committed.row.state;
    answer.receipt = std::move(*receipt);
    return jsonResponse(200, answer.serialise());
}

HttpResponse Api::freshBearer(const protocol::Route& route, const std::string& device) {
    const auto row = m_parts.store.contribution(route.id);
    if (!row) { return storageFailed(row.error()); }
    if (!*row || (*row)->device != device) { return problemResponse(ProblemCode::NotFound, "There is no such contribution."); }
    protocol::BearerAnswer answer;
    answer.bearerExpires = m_parts.clock.utcNow() + protocol::kBearerLifeSeconds * 1000;
    answer.bearer = m_parts.bearers.issue(route.id, device, answer.bearerExpires);
    return jsonResponse(200, answer.serialise());
}

}  // namespace sunloco::server
