// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

#include <optional>

namespace sunloco::protocol {

/// What a volunteer pastes to join: `https://HOST[:PORT]/#root=<64 hex>[&pin=<base64url sha256 of the server key's SPKI>]`.
/// The root hash fixes the project, so a wrong or hostile server is noticed at the first file; the pin stands in for the chain of
/// certificates of a server that has its own certificate.
struct ProjectLink {
    std::string host;                    ///< lower case; an IPv6 address without brackets
    std::uint16_t port = 443;
    core::Digest root;                   ///< SHA-256 of the bytes of root.json, version 1
    std::optional<core::Digest> pin;     ///< SHA-256 of the DER SubjectPublicKeyInfo

    /// As the Host header and "@authority" have it: "host", or "host:port" when the port is not 443.
    [[nodiscard]] std::string authority() const;
    /// "https://" + authority, without a slash at the end; paths are appended to it.
    [[nodiscard]] std::string origin() const;
    bool operator==(const ProjectLink&) const = default;
};

/// Reads a link as people paste it (spaces and line ends around it are dropped). The error is a sentence for people: what is wrong, where,
/// and what to do.
core::Result<ProjectLink> parseLink(std::string_view text);
std::string formatLink(const ProjectLink& link);

}  // namespace sunloco::protocol
