// SPDX-License-Identifier: Apache-2.0
#include "volunteer.h"

#include "engine/codec/codec.h"
#include "net/protocol/digest_header.h"
#include "net/protocol/paths.h"

#include <cmath>
#include <random>

namespace sunloco::test {

namespace {

protocol::KeyPair newKey() {
    auto key = protocol::KeyPair::generate();
    return std::move(*key);
}

}  // namespace

Volunteer::Volunteer(std::uint16_t port, std::string authority, const core::Clock& clock)
    : m_port(port), m_authority(std::move(authority)), m_clock(clock), m_key(newKey()) {}

std::string Volunteer::signedText(const std::string& method, const std::string& path, const std::string& body, const Tweaks& tweaks) {
    protocol::SignedRequest signedRequest;
    signedRequest.method = method;
    signedRequest.authority = tweaks.authority.empty() ? m_authority : tweaks.authority;
    signedRequest.path = path;
    if (!tweaks.idempotencyKey.empty()) { signedRequest.headers["idempotency-key"] = tweaks.idempotencyKey; }
    const auto headers = protocol::signRequest(signedRequest, body, m_key, m_clock.utcNow() + tweaks.clockOffsetMs, tweaks.nonce.empty() ? protocol::randomId() : tweaks.nonce);
    if (!headers) { return {}; }
    std::string text = method + " " + path + " HTTP/1.1\r\nHost: " + m_authority + "\r\nConnection: close\r\n";
    if (method != "GET") { text += "Content-Type: application/json\r\n"; }
    if (!tweaks.idempotencyKey.empty()) { text += "Idempotency-Key: " + tweaks.idempotencyKey + "\r\n"; }
    for (const auto& [name, value] : *headers) {
        std::string shown = value;
        if (tweaks.corruptSignature && name == "signature") {
            char& letter = shown[shown.find(':') + 5];
            letter = letter == 'A' ? 'B' : 'A';
        }
        text += name + ": " + shown + "\r\n";
    }
    return text + "\r\n" + body;
}

std::optional<Answer> Volunteer::call(const std::string& method, const std::string& path, const std::string& body, const Tweaks& tweaks) {
    TlsClient client(m_port);
    if (!client.send(signedText(method, path, body, tweaks))) { return std::nullopt; }
    return client.read();
}

std::optional<Answer> Volunteer::enrol(std::optional<std::string> invite) {
    protocol::EnrolRequest ask;
    ask.publicKey = m_key.publicKey();
    ask.invite = std::move(invite);
    ask.software = "test/1.0";
    return call("POST", "/v1/devices", ask.serialise());
}

std::optional<Answer> Volunteer::askLease() {
    protocol::LeaseRequest ask;
    ask.sequence = ++m_sequence;
    ask.software = "test/1.0";
    const auto answer = call("POST", "/v1/tasks/lease", ask.serialise());
    if (answer && answer->status == 200) {
        const auto parsed = protocol::Lease::parse(answer->body);
        if (parsed) { lease = *parsed; }
    }
    return answer;
}

std::optional<Answer> Volunteer::heartbeat(const std::string& id, std::int64_t steps) {
    protocol::HeartbeatRequest ask;
    ask.steps = steps;
    return call("POST", "/v1/leases/" + id + "/heartbeat", ask.serialise());
}

void Volunteer::makeParts(const protocol::Lease& work, std::int64_t elements, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> delta(static_cast<std::size_t>(elements));
    double norm = 0;
    for (float& value : delta) {
        value = (static_cast<float>(random() % 20'001) - 10'000.0F) * 1e-7F;
        norm += static_cast<double>(value) * static_cast<double>(value);
    }
    request = {};
    parts.clear();
    request.leaseId = work.leaseId;
    request.baseHash = work.baseHash;
    request.steps = work.steps;
    request.tokens = work.steps * 2 * 16;
    request.entryLoss = 5.5;
    request.exitLoss = 5.25;
    request.deltaNorm = std::sqrt(norm);
    const auto plan = protocol::planParts(work.uploadCodec, work.codecBlock, elements);
    for (const auto& part : plan) {
        const std::span<const float> values(delta.data() + part.first, static_cast<std::size_t>(part.elements));
        const auto bytes = codec::encodeFragment(work.uploadCodec, static_cast<int>(work.codecBlock), values, part.first);
        parts.push_back(core::toText(*bytes));
        request.parts.push_back({part.n, static_cast<std::int64_t>(bytes->size()), core::sha256(*bytes), part.first, part.elements});
    }
}

std::optional<Answer> Volunteer::create(const std::string& key) {
    Tweaks tweaks;
    tweaks.idempotencyKey = key;
    const auto answer = call("POST", "/v1/contributions", request.serialise(), tweaks);
    if (answer && (answer->status == 201 || answer->status == 200)) {
        const auto created = protocol::ContributionCreated::parse(answer->body);
        if (created) {
            contribution = created->contributionId;
            bearer = created->bearer;
        }
    }
    return answer;
}

std::optional<Answer> Volunteer::putPart(std::size_t n) { return putBytes(n, parts.at(n), bearer); }

std::optional<Answer> Volunteer::putBytes(std::size_t n, const std::string& bytes, const std::string& token) {
    return test::request(m_port, "PUT", protocol::partPath(contribution, static_cast<std::int64_t>(n)),
                         "Authorization: Bearer " + token + "\r\nContent-Type: application/octet-stream\r\nContent-Digest: " +
                             protocol::formatContentDigest(request.parts.at(n).sha256) + "\r\n",
                         bytes);
}

std::optional<Answer> Volunteer::state() { return test::request(m_port, "GET", "/v1/contributions/" + contribution, "Authorization: Bearer " + bearer + "\r\n"); }

bool Volunteer::doOneRound(std::int64_t elements, unsigned seed) {
    if (statusOf(askLease()) != 200) { return false; }
    makeParts(lease, elements, seed);
    if (statusOf(create(protocol::randomId())) != 201) { return false; }
    for (std::size_t n = 0; n < parts.size(); ++n) {
        if (statusOf(putPart(n)) != 201) { return false; }
    }
    const auto answer = commit();
    if (statusOf(answer) != 200) { return false; }
    const auto parsed = protocol::CommitAnswer::parse(answer->body);
    if (!parsed) { return false; }
    committed = *parsed;
    return true;
}

std::string codeOf(const std::optional<Answer>& answer) {
    if (!answer) { return "no answer"; }
    const auto problem = protocol::Problem::parse(answer->body);
    return problem ? std::string(protocol::name(problem->code)) : std::string();
}

int statusOf(const std::optional<Answer>& answer) { return answer ? answer->status : 0; }

}  // namespace sunloco::test
