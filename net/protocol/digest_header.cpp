// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/digest_header.h"

#include "net/protocol/limits.h"

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

std::string formatContentDigest(const core::Digest& digest) { return "sha-256=:" + core::toBase64(digest.bytes) + ":"; }

// RFC 9530 section 2: a dictionary (RFC 8941) whose values are byte sequences.
core::Result<core::Digest> parseContentDigest(std::string_view header) {
    const Error bad{ErrorCode::InvalidData, "The header Content-Digest must read sha-256=:<base64 of 32 bytes>:", {}};
    if (header.size() > kMaxHeaderBytes) { return Error{ErrorCode::LimitExceeded, "The header Content-Digest is too long", {}}; }
    bool found = false;
    core::Digest digest;
    while (true) {
        const auto comma = header.find(',');
        std::string_view item = header.substr(0, comma);
        while (!item.empty() && (item.front() == ' ' || item.front() == '\t')) { item.remove_prefix(1); }
        while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) { item.remove_suffix(1); }
        const auto equals = item.find('=');
        const std::string_view value = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
        if (equals == 0 || value.size() < 2 || value.front() != ':' || value.back() != ':') { return bad; }
        const auto bytes = core::fromBase64(value.substr(1, value.size() - 2));
        if (!bytes) { return bad; }
        if (item.substr(0, equals) == "sha-256") {
            if (found || bytes->size() != digest.bytes.size()) { return bad; }
            std::copy(bytes->begin(), bytes->end(), digest.bytes.begin());
            found = true;
        }
        if (comma == std::string_view::npos) { break; }
        header.remove_prefix(comma + 1);
    }
    if (!found) { return bad; }
    return digest;
}

}  // namespace sunloco::protocol
