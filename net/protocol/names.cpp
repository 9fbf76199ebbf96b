// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/names.h"

#include "net/protocol/limits.h"

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

bool isName(std::string_view text) {
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-'; };
    return !text.empty() && text.size() <= kMaxNameLength && text != "." && text != ".." && std::all_of(text.begin(), text.end(), allowed);
}

core::Result<void> checkName(std::string_view text, std::string_view where) {
    if (isName(text)) { return {}; }
    return Error{ErrorCode::InvalidData, "\"" + std::string(where) + "\" must be 1 to 64 characters of a-z, 0-9, \"_\", \".\" and \"-\"", {}};
}

namespace {

/// Takes one code point of strict UTF-8 (RFC 3629) off the front; -1 when it is malformed.
std::int32_t nextCodePoint(std::string_view& text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : first >= 0xf0 && first < 0xf5 ? 4 : 0;
    if (length == 0 || text.size() < length) { return -1; }
    std::int32_t value = length == 1 ? first : first & (0xff >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) { return -1; }
        value = value << 6 | (byte(i) & 0x3f);
    }
    static constexpr std::int32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < smallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) { return -1; }
    text.remove_prefix(length);
    return value;
}

/// Characters that could forge lines in a log or turn the reading direction on a screen.
bool isHarmful(std::int32_t c, Lines lines) {
    if (c == '\n') { return lines == Lines::One; }
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

core::Result<void> checkText(std::string_view text, std::size_t minBytes, std::size_t maxBytes, Lines lines, std::string_view where) {
    if (text.size() < minBytes || text.size() > maxBytes) {
        return Error{ErrorCode::LimitExceeded,
                     "\"" + std::string(where) + "\" has " + std::to_string(text.size()) + " bytes; " + std::to_string(minBytes) + " to " + std::to_string(maxBytes) + " are allowed",
                     {}};
    }
    while (!text.empty()) {
        const std::int32_t c = nextCodePoint(text);
        if (c < 0) { return Error{ErrorCode::InvalidData, "\"" + std::string(where) + "\" is not UTF-8", {}}; }
        if (isHarmful(c, lines)) { return Error{ErrorCode::InvalidData, "\"" + std::string(where) + "\" has a control character", {}}; }
    }
    return {};
}

bool isToken(std::string_view text, std::size_t minBytes, std::size_t maxBytes) {
    const auto allowed = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; };
    return text.size() >= minBytes && text.size() <= maxBytes && std::all_of(text.begin(), text.end(), allowed);
}

std::string toBase64Url(core::ByteView bytes) {
    std::string text = core::toBase64(bytes);
    while (!text.empty() && text.back() == '=') { text.pop_back(); }
    std::replace(text.begin(), text.end(), '+', '-');
    std::replace(text.begin(), text.end(), '/', '_');
    return text;
}

core::Result<core::Bytes> fromBase64Url(std::string_view text) {
    if (text.find_first_of("+/=") != std::string_view::npos) { return Error{ErrorCode::InvalidData, "A base64url text has a character that does not belong there", {}}; }
    std::string standard(text);
    std::replace(standard.begin(), standard.end(), '-', '+');
    std::replace(standard.begin(), standard.end(), '_', '/');
    standard.append((4 - standard.size() % 4) % 4, '=');
    return core::fromBase64(standard);
}

}  // namespace sunloco::protocol
