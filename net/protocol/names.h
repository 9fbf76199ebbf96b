// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

/// Texts from outside that become names, ids or words on a screen.
namespace sunloco::protocol {

/// [a-z0-9_.-]{1,64}, and not "." or "..": safe as a file name, in a URL and in a log.
bool isName(std::string_view text);
/// Error names `where` and says what is allowed.
core::Result<void> checkName(std::string_view text, std::string_view where);

/// Valid UTF-8 of at most `maxBytes` bytes; control characters (C0, DEL, C1) and direction overrides are refused. `LineBreaks` lets \n pass.
enum class Lines { One, Many };
core::Result<void> checkText(std::string_view text, std::size_t minBytes, std::size_t maxBytes, Lines lines, std::string_view where);

/// Printable ASCII without space, quote or backslash; for bearer tokens, nonces, idempotency keys and invites.
bool isToken(std::string_view text, std::size_t minBytes, std::size_t maxBytes);

/// RFC 4648 section 5 without padding (the pin in a link).
std::string toBase64Url(core::ByteView bytes);
core::Result<core::Bytes> fromBase64Url(std::string_view text);

}  // namespace sunloco::protocol
