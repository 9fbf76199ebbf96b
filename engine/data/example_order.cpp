// SPDX-License-Identifier: Apache-2.0
#include "engine/data/example_order.h"

#include <bit>

namespace sunloco::data {

namespace {
constexpr int kRounds = 8;

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every input bit changes every output bit with probability 1/2.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
}  // namespace

std::uint64_t permute(std::uint64_t index, std::uint64_t n, std::uint64_t key) {
    if (n < 2) { return 0; }
    const int half = (std::bit_width(n - 1) + 1) / 2;
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    // Index and result both lie in [0, n), so the walk along the cycle comes back into it.
    do {
        std::uint64_t left = index >> half;
        std::uint64_t right = index & mask;
        for (int round = 0; round < kRounds; ++round) {
            const std::uint64_t roundKey = mix(key + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(round + 1));
            const std::uint64_t swapped = left ^ (mix(right ^ roundKey) & mask);
            left = right;
            right = swapped;
        }
        index = left << half | right;
    } while (index >= n);
    return index;
}

}  // namespace sunloco::data
