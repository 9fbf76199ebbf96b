// SPDX-License-Identifier: Apache-2.0
#include "engine/data/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace sunloco::data {

namespace {
struct Shape {
    std::size_t more = 0;        ///< continuation bytes; 0 = not a first byte
    std::uint8_t low = 0x80;     ///< bounds of the second byte
    std::uint8_t high = 0xbf;
};

// Unicode 15, table 3-7: the second byte's bounds exclude overlong forms, surrogates and code points above U+10FFFF.
Shape shapeOf(std::uint8_t first) {
    if (first >= 0xc2 && first <= 0xdf) { return {1}; }
    if (first == 0xe0) { return {2, 0xa0, 0xbf}; }
    if (first == 0xed) { return {2, 0x80, 0x9f}; }
    if (first >= 0xe1 && first <= 0xef) { return {2}; }
    if (first == 0xf0) { return {3, 0x90, 0xbf}; }
    if (first >= 0xf1 && first <= 0xf3) { return {3}; }
    if (first == 0xf4) { return {3, 0x80, 0x8f}; }
    return {};
}
}  // namespace

std::size_t findInvalidUtf8(std::string_view text) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    std::size_t i = 0;
    while (i < text.size()) {
        // Most text is ASCII: eight bytes at a time.
        std::uint64_t word = 0;
        if (i + sizeof word <= text.size()) {
            std::memcpy(&word, bytes + i, sizeof word);
            if ((word & 0x8080808080808080u) == 0) {
                i += sizeof word;
                continue;
            }
        }
        if (bytes[i] < 0x80) {
            ++i;
            continue;
        }
        const Shape shape = shapeOf(bytes[i]);
        if (shape.more == 0 || text.size() - i <= shape.more || bytes[i + 1] < shape.low || bytes[i + 1] > shape.high) { return i; }
        for (std::size_t k = 2; k <= shape.more; ++k) {
            if ((bytes[i + k] & 0xc0) != 0x80) { return i; }
        }
        i += shape.more + 1;
    }
    return std::string_view::npos;
}

std::size_t wholeCharacters(std::string_view text, std::size_t limit) {
    std::size_t n = std::min(limit, text.size());
    while (n > 0 && n < text.size() && (static_cast<std::uint8_t>(text[n]) & 0xc0) == 0x80) { --n; }
    return n;
}

}  // namespace sunloco::data
