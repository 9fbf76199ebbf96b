// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/signatures.h"

#include "net/protocol/digest_header.h"
#include "net/protocol/limits.h"
#include "net/protocol/names.h"
#include "net/protocol/paths.h"

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) { return {}; }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool hasBody(const SignedRequest& request) { return request.method != "GET" && request.method != "HEAD"; }

core::Result<std::string> componentValue(const SignedRequest& request, const std::string& component) {
    // RFC 9421 section 2.2
    if (component == "@method") { return request.method; }
    if (component == "@authority") { return request.authority; }
    if (component == "@path") { return request.path.empty() ? std::string("/") : request.path; }
    if (component == "@query") { return "?" + request.query; }
    if (!component.empty() && component.front() == '@') { return Error{ErrorCode::Unsupported, "The component \"" + component + "\" is not part of the profile", {}}; }
    // Section 2.1
    const auto header = request.headers.find(component);
    if (header == request.headers.end()) { return Error{ErrorCode::InvalidData, "The signed header \"" + component + "\" is not there", {}}; }
    return std::string(trimmed(header->second));
}

std::string serialiseParams(const std::vector<std::string>& components, std::int64_t created, std::int64_t expires, std::string_view nonce, const std::string& keyid) {
    std::string out = "(";
    for (const auto& component : components) { out += (out.size() > 1 ? " \"" : "\"") + component + "\""; }
    out += ");created=" + std::to_string(created) + ";expires=" + std::to_string(expires) + ";nonce=\"" + std::string(nonce) + "\";keyid=\"" + keyid +
           "\";alg=\"ed25519\";tag=\"" + std::string(kSignatureTag) + "\"";
    return out;
}

VerifyOutcome refuse(ProblemCode code, std::string detail) {
    VerifyOutcome outcome;
    outcome.code = code;
    outcome.detail = std::move(detail);
    return outcome;
}

/// Times against the server's clock. `created` and `expires` have at most 15 digits, so their products with 1000 fit.
std::optional<VerifyOutcome> checkTimes(const SignatureInput& input, core::UtcMs now) {
    const std::int64_t created = *input.created;
    const std::int64_t expires = *input.expires;
    if (expires <= created || expires - created > kMaxSignatureLifeSeconds) { return refuse(ProblemCode::BadSignature, "A signature may live for 1 to 600 seconds."); }
    const std::int64_t skew = now - created * 1000;
    if (skew > kMaxClockSkewSeconds * 1000 || skew < -kMaxClockSkewSeconds * 1000) {
        return refuse(ProblemCode::ClockSkew, "The clock of the sender differs from the server's by " + std::to_string((skew < 0 ? -skew : skew) / 1000) + " seconds.");
    }
    if (now > expires * 1000) { return refuse(ProblemCode::ClockSkew, "The signature has expired."); }
    return {};
}

}  // namespace

// RFC 9421 section 2.5
core::Result<std::string> signatureBase(const SignedRequest& request, const std::vector<std::string>& components, std::string_view params) {
    std::string base;
    for (const auto& component : components) {
        auto value = componentValue(request, component);
        if (!value) { return value.error(); }
        if (value->find_first_of("\r\n") != std::string::npos) { return Error{ErrorCode::InvalidData, "A signed value has a line break", component}; }
        base += "\"" + component + "\": " + *value + "\n";
    }
    base += "\"@signature-params\": " + std::string(params);
    return base;
}

std::vector<std::string> requiredComponents(const SignedRequest& request) {
    std::vector<std::string> components{"@method", "@authority", "@path", "@query"};
    if (hasBody(request)) {
        components.emplace_back(kDigestHeader);
        components.emplace_back("content-length");
    }
    if (request.headers.count(std::string(kIdempotencyHeader)) != 0) { components.emplace_back(kIdempotencyHeader); }
    return components;
}

