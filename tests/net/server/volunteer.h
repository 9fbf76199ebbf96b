// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/messages.h"
#include "net/protocol/signatures.h"
#include "tls_client.h"

#include <optional>
#include <vector>

namespace sunloco::test {

/// A volunteer as the wire protocol sees it: a key, signed requests, parts. What it uploads is a made-up pseudo-gradient.
class Volunteer {
public:
    Volunteer(std::uint16_t port, std::string authority, const core::Clock& clock);

    struct Tweaks {
        std::string nonce;                      ///< empty = a fresh one
        std::string idempotencyKey;
        std::int64_t clockOffsetMs = 0;
        std::string authority;                  ///< signed instead of the right one
        bool corruptSignature = false;
    };
    /// The bytes of a signed request, and its answer.
    std::string signedText(const std::string& method, const std::string& path, const std::string& body, const Tweaks& tweaks);
    std::optional<Answer> call(const std::string& method, const std::string& path, const std::string& body, const Tweaks& tweaks);
    std::optional<Answer> call(const std::string& method, const std::string& path, const std::string& body) { return call(method, path, body, Tweaks{}); }

    std::optional<Answer> enrol(std::optional<std::string> invite = {});
    std::optional<Answer> askLease();
    std::optional<Answer> heartbeat(const std::string& lease, std::int64_t steps);
    /// Trains nothing: makes parts for the lease. `seed` decides the values.
    void makeParts(const protocol::Lease& lease, std::int64_t elements, unsigned seed);
    std::optional<Answer> create(const std::string& key);
    std::optional<Answer> putPart(std::size_t n);
    std::optional<Answer> putBytes(std::size_t n, const std::string& bytes, const std::string& bearer);
    std::optional<Answer> commit() { return call("POST", "/v1/contributions/" + contribution + "/commit", "{}"); }
    std::optional<Answer> state();
    /// enrol, lease, create, parts, commit; true when all went well.
    bool doOneRound(std::int64_t elements, unsigned seed);

    [[nodiscard]] std::string deviceId() const { return protocol::deviceId(m_key.publicKey()); }
    [[nodiscard]] std::uint16_t port() const { return m_port; }
    void setPort(std::uint16_t port) { m_port = port; }

    protocol::Lease lease;
    protocol::ContributionRequest request;
    std::vector<std::string> parts;
    std::string contribution;
    std::string bearer;
    protocol::CommitAnswer committed;

private:
    std::uint16_t m_port;
    std::string m_authority;
    const core::Clock& m_clock;
    protocol::KeyPair m_key;
    std::int64_t m_sequence = 0;
};

/// The code of a problem answer, "" when it is none.
std::string codeOf(const std::optional<Answer>& answer);
int statusOf(const std::optional<Answer>& answer);

}  // namespace sunloco::test
