// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

namespace sunloco::protocol {

/// RFC 9530: `sha-256=:<base64>:`.
std::string formatContentDigest(const core::Digest& digest);
/// Reads a dictionary of byte sequences; sha-256 must be there once, other algorithms are ignored.
core::Result<core::Digest> parseContentDigest(std::string_view header);

}  // namespace sunloco::protocol
