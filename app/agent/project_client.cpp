// SPDX-License-Identifier: Apache-2.0
#include "app/agent/project_client.h"

#include "net/protocol/digest_header.h"
#include "net/protocol/limits.h"
#include "net/protocol/paths.h"
#include "net/protocol/signatures.h"

#include <charconv>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;

std::optional<std::int64_t> serverTime(const transfer::Response& response) {
    const auto found = response.headers.find(std::string(protocol::kTimeHeader));
    if (found == response.headers.end()) return std::nullopt;
    std::int64_t value = 0;
    const std::string& text = found->second;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value <= 0 || value > protocol::kMaxUtcMs) return std::nullopt;
    return value;
}

}  // namespace

ProjectClient::ProjectClient(protocol::ProjectLink link, transfer::Transfers& transfers, transfer::RetryPolicy& retry, const core::Clock& clock)
    : m_link(std::move(link)), m_host(transfer::hostOf(m_link.origin())), m_transfers(transfers), m_retry(retry), m_clock(clock) {}

ProjectClient::~ProjectClient() { cancelAll(); }

void ProjectClient::cancelAll() {
    for (const transfer::RequestId id : m_running) m_transfers.cancel(id);
    m_running.clear();
}

core::Result<transfer::Request> ProjectClient::makeRequest(const ServerCall& call) const {
    transfer::Request request;
    request.method = call.method;
    request.url = m_link.origin() + call.path;
    request.body = call.body;
    request.file = call.file;
    request.target = call.target;
    request.maxBytes = call.maxBytes;
    if (m_link.pin) request.trust.pinBase64 = core::toBase64(m_link.pin->bytes);
    if (!call.target) request.expectedType = std::string(protocol::kJsonType);
    if (call.file && call.fileDigest) {
        request.headers.emplace_back(protocol::kDigestHeader, protocol::formatContentDigest(*call.fileDigest));
        request.headers.emplace_back("content-type", protocol::kBytesType);
    } else if (call.method != "GET") {
        request.headers.emplace_back("content-type", protocol::kJsonType);
    }
    if (!call.bearer.empty()) request.headers.emplace_back("authorization", "Bearer " + call.bearer);
    if (!call.idempotencyKey.empty()) request.headers.emplace_back(protocol::kIdempotencyHeader, call.idempotencyKey);
    if (call.signing == Signing::DeviceKey) {
        if (m_key == nullptr) return Error{ErrorCode::Internal, "a signed request without a device key", call.path};
        protocol::SignedRequest toSign;
        toSign.method = call.method;
        toSign.authority = m_link.authority();
        toSign.path = call.path;
        if (!call.idempotencyKey.empty()) toSign.headers[std::string(protocol::kIdempotencyHeader)] = call.idempotencyKey;
        auto headers = protocol::signRequest(std::move(toSign), call.body, *m_key, serverNow(), protocol::randomId());
        if (!headers) return headers.error();
        for (auto& [name, value] : *headers) {
            if (name != "content-length") request.headers.emplace_back(name, value);  // curl writes that one, with the same number
        }
    }
    return request;
}

void ProjectClient::send(ServerCall call, Done done) { start(std::make_shared<ServerCall>(std::move(call)), std::move(done), Attempt::First); }

void ProjectClient::start(std::shared_ptr<ServerCall> call, Done done, Attempt attempt) {
    auto request = makeRequest(*call);
    if (!request) {
        ServerReply reply;
        reply.error = request.error();
        reply.decision.verdict = transfer::Verdict::GiveUp;
        done(reply);
        return;
    }
    auto id = std::make_shared<transfer::RequestId>(0);
    *id = m_transfers.start(std::move(*request), [this, id, call = std::move(call), done = std::move(done), attempt](const transfer::Outcome& outcome) {
        m_running.erase(*id);
        finished(call, done, attempt, outcome);
    });
    m_running.insert(*id);
}

void ProjectClient::finished(const std::shared_ptr<ServerCall>& call, const Done& done, Attempt attempt, const transfer::Outcome& outcome) {
    ServerReply reply;
    reply.decision = m_retry.decide(m_host, outcome);
    if (outcome.response) {
        m_reachable = true;
        const transfer::Response& response = *outcome.response;
        reply.response = &response;
        if (!response.ok()) {
            auto parsed = protocol::Problem::parse(response.body);
            reply.problem = parsed ? std::move(*parsed) : protocol::Problem{};
            reply.problem->status = response.status;
            reply.error = reply.problem->toError(m_link.authority() + call->path);
        }
        if (response.status == 401) {
            if (const auto theirs = serverTime(response)) m_clockOffset = *theirs - m_clock.utcNow();
        }
    } else {
        const bool ownFault = outcome.failure->error.code == ErrorCode::Io || outcome.failure->error.code == ErrorCode::DiskFull;
        if (!ownFault) m_reachable = false;
        reply.error = outcome.failure->error;
    }
    if (reply.decision.verdict == transfer::Verdict::ResignNow) {
        if (attempt == Attempt::First) {
            start(call, done, Attempt::Resigned);
            return;
        }
        reply.decision.verdict = transfer::Verdict::Retry;
    }
    done(reply);
}

}  // namespace sunloco::agent
