// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/dsse.h"

#include "net/protocol/fields.h"

#include <nlohmann/json.hpp>

#include <set>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

core::Result<Envelope> Envelope::parse(std::string_view text, std::size_t maxBytes) {
    const auto json = parseBody(text, maxBytes, "signed envelope");
    if (!json) { return json.error(); }
    Fields fields(*json, "envelope", Schema::Closed);
    Envelope envelope;
    envelope.payloadType = fields.token("payloadType", 1, 128);
    auto payload = core::fromBase64(fields.raw("payload", maxBytes));
    if (!payload) { fields.fail(ErrorCode::InvalidData, "\"envelope.payload\" is not base64"); }
    const Json& signatures = fields.array("signatures", 1, kMaxSignatures);
    for (std::size_t i = 0; i < signatures.size() && !fields.failed(); ++i) {
        Fields entry(signatures[i], fields.at("signatures", i), Schema::Closed);
        EnvelopeSignature signature;
        signature.keyid = entry.name("keyid");
        auto sig = core::fromBase64(entry.raw("sig", 128));
        if (!sig || sig->size() != Signature{}.size()) { entry.fail(ErrorCode::InvalidData, "\"" + entry.at("sig") + "\" must be 64 bytes in base64"); }
        if (auto fault = entry.fault()) { return *fault; }
        signature.sig = std::move(*sig);
        envelope.signatures.push_back(std::move(signature));
    }
    if (auto fault = fields.fault()) { return *fault; }
    envelope.payload = core::toText(*payload);
    return envelope;
}

std::string Envelope::serialise() const {
    Json list = Json::array();
    for (const auto& signature : signatures) { list.push_back({{"keyid", signature.keyid}, {"sig", core::toBase64(signature.sig)}}); }
    return dump({{"payloadType", payloadType}, {"payload", core::toBase64(core::asBytes(payload))}, {"signatures", std::move(list)}});
}

// DSSE protocol.md: PAE(type, body) = "DSSEv1" + SP + LEN(type) + SP + type + SP + LEN(body) + SP + body
std::string preAuthEncoding(std::string_view payloadType, std::string_view payload) {
    std::string out = "DSSEv1 " + std::to_string(payloadType.size()) + " ";
    out.append(payloadType);
    out += " " + std::to_string(payload.size()) + " ";
    out.append(payload);
    return out;
}

core::Result<void> verifyEnvelope(const Envelope& envelope, std::string_view payloadType, const RoleKeys& role) {
    if (envelope.payloadType != payloadType) {
        return Error{ErrorCode::InvalidData, "A signed file of the kind \"" + std::string(payloadType) + "\" was expected, this one is \"" + envelope.payloadType + "\"", {}};
    }
    if (role.threshold < 1) { return Error{ErrorCode::SignatureInvalid, "A role with a threshold below 1 cannot be trusted", std::string(payloadType)}; }
    const std::string signedBytes = preAuthEncoding(envelope.payloadType, envelope.payload);
    std::set<PublicKey> valid;   // by key, not by id: one key counts once
    for (const auto& signature : envelope.signatures) {
        const auto key = role.keys.find(signature.keyid);
        if (key != role.keys.end() && verify(key->second, core::asBytes(signedBytes), signature.sig)) { valid.insert(key->second); }
    }
    if (static_cast<std::int64_t>(valid.size()) < role.threshold) {
        return Error{ErrorCode::SignatureInvalid,
                     "The file has " + std::to_string(valid.size()) + " valid signatures of this role, " + std::to_string(role.threshold) + " are needed",
                     std::string(payloadType)};
    }
    return {};
}

Envelope signEnvelope(std::string_view payloadType, std::string_view payload, const std::vector<const KeyPair*>& signers) {
    Envelope envelope{std::string(payloadType), std::string(payload), {}};
    const std::string signedBytes = preAuthEncoding(payloadType, payload);
    for (const KeyPair* signer : signers) {
        const Signature signature = signer->sign(core::asBytes(signedBytes));
        envelope.signatures.push_back({keyId(signer->publicKey()), {signature.begin(), signature.end()}});
    }
    return envelope;
}

}  // namespace sunloco::protocol
