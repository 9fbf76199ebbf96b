// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/signatures.h"
#include "net/protocol/trust_store.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/net/protocol/samples.h"

namespace sunloco::fuzz {

namespace {

namespace samples = protocol::samples;
using core::Bytes;
using core::ByteView;
using protocol::TrustStore;

/// One set of signed files, made once; every input is a changed copy of one of them.
struct Site {
    std::string root = samples::rootFile(samples::root());
    std::string timestamp = samples::timestampFile(samples::timestamp());
    std::string targets = samples::targetsFile(samples::targets());
    std::string rounds = samples::roundsFile(samples::rounds());
    std::string nextRoot;
    TrustStore store = std::move(TrustStore::start(core::sha256(core::asBytes(root)), root)).value();
    Site() {
        protocol::Root next = samples::root();
        next.version = 2;
        nextRoot = samples::rootFile(next);
    }
};
const Site& site() {
    static const Site made;
    return made;
}

/// Nothing but what the keys signed is ever accepted; a refused file changes nothing.
Outcome runTrustStore(ByteView input) {
    const std::string_view file = textOf(input);
    TrustStore store = site().store;
    const protocol::TrustState before = store.state();
    if (store.setTimestamp(file, samples::kNow)) {
        require(*store.timestamp() == samples::timestamp(), "only the signed timestamp is accepted");
        return Outcome::Accepted;
    }
    require(store.state() == before, "a refused timestamp changes nothing");
    if (store.addRoot(file)) {
        require(store.root().version == 2 && store.root().keys == samples::root().keys, "only the signed root is accepted");
        return Outcome::Accepted;
    }
    require(store.state() == before, "a refused root changes nothing");
    require(store.setTimestamp(site().timestamp, samples::kNow).has_value(), "the right timestamp is accepted after wrong files");
    if (store.setTargets(file, samples::kNow)) {
        require(file == site().targets, "only the named targets are accepted");
        return Outcome::Accepted;
    }
    if (store.setRounds(file, samples::kNow)) {
        require(file == site().rounds, "only the named rounds are accepted");
        return Outcome::Accepted;
    }
    require(!store.targets() && !store.rounds(), "refused files leave nothing behind");
    return Outcome::Refused;
}

/// A stored state that something on the disk has changed.
Outcome runRestore(ByteView input) {
    protocol::TrustState state{site().root, std::string(textOf(input)), site().targets, site().rounds};
    const auto store = TrustStore::restore(site().store.linkRoot(), state);
    if (!store) { return Outcome::Refused; }
    require(!store->timestamp() ? input.empty() : *store->timestamp() == samples::timestamp(), "only the signed timestamp is restored");
    return Outcome::Accepted;
}

constexpr const char* kNonce = "mzxw6ytboi3tcmrtgq2tmnzy";

/// "METHOD path?query\nheader: value\n..." as a server hands a request to verifyRequest.
protocol::SignedRequest readRequest(std::string_view text) {
    protocol::SignedRequest request;
    request.authority = "example.org:8443";
    const auto line = [&text] {
        const auto end = text.find('\n');
        const std::string_view out = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        return out;
    };
    const std::string_view first = line();
    const auto space = first.find(' ');
    request.method = first.substr(0, space);
    const std::string_view target = space == std::string_view::npos ? std::string_view() : first.substr(space + 1);
    const auto question = target.find('?');
    request.path = target.substr(0, question);
    request.query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
    while (!text.empty()) {
        const std::string_view header = line();
        const auto colon = header.find(": ");
        if (colon != std::string_view::npos) { request.headers[std::string(header.substr(0, colon))] = header.substr(colon + 2); }
    }
    return request;
}

std::string writeRequest(const protocol::SignedRequest& request) {
    std::string out = request.method + " " + request.path + (request.query.empty() ? "" : "?" + request.query) + "\n";
    for (const auto& [header, value] : request.headers) { out += header + ": " + value + "\n"; }
    return out;
}

protocol::SignedRequest signedSample() {
    protocol::SignedRequest request{"POST", "example.org:8443", "/v1/contributions", "", {{"idempotency-key", "nbswy3dpeb3w64tmmqqq"}}};
    const auto added = protocol::signRequest(request, "{}", samples::keyOf(samples::Who::Device), samples::kNow, kNonce);
    for (const auto& [header, value] : added.value()) { request.headers[header] = value; }
    return request;
}

/// Whatever is accepted says what the device signed.
Outcome runSignedRequest(ByteView input) {
    static const protocol::PublicKey key = samples::keyOf(samples::Who::Device).publicKey();
    static const protocol::SignedRequest original = signedSample();
    const protocol::SignedRequest request = readRequest(textOf(input));
    const protocol::VerifyOptions options{"example.org:8443", samples::kNow,
                                          [](const std::string& id) { return id == protocol::deviceId(key) ? std::optional(key) : std::nullopt; },
                                          [](const std::string&, const std::string& nonce, core::UtcMs) { return nonce == kNonce; }};
    const auto outcome = protocol::verifyRequest(request, options);
    if (!outcome) { return Outcome::Refused; }
    require(request.method == original.method && request.path == original.path && request.query == original.query, "an accepted request is the one that was signed");
    require(protocol::checkBody(request, "{}").has_value() && !protocol::checkBody(request, "[]"), "an accepted request has the body that was signed");
    return Outcome::Accepted;
}

Outcome runReceipt(ByteView input) {
    static const protocol::Root root = samples::root();
    const auto envelope = protocol::Envelope::parse(textOf(input), 8 * 1024);
    const auto receipt = envelope ? protocol::verifyReceipt(*envelope, root) : core::Result<protocol::ReceiptPayload>(envelope.error());
    if (!receipt) { return Outcome::Refused; }
    require(*receipt == samples::receipt(), "only the signed receipt is accepted");
    return Outcome::Accepted;
}

}  // namespace

std::vector<Target> trustTargets() {
    const auto seed = [](std::string_view text) { return core::toBytes(text); };
    return {
        {"trust_store", {seed(site().timestamp), seed(site().nextRoot), seed(site().targets), seed(site().rounds)}, runTrustStore, 4'000},
        {"trust_restore", {seed(site().timestamp)}, runRestore, 2'000},
        {"signed_request", {seed(writeRequest(signedSample()))}, runSignedRequest},
        {"signed_receipt", {seed(samples::commitAnswer().receipt.serialise())}, runReceipt},
    };
}

}  // namespace sunloco::fuzz
