// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/keys.h"
#include "net/protocol/problem.h"

#include "engine/core/clock.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

/// HTTP message signatures (RFC 9421), profile "sunloco-v1".
namespace sunloco::protocol {

/// A request as far as signatures see it.
struct SignedRequest {
    std::string method;                            ///< upper case
    std::string authority;                         ///< Host in lower case, without ":443"
    std::string path;                              ///< as sent, without the query
    std::string query;                             ///< without "?", empty when there is none
    std::map<std::string, std::string> headers;    ///< lower-case names
};

/// RFC 9421 section 2.5: the text that is signed, for components ("@method", header names) and the serialised signature parameters.
core::Result<std::string> signatureBase(const SignedRequest& request, const std::vector<std::string>& components, std::string_view params);

/// One member of Signature-Input: sig1=("a" "b");created=1;keyid="k"
struct SignatureInput {
    std::string label;
    std::vector<std::string> components;
    std::optional<std::int64_t> created;
    std::optional<std::int64_t> expires;
    std::optional<std::string> nonce;
    std::optional<std::string> keyid;
    std::optional<std::string> alg;
    std::optional<std::string> tag;
    std::string params;                            ///< exact text after the label's "=", the value of "@signature-params"
    bool operator==(const SignatureInput&) const = default;
    /// One signature only; parameters other than the six above, parameters of components and repeated names are refused.
    static core::Result<SignatureInput> parse(std::string_view header);
};
/// Signature: sig1=:base64: with the given label.
core::Result<core::Bytes> parseSignatureHeader(std::string_view header, std::string_view label);

inline constexpr std::string_view kSignatureTag = "sunloco-v1";

/// Which components the profile asks for: "@method" "@authority" "@path" "@query", with a body (every method but GET and HEAD) also
/// "content-digest" "content-length", and "idempotency-key" when that header is there. In this order.
std::vector<std::string> requiredComponents(const SignedRequest& request);

/// Headers to add to a request: content-digest and content-length (unless GET or HEAD), signature-input, signature. The headers that are in
/// the request already (idempotency-key) are covered. The key id is the device id of the key.
core::Result<std::vector<std::pair<std::string, std::string>>> signRequest(SignedRequest request, std::string_view body, const KeyPair& key, core::UtcMs now,
                                                                           std::string_view nonce);

struct VerifiedSignature {
    std::string deviceId;
    PublicKey key;
    std::string nonce;
    core::UtcMs created = 0;
    core::UtcMs expires = 0;
};
/// Either a signature or the reason for a 401 (BadSignature, ClockSkew, ReplayedNonce, UnknownDevice).
struct VerifyOutcome {
    std::optional<VerifiedSignature> signature;
    ProblemCode code = ProblemCode::BadSignature;
    std::string detail;
    explicit operator bool() const { return signature.has_value(); }
};
struct VerifyOptions {
    std::string authority;                                                    ///< the public name that clients must have signed
    core::UtcMs now = 0;
    std::function<std::optional<PublicKey>(const std::string& deviceId)> findKey;
    /// Called last, after the signature was found right: true when the nonce is new and was stored until `expires`. An error must answer false.
    std::function<bool(const std::string& deviceId, const std::string& nonce, core::UtcMs expires)> useNonce;
};
/// Checks everything but the body itself: the caller compares the body with content-digest and content-length (`checkBody`).
VerifyOutcome verifyRequest(const SignedRequest& request, const VerifyOptions& options);
/// The body has the length and digest that were signed.
core::Result<void> checkBody(const SignedRequest& request, std::string_view body);

}  // namespace sunloco::protocol
