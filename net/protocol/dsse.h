// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/keys.h"

#include <map>
#include <string>
#include <vector>

/// DSSE envelopes (secure-systems-lab/dsse v1): the signature covers the exact payload bytes, so no canonical JSON is needed.
namespace sunloco::protocol {

struct EnvelopeSignature {
    std::string keyid;
    core::Bytes sig;
    bool operator==(const EnvelopeSignature&) const = default;
};

struct Envelope {
    std::string payloadType;
    std::string payload;          ///< decoded bytes
    std::vector<EnvelopeSignature> signatures;
    bool operator==(const Envelope&) const = default;

    /// Closed schema {payloadType, payload, signatures:[{keyid, sig}]}, at most `maxBytes` long.
    static core::Result<Envelope> parse(std::string_view text, std::size_t maxBytes);
    [[nodiscard]] std::string serialise() const;
};

/// PAE(type, body) = "DSSEv1" SP len(type) SP type SP len(body) SP body
std::string preAuthEncoding(std::string_view payloadType, std::string_view payload);

/// Who may sign, and how many of them must.
struct RoleKeys {
    std::map<std::string, PublicKey> keys;   ///< by keyid
    std::int64_t threshold = 1;
};

/// Counts the distinct keys of the role with a valid signature; unknown keyids are ignored, a second signature of one key counts for nothing.
core::Result<void> verifyEnvelope(const Envelope& envelope, std::string_view payloadType, const RoleKeys& role);

Envelope signEnvelope(std::string_view payloadType, std::string_view payload, const std::vector<const KeyPair*>& signers);

}  // namespace sunloco::protocol
