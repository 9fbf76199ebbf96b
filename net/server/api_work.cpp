// SPDX-License-Identifier: Apache-2.0
// Devices and leases.
#include "net/server/api.h"

#include "net/protocol/limits.h"
#include "net/protocol/messages.h"
#include "net/server/round_machine.h"
#include "net/server/status_builder.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace sunloco::server {

using protocol::ProblemCode;

namespace {

HttpResponse badBody(const core::Error& error) { return problemResponse(ProblemCode::BadRequest, error.text()); }

/// The part of the round's time box that a lease may fill, so that a slow device still has time to upload.
constexpr double kShareOfRound = 0.8;

}  // namespace

HttpResponse Api::enrol(const HttpRequest& request) {
    const auto ask = protocol::EnrolRequest::parse(request.body);
    if (!ask) { return badBody(ask.error()); }
    const std::string id = protocol::deviceId(ask->publicKey);
    // The key in the body signs the request: whoever enrols has the private key.
    std::string device;
    const auto refused = authenticate(request, [&](const std::string& wanted) { return wanted == id ? std::optional(ask->publicKey) : std::nullopt; }, device);
    if (!refused) { return storageFailed(refused.error()); }
    if (*refused) { return **refused; }

    EnrolAsk enrolment;
    enrolment.device.id = id;
    enrolment.device.key = ask->publicKey;
    enrolment.device.name = ask->name.value_or("");
    enrolment.device.software = ask->software;
    enrolment.device.address = request.address;
    enrolment.device.enrolledAt = m_parts.clock.utcNow();
    enrolment.requireInvite = m_parts.config.requireInvite;
    enrolment.maxPerAddressAndHour = m_parts.config.enrolmentsPerHour;
    if (ask->invite) { enrolment.inviteHash = core::sha256(core::asBytes(*ask->invite)); }
    auto outcome = m_parts.store.enrol(enrolment);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) {
        const auto wait = outcome->code == ProblemCode::TooManyRequests ? std::optional<std::int64_t>(600'000) : std::nullopt;
        return problemResponse(outcome->code, outcome->detail, wait);
    }
    const Enrolled& enrolled = *outcome->value;
    if (enrolled.device.blocked) { return problemResponse(ProblemCode::DeviceBlocked, "The project's operator has blocked this device."); }
    if (enrolled.isNew) { spdlog::info("device {} joined ({})", enrolled.device.id, protocol::name(enrolled.device.trust)); }
    protocol::EnrolAnswer answer;
    answer.deviceId = enrolled.device.id;
    answer.trust = enrolled.device.trust;
    return jsonResponse(enrolled.isNew ? 201 : 200, answer.serialise());
}

HttpResponse Api::ownContributions(const std::string& device) {
    const auto rows = m_parts.store.contributionsOf(device, protocol::kMaxOwnContributions);
    if (!rows) { return storageFailed(rows.error()); }
    protocol::OwnContributions answer;
    for (const auto& row : *rows) {
        protocol::OwnContribution own;
        own.contributionId = row.id;
        own.leaseId = row.lease;
        own.round = row.round;
        own.state = row.state;
        own.tokens = row.tokens;
        own.weight = row.weight;
        answer.rows.push_back(std::move(own));
    }
    return jsonResponse(200, answer.serialise());
}

std::int64_t Api::pollAfterMs() {
    const auto closed = m_parts.store.closedRounds();
    if (!closed) { return retryAfterMs(m_parts.facts.manifest.recipe.roundDeadlineSeconds * 1000); }
    return retryAfterMs(usualRoundMs(*closed, m_parts.facts.manifest.recipe.roundDeadlineSeconds * 1000));
}

HttpResponse Api::lease(const HttpRequest& request, const std::string& device) {
    const auto ask = protocol::LeaseRequest::parse(request.body);
    if (!ask) { return badBody(ask.error()); }
    const core::Recipe& recipe = m_parts.facts.manifest.recipe;
    LeaseAsk wanted;
    wanted.device = device;
    wanted.sequence = ask->sequence;
    wanted.batch = recipe.batchSequences;
    wanted.steps = recipe.innerSteps;
    wanted.minSteps = std::min(recipe.minInnerSteps, recipe.innerSteps);
    if (ask->tokensPerSecond && *ask->tokensPerSecond > 0) {
        // A device that cannot do all steps in time gets fewer, so that its work counts at all.
        const double fits = *ask->tokensPerSecond * static_cast<double>(recipe.roundDeadlineSeconds) * kShareOfRound /
                            static_cast<double>(recipe.batchSequences * recipe.sequenceLength);
        if (fits < static_cast<double>(wanted.steps)) { wanted.steps = std::max(wanted.minSteps, static_cast<std::int64_t>(fits)); }
    }
    wanted.leasesPerDevice = recipe.leasesPerDevice;
    wanted.epochExamples = m_parts.facts.epochExamples;
    wanted.leaseMs = recipe.leaseSeconds * 1000;
    wanted.now = m_parts.clock.utcNow();
    const auto outcome = m_parts.store.lease(wanted);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) {
        const bool waits = outcome->code == ProblemCode::RoundDoneForYou || outcome->code == ProblemCode::RoundClosing || outcome->code == ProblemCode::NoDataLeft;
        return problemResponse(outcome->code, outcome->detail, waits ? std::optional(pollAfterMs()) : std::nullopt);
    }
    const LeaseRow& row = *outcome->value;
    const auto round = m_parts.store.currentRound();
    if (!round) { return storageFailed(round.error()); }
    if (round->round != row.round) { return problemResponse(ProblemCode::RoundClosing, "The round was closed just now.", pollAfterMs()); }
    protocol::Lease answer;
    answer.leaseId = row.id;
    answer.round = row.round;
    answer.baseHash = round->baseHash;
    answer.examples = row.examples;
    answer.steps = row.steps;
    answer.minSteps = std::min(recipe.minInnerSteps, row.steps);
    answer.firstGlobalStep = round->firstGlobalStep;
    answer.seed = recipe.seed;
    answer.expiresAt = row.expiresAt;
    answer.uploadCodec = recipe.uploadCodec;
    answer.codecBlock = recipe.codecBlock;
    return jsonResponse(200, answer.serialise());
}

HttpResponse Api::heartbeat(const protocol::Route& route, const HttpRequest& request, const std::string& device) {
    const auto ask = protocol::HeartbeatRequest::parse(request.body);
    if (!ask) { return badBody(ask.error()); }
    const core::UtcMs now = m_parts.clock.utcNow();
    const auto outcome = m_parts.store.heartbeat(route.id, device, ask->steps, now, now + m_parts.facts.manifest.recipe.leaseSeconds * 1000);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) { return problemResponse(outcome->code, outcome->detail); }
    protocol::HeartbeatAnswer answer;
    answer.roundOpen = outcome->value->state != LeaseState::Closed;
    answer.expiresAt = outcome->value->expiresAt;
    return jsonResponse(200, answer.serialise());
}

HttpResponse Api::release(const protocol::Route& route, const HttpRequest& request, const std::string& device) {
    const auto ask = protocol::ReleaseRequest::parse(request.body);
    if (!ask) { return badBody(ask.error()); }
    const auto outcome = m_parts.store.release(route.id, device);
    if (!outcome) { return storageFailed(outcome.error()); }
    if (!*outcome) { return problemResponse(outcome->code, outcome->detail); }
    spdlog::info("lease {} of round {} given back: {}", route.id, outcome->value->round, ask->reason);
    return jsonResponse(200, "{}");
}

}  // namespace sunloco::server
