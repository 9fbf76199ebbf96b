// SPDX-License-Identifier: Apache-2.0
#include "engine/core/bytes.h"

namespace sunloco::core {

ByteView asBytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Bytes toBytes(std::string_view text) {
    const ByteView view = asBytes(text);
    return {view.begin(), view.end()};
}

std::string toText(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string toHex(ByteView bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const std::uint8_t b : bytes) {
        out.push_back(digits[b >> 4]);
        out.push_back(digits[b & 15]);
    }
    return out;
}

Result<Bytes> fromHex(std::string_view text) {
    const auto digit = [](char c) -> int {
        if (c >= '0' && c <= '9') { return c - '0'; }
        if (c >= 'a' && c <= 'f') { return c - 'a' + 10; }
        return -1;
    };
    if (text.size() % 2 != 0) {
        return Error{ErrorCode::InvalidData, "A hexadecimal text has an odd number of digits", {}};
    }
    Bytes out;
    out.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) {
            return Error{ErrorCode::InvalidData, "A hexadecimal text has a character other than 0-9 and a-f", {}};
        }
        out.push_back(static_cast<std::uint8_t>(high * 16 + low));
    }
    return out;
}

namespace {
constexpr char kBase64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kBase32[] = "abcdefghijklmnopqrstuvwxyz234567";

int base64Digit(char c) {
    if (c >= 'A' && c <= 'Z') { return c - 'A'; }
    if (c >= 'a' && c <= 'z') { return c - 'a' + 26; }
    if (c >= '0' && c <= '9') { return c - '0' + 52; }
    if (c == '+') { return 62; }
    if (c == '/') { return 63; }
    return -1;
}
}  // namespace

std::string toBase64(ByteView bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t v = static_cast<std::uint32_t>(bytes[i]) << 16;
        if (n > 1) { v |= static_cast<std::uint32_t>(bytes[i + 1]) << 8; }
        if (n > 2) { v |= bytes[i + 2]; }
        out.push_back(kBase64[v >> 18]);
        out.push_back(kBase64[(v >> 12) & 63]);
        out.push_back(n > 1 ? kBase64[(v >> 6) & 63] : '=');
        out.push_back(n > 2 ? kBase64[v & 63] : '=');
    }
    return out;
}

Result<Bytes> fromBase64(std::string_view text) {
    const Error bad{ErrorCode::InvalidData, "A base64 text is malformed", {}};
    if (text.size() % 4 != 0) { return bad; }
    Bytes out;
    out.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const bool last = i + 4 == text.size();
        const std::size_t pads = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
        std::uint32_t v = 0;
        for (std::size_t k = 0; k < 4 - pads; ++k) {
            const int d = base64Digit(text[i + k]);
            if (d < 0) { return bad; }
            v |= static_cast<std::uint32_t>(d) << (18 - 6 * k);
        }
        // Bits beyond the last whole byte must be zero, else one value would have two spellings.
        if ((pads == 1 && (v & 0xff) != 0) || (pads == 2 && (v & 0xffff) != 0)) { return bad; }
        out.push_back(static_cast<std::uint8_t>(v >> 16));
        if (pads < 2) { out.push_back(static_cast<std::uint8_t>(v >> 8)); }
        if (pads < 1) { out.push_back(static_cast<std::uint8_t>(v)); }
    }
    return out;
}

std::string toBase32(ByteView bytes) {
    std::string out;
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const std::uint8_t b : bytes) {
        buffer = (buffer << 8) | b;
        bits += 8;
        while (bits >= 5) {
            bits -= 5;
            out.push_back(kBase32[(buffer >> bits) & 31]);
        }
        buffer &= (1u << bits) - 1;
    }
    if (bits > 0) { out.push_back(kBase32[(buffer << (5 - bits)) & 31]); }
    return out;
}

std::uint16_t readU16(const std::uint8_t* p) {
    return static_cast<std::uint16_t>(p[0] | (p[1] << 8));
}
std::uint32_t readU32(const std::uint8_t* p) {
    return static_cast<std::uint32_t>(p[0]) | static_cast<std::uint32_t>(p[1]) << 8 | static_cast<std::uint32_t>(p[2]) << 16 |
           static_cast<std::uint32_t>(p[3]) << 24;
}
std::uint64_t readU64(const std::uint8_t* p) {
    return static_cast<std::uint64_t>(readU32(p)) | static_cast<std::uint64_t>(readU32(p + 4)) << 32;
}
void writeU16(std::uint8_t* p, std::uint16_t v) {
    p[0] = static_cast<std::uint8_t>(v);
    p[1] = static_cast<std::uint8_t>(v >> 8);
}
void writeU32(std::uint8_t* p, std::uint32_t v) {
    for (int i = 0; i < 4; ++i) { p[i] = static_cast<std::uint8_t>(v >> (8 * i)); }
}
void writeU64(std::uint8_t* p, std::uint64_t v) {
    for (int i = 0; i < 8; ++i) { p[i] = static_cast<std::uint8_t>(v >> (8 * i)); }
}

}  // namespace sunloco::core