core::Result<std::vector<std::pair<std::string, std::string>>> signRequest(SignedRequest request, std::string_view body, const KeyPair& key, core::UtcMs now,
                                                                           std::string_view nonce) {
    if (!isToken(nonce, kMinNonceBytes, kMaxNonceBytes)) { return Error{ErrorCode::InvalidArgument, "A nonce must be 16 to 64 printable characters", {}}; }
    std::vector<std::pair<std::string, std::string>> added;
    if (hasBody(request)) {
        added.emplace_back(kDigestHeader, formatContentDigest(core::sha256(core::asBytes(body))));
        added.emplace_back("content-length", std::to_string(body.size()));
        for (const auto& [header, value] : added) { request.headers[header] = value; }
    }
    const auto components = requiredComponents(request);
    const std::int64_t created = now / 1000;
    const std::string params = serialiseParams(components, created, created + kSignatureLifeSeconds, nonce, deviceId(key.publicKey()));
    const auto base = signatureBase(request, components, params);
    if (!base) { return base.error(); }
    const Signature signature = key.sign(core::asBytes(*base));
    added.emplace_back(kSignatureInputHeader, "sig1=" + params);
    added.emplace_back(kSignatureHeader, "sig1=:" + core::toBase64(signature) + ":");
    return added;
}

VerifyOutcome verifyRequest(const SignedRequest& request, const VerifyOptions& options) {
    const auto inputHeader = request.headers.find(std::string(kSignatureInputHeader));
    const auto signatureHeader = request.headers.find(std::string(kSignatureHeader));
    if (inputHeader == request.headers.end() || signatureHeader == request.headers.end()) { return refuse(ProblemCode::BadSignature, "This request must be signed."); }
    const auto input = SignatureInput::parse(inputHeader->second);
    if (!input) { return refuse(ProblemCode::BadSignature, input.error().message + "."); }
    const auto signature = parseSignatureHeader(signatureHeader->second, input->label);
    if (!signature) { return refuse(ProblemCode::BadSignature, signature.error().message + "."); }

    if (input->components != requiredComponents(request)) { return refuse(ProblemCode::BadSignature, "The signature does not cover exactly what it must."); }
    if (!input->created || !input->expires || !input->nonce || !input->keyid || !input->alg || !input->tag) {
        return refuse(ProblemCode::BadSignature, "The signature needs created, expires, nonce, keyid, alg and tag.");
    }
    if (*input->alg != "ed25519" || *input->tag != kSignatureTag) { return refuse(ProblemCode::BadSignature, "The signature must have alg ed25519 and tag sunloco-v1."); }
    if (!isToken(*input->nonce, kMinNonceBytes, kMaxNonceBytes) || !isName(*input->keyid)) { return refuse(ProblemCode::BadSignature, "The nonce or the key id is malformed."); }
    if (request.authority != options.authority) {
        return refuse(ProblemCode::BadSignature, "The request was made for \"" + request.authority.substr(0, 100) + "\", this server is \"" + options.authority + "\".");
    }
    if (auto wrong = checkTimes(*input, options.now)) { return *wrong; }

    const auto key = options.findKey(*input->keyid);
    if (!key || deviceId(*key) != *input->keyid) { return refuse(ProblemCode::UnknownDevice, "This device is not enrolled here."); }
    const auto base = signatureBase(request, input->components, input->params);
    if (!base) { return refuse(ProblemCode::BadSignature, base.error().message + "."); }
    if (!verify(*key, core::asBytes(*base), *signature)) { return refuse(ProblemCode::BadSignature, "The signature does not fit the request."); }
    if (!options.useNonce(*input->keyid, *input->nonce, *input->expires * 1000)) { return refuse(ProblemCode::ReplayedNonce, "This request was seen before."); }

    VerifyOutcome outcome;
    outcome.signature = VerifiedSignature{*input->keyid, *key, *input->nonce, *input->created * 1000, *input->expires * 1000};
    return outcome;
}

core::Result<void> checkBody(const SignedRequest& request, std::string_view body) {
    const auto length = request.headers.find("content-length");
    if (length == request.headers.end() || trimmed(length->second) != std::to_string(body.size())) {
        return Error{ErrorCode::InvalidData, "The body has another length than the header Content-Length says", {}};
    }
    const auto header = request.headers.find(std::string(kDigestHeader));
    if (header == request.headers.end()) { return Error{ErrorCode::InvalidData, "The header Content-Digest is missing", {}}; }
    const auto digest = parseContentDigest(header->second);
    if (!digest) { return digest.error(); }
    if (core::sha256(core::asBytes(body)) != *digest) { return Error{ErrorCode::HashMismatch, "The body does not have the digest that the header Content-Digest says", {}}; }
    return {};
}

}  // namespace sunloco::protocol
