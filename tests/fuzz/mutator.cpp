// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutator.h"

#include <algorithm>

namespace sunloco::fuzz {

namespace {

constexpr std::size_t kMaxInput = 64 * 1024;

constexpr std::string_view kWords[] = {
    "null", "true", "[]", "{}", "[[[[[[[[[[[[[[[[[", "{\"a\":", "\"\"", "\"a\":1,", ",", ":", "\"", "\\u0000", "\\ud800", "\xff", "\xc0\xaf", "\xe2\x80\xae",
    "../", "..", "/", "%00", "\r\n", ";", "=", ":", "\n", " ", "&", "#", "@", "-", "bytes=", "sha-256=:", "sig1=", "created=", "root=", "https://",
};
constexpr std::string_view kNumbers[] = {
    "0", "-1", "1", "2", "255", "256", "65535", "65536", "16383", "16384", "2147483648", "4294967296", "9007199254740992", "9007199254740993", "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "-9223372036854775808", "1e308", "1e309", "-0.0", "0.5", "1E-400", "00", "1e", "253402300799999",
};
constexpr std::uint8_t kBytes[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '9', 'a', 'A'};

}  // namespace

// SplitMix64 (Steele, Lea, Flood 2014).
std::uint64_t Mutator::next() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

std::size_t Mutator::pick(std::size_t below) { return below == 0 ? 0 : static_cast<std::size_t>(next() % below); }

void Mutator::insertText(core::Bytes& input, std::size_t at, std::string_view text) {
    input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), text.begin(), text.end());
}

void Mutator::replaceNumber(core::Bytes& input) {
    const auto isDigit = [](std::uint8_t c) { return c >= '0' && c <= '9'; };
    const auto from = input.begin() + static_cast<std::ptrdiff_t>(pick(input.size() + 1));
    const auto first = std::find_if(from, input.end(), isDigit);
    if (first == input.end()) { return; }
    const auto last = std::find_if_not(first, input.end(), isDigit);
    const std::size_t at = static_cast<std::size_t>(first - input.begin());
    input.erase(first, last);
    insertText(input, at, kNumbers[pick(std::size(kNumbers))]);
}

void Mutator::change(core::Bytes& input, const std::vector<core::Bytes>& corpus) {
    const std::size_t size = input.size();
    const std::size_t at = pick(size + 1);
    const auto position = [&](std::size_t i) { return input.begin() + static_cast<std::ptrdiff_t>(i); };
    const std::size_t length = std::min(size - at, 1 + pick(pick(4) == 0 ? 64 : 8));
    switch (pick(10)) {
    case 0:
        if (at < size) { input[at] ^= static_cast<std::uint8_t>(1u << pick(8)); }
        return;
    case 1:
        if (at < size) { input[at] = kBytes[pick(std::size(kBytes))]; }
        return;
    case 2: input.resize(at); return;
    case 3: input.erase(position(at), position(at + length)); return;
    case 4: {
        const core::Bytes piece(position(at), position(at + length));
        const std::size_t target = pick(size + 1);
        input.insert(position(target), piece.begin(), piece.end());
        return;
    }
    case 5: {   // splice: our beginning, another's end
        const core::Bytes& other = corpus[pick(corpus.size())];
        const std::size_t start = pick(other.size() + 1);
        input.resize(at);
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(start), other.end());
        return;
    }
    case 6: insertText(input, at, kWords[pick(std::size(kWords))]); return;
    case 7:
    case 8: replaceNumber(input); return;
    default:   // an extreme little-endian number
        for (std::size_t i = 0; i < 8 && at + i < size; ++i) { input[at + i] = i < 1 + pick(8) ? 0xff : 0; }
        return;
    }
}

core::Bytes Mutator::mutate(const std::vector<core::Bytes>& corpus) {
    core::Bytes input = corpus[pick(corpus.size())];
    for (std::size_t changes = 1 + pick(pick(3) == 0 ? 8 : 2); changes > 0; --changes) { change(input, corpus); }
    if (input.size() > kMaxInput) { input.resize(kMaxInput); }
    return input;
}

}  // namespace sunloco::fuzz
