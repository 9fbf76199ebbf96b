// SPDX-License-Identifier: Apache-2.0
#include "net/server/api.h"

#include "net/server/part_sink.h"

#include "net/protocol/digest_header.h"
#include "net/protocol/limits.h"
#include "net/protocol/names.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;
using protocol::Endpoint;
using protocol::ProblemCode;

namespace {

std::string_view endpointName(Endpoint endpoint) {
    switch (endpoint) {
    case Endpoint::Page: return "page";
    case Endpoint::Metrics: return "metrics";
    case Endpoint::Status: return "status";
    case Endpoint::Root:
    case Endpoint::RootVersion:
    case Endpoint::Targets:
    case Endpoint::Rounds:
    case Endpoint::Timestamp: return "metadata";
    case Endpoint::Object: return "object";
    case Endpoint::Enrol: return "enrol";
    case Endpoint::OwnContributions: return "own-contributions";
    case Endpoint::Lease: return "lease";
    case Endpoint::Heartbeat: return "heartbeat";
    case Endpoint::Release: return "release";
    case Endpoint::CreateContribution: return "create";
    case Endpoint::ContributionStatus: return "state";
    case Endpoint::PutPart: return "part";
    case Endpoint::Commit: return "commit";
    case Endpoint::Bearer: return "bearer";
    }
    return "other";
}

protocol::SignedRequest toSigned(const HttpRequest& request) {
    protocol::SignedRequest out;
    out.method = request.method;
    out.authority = request.header("host");
    std::transform(out.authority.begin(), out.authority.end(), out.authority.begin(), [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    if (constexpr std::string_view standard = ":443"; out.authority.size() > standard.size() && out.authority.compare(out.authority.size() - standard.size(), standard.size(), standard) == 0) {
        out.authority.resize(out.authority.size() - standard.size());
    }
    out.path = request.path;
    out.query = request.query;
    out.headers = request.headers;
    return out;
}

}  // namespace

Api::Api(ApiParts parts) : m_parts(std::move(parts)) {}

HttpResponse Api::unauthorized(ProblemCode code, std::string detail) const {
    HttpResponse response = problemResponse(code, std::move(detail));
    response.headers.emplace_back(std::string(protocol::kTimeHeader), std::to_string(m_parts.clock.utcNow()));
    return response;
}

HttpResponse Api::storageFailed(const Error& error) const {
    spdlog::error("storage: {}", error.text());
    switch (error.code) {
    case ErrorCode::DiskFull: return problemResponse(ProblemCode::StorageFull, "The server's disk is full; its operator must free space.", 60'000);
    case ErrorCode::Busy:
    case ErrorCode::Conflict: return problemResponse(ProblemCode::Unavailable, "The server is busy.", 1'000);
    default: return problemResponse(ProblemCode::InternalError, "The server could not read or write its data.", 10'000);
    }
}

BodyPlan Api::plan(const HttpRequest& head) {
    const auto route = protocol::parseRoute(head.path);
    if (!route) { return {problemResponse(ProblemCode::NotFound, "There is nothing at this address."), 0, nullptr}; }
    const std::string_view method = protocol::methodOf(route->endpoint);
    if (head.method != method && !(method == "GET" && head.method == "HEAD")) {
        HttpResponse response = problemResponse(ProblemCode::MethodNotAllowed, "This address takes only " + std::string(method) + ".");
        response.headers.emplace_back("Allow", std::string(method) + (method == "GET" ? ", HEAD" : ""));
        return {std::move(response), 0, nullptr};
    }
    if (method == "GET") { return {}; }
    if (route->endpoint == Endpoint::PutPart) { return planPart(*route, head); }
    // A body is read only when it can become a right request.
    if (head.header(protocol::kSignatureHeader).empty() || head.header(protocol::kSignatureInputHeader).empty()) {
        return {unauthorized(ProblemCode::BadSignature, "This request must be signed (RFC 9421)."), 0, nullptr};
    }
    const std::string_view type = head.header("content-type");
    if (type.substr(0, protocol::kJsonType.size()) != protocol::kJsonType) { return {problemResponse(ProblemCode::WrongMediaType, "The body must be application/json."), 0, nullptr}; }
    const bool large = route->endpoint == Endpoint::CreateContribution;
    return {std::nullopt, large ? protocol::kMaxContributionBytes : protocol::kMaxSmallMessageBytes, nullptr};
}

HttpResponse Api::handle(HttpRequest request, const std::shared_ptr<BodySink>& sink) {
    const auto route = protocol::parseRoute(request.path);
    if (!route) { return problemResponse(ProblemCode::NotFound, "There is nothing at this address."); }
    const core::MonotonicMs start = m_parts.clock.monotonicNow();
    HttpResponse response = dispatch(*route, request, sink);
    m_parts.metrics.request(endpointName(route->endpoint), response.status, static_cast<double>(m_parts.clock.monotonicNow() - start) / 1000.0);
    if (response.status >= 400) {
        const auto problem = protocol::Problem::parse(response.body);
        if (problem) {
            m_parts.metrics.refused(protocol::name(problem->code));
            spdlog::debug("{} {} {}: {} {}", request.address, request.method, request.path, response.status, problem->detail);
        }
    }
    return response;
}

HttpResponse Api::dispatch(const protocol::Route& route, HttpRequest& request, const std::shared_ptr<BodySink>& sink) {
    std::string device;
    if (protocol::needsSignature(route.endpoint) && route.endpoint != Endpoint::Enrol) {
        std::optional<Error> failure;
        bool blocked = false;
        const auto findKey = [&](const std::string& id) -> std::optional<protocol::PublicKey> {
            const auto row = m_parts.store.device(id);
            if (!row) {
                failure = row.error();
                return std::nullopt;
            }
            if (!*row) { return std::nullopt; }
            blocked = (*row)->blocked;
            return (*row)->key;
        };
        const auto refused = authenticate(request, findKey, device);
        if (!refused) { return storageFailed(refused.error()); }
        if (failure) { return storageFailed(*failure); }
        if (*refused) { return std::move(**refused); }
        if (blocked) { return problemResponse(ProblemCode::DeviceBlocked, "The project's operator has blocked this device."); }
    }
    switch (route.endpoint) {
    case Endpoint::Page: return page();
    case Endpoint::Metrics: return metricsText();
    case Endpoint::Status: return status();
    case Endpoint::Root: return metadataFile(protocol::Role::Root, 0);
    case Endpoint::RootVersion: return metadataFile(protocol::Role::Root, route.number);
    case Endpoint::Targets: return metadataFile(protocol::Role::Targets, 0);
    case Endpoint::Rounds: return metadataFile(protocol::Role::Rounds, 0);
    case Endpoint::Timestamp: return metadataFile(protocol::Role::Timestamp, 0);
    case Endpoint::Object: return object(route, request);
    case Endpoint::Enrol: return enrol(request);
    case Endpoint::OwnContributions: return ownContributions(device);
    case Endpoint::Lease: return lease(request, device);
    case Endpoint::Heartbeat: return heartbeat(route, request, device);
    case Endpoint::Release: return release(route, request, device);
    case Endpoint::CreateContribution: return createContribution(request, device);
    case Endpoint::ContributionStatus: return contributionStatus(route, request);
    case Endpoint::PutPart: return putPart(route, sink);
    case Endpoint::Commit: return commit(route, device);
    case Endpoint::Bearer: return freshBearer(route, device);
    }
    return problemResponse(ProblemCode::NotFound, "There is nothing at this address.");
}

Result<std::optional<HttpResponse>> Api::authenticate(const HttpRequest& request,
                                                      const std::function<std::optional<protocol::PublicKey>(const std::string&)>& findKey, std::string& device) {
    std::optional<Error> failure;
    protocol::VerifyOptions options;
    options.authority = m_parts.facts.authority;
    options.now = m_parts.clock.utcNow();
    options.findKey = findKey;
    options.useNonce = [&](const std::string& id, const std::string& nonce, core::UtcMs expires) {
        // Remembered for longer than any clock difference that is tolerated.
        const auto used = m_parts.store.useNonce(id, nonce, expires + 2 * protocol::kMaxClockSkewSeconds * 1000);
        if (!used) {
            failure = used.error();
            return false;   // fail closed
        }
        return *used;
    };
    const protocol::SignedRequest signedRequest = toSigned(request);
    const auto outcome = protocol::verifyRequest(signedRequest, options);
    if (failure) { return *failure; }
    if (!outcome) { return std::optional(unauthorized(outcome.code, outcome.detail)); }
    if (request.method != "GET" && request.method != "HEAD") {
        if (const auto body = protocol::checkBody(signedRequest, request.body); !body) { return std::optional(unauthorized(ProblemCode::BadSignature, body.error().message)); }
    }
    device = outcome.signature->deviceId;
    return std::optional<HttpResponse>();
}

Result<std::optional<HttpResponse>> Api::checkBearer(const ContributionRow& row, const HttpRequest& request) const {
    const std::string_view token = protocol::bearerToken(request.header("authorization"));
    switch (m_parts.bearers.check(token, row.id, row.device, m_parts.clock.utcNow())) {
    case BearerTokens::Check::Good: return std::optional<HttpResponse>();
    case BearerTokens::Check::Expired: return std::optional(unauthorized(ProblemCode::BearerExpired, "The bearer token has run out; ask for a fresh one."));
    case BearerTokens::Check::Invalid: break;
    }
    return std::optional(unauthorized(ProblemCode::BearerInvalid, "The bearer token is not one of this contribution."));
}

BodyPlan Api::planPart(const protocol::Route& route, const HttpRequest& head) {
    const auto refuse = [](HttpResponse response) { return BodyPlan{std::move(response), 0, nullptr}; };
    const auto row = m_parts.store.contribution(route.id);
    if (!row) { return refuse(storageFailed(row.error())); }
    if (!*row) { return refuse(problemResponse(ProblemCode::NotFound, "There is no such contribution.")); }
    const auto denied = checkBearer(**row, head);
    if (!denied) { return refuse(storageFailed(denied.error())); }
    if (*denied) { return refuse(**denied); }
    if ((*row)->state == protocol::ContributionState::Expired || (*row)->state == protocol::ContributionState::Rejected) {
        return refuse(problemResponse(ProblemCode::RoundClosed, "The round of this contribution is closed."));
    }
    const auto parts = m_parts.store.parts(route.id);
    if (!parts) { return refuse(storageFailed(parts.error())); }
    const auto part = std::find_if(parts->begin(), parts->end(), [&](const PartRow& p) { return p.info.n == route.number; });
    if (part == parts->end()) { return refuse(problemResponse(ProblemCode::NotFound, "The contribution has no such part.")); }
    const auto digest = protocol::parseContentDigest(head.header(protocol::kDigestHeader));
    if (!digest) { return refuse(problemResponse(ProblemCode::BadRequest, "Content-Digest with sha-256 is needed: " + digest.error().message)); }
    if (*digest != part->info.sha256) { return refuse(problemResponse(ProblemCode::OtherDigest, "This part was announced with another digest.")); }
    const std::string announced = std::to_string(part->info.bytes);
    if (head.header("content-length") != announced) {
        const bool larger = head.header("content-length").size() > announced.size() ||
                            (head.header("content-length").size() == announced.size() && head.header("content-length") > announced);
        return refuse(problemResponse(larger ? ProblemCode::TooLarge : ProblemCode::BadRequest, "This part was announced with " + announced + " bytes."));
    }
    BodyPlan plan;
    plan.maxBytes = static_cast<std::uint64_t>(part->info.bytes);
    if (part->stored) {
        plan.sink = std::make_shared<PartBody>(part->info, nullptr);
        return plan;
    }
    auto writer = m_parts.objects.beginWrite();
    if (!writer) { return refuse(storageFailed(writer.error())); }
    plan.sink = std::make_shared<PartBody>(part->info, std::move(*writer));
    return plan;
}

void Api::sent(const HttpRequest& request, std::uint64_t bytes) {
    m_parts.metrics.sent(bytes);
    if (request.path.rfind("/v1/", 0) == 0 && request.path != protocol::kStatusPath) { m_bytesDown.fetch_add(static_cast<std::int64_t>(bytes)); }
}

}  // namespace sunloco::server
