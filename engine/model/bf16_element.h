// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The arithmetic of one bf16 element, written once for the CPU passes and for a CUDA kernel: plain integers and floats, no library.
#include "engine/model/adamw_element.h"

#include <cstdint>
#include <cstring>

namespace sunloco::model {

SUNLOCO_HOST_DEVICE inline std::uint32_t bitsOf(float x) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

SUNLOCO_HOST_DEVICE inline float floatOf(std::uint32_t bits) {
    float x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

/// NaN and infinity stay what they are: a step that meets them is refused, not rounded.
SUNLOCO_HOST_DEVICE inline bool isSpecial(std::uint32_t bits) { return (bits & 0x7f800000u) == 0x7f800000u; }

/// The nearest bf16 number, ties to even, as a float.
SUNLOCO_HOST_DEVICE inline float bf16Nearest(float x) {
    const std::uint32_t bits = bitsOf(x);
    return isSpecial(bits) ? x : floatOf((bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u);
}

/// One of the two bf16 neighbours, as a float: x = a + f (b - a) becomes b for f * 65536 of the 65536 values of `random`, so its mean is x exactly.
SUNLOCO_HOST_DEVICE inline float bf16Stochastic(float x, std::uint32_t random) {
    const std::uint32_t bits = bitsOf(x);
    return isSpecial(bits) ? x : floatOf((bits + (random & 0xffffu)) & 0xffff0000u);
}

/// What a stochastic rounding depends on besides the element's index: nothing else, so that a step that is redone, resumed, cut into segments or run on
/// another number of threads rounds to the same bits.
struct RoundingKey {
    std::uint64_t seed = 0;
    std::uint64_t step = 0;  ///< below 2^48
};

/// Random bits of 8 neighbouring elements (16 bits each): Philox4x32-10 (Salmon et al., SC 2011), the same as core::philox.
struct RoundingBits {
    std::uint32_t word[4];
    SUNLOCO_HOST_DEVICE std::uint32_t of(std::int64_t index) const { return word[index % 8 / 2] >> (index % 2 * 16) & 0xffffu; }
};

SUNLOCO_HOST_DEVICE inline RoundingBits roundingBits(const RoundingKey& key, std::int64_t index) {
    constexpr std::uint64_t kStream = std::uint64_t{0x7372} << 48;  // apart from other numbers of the same seed
    const std::uint64_t counter = static_cast<std::uint64_t>(index) / 8, stream = kStream + key.step;
    std::uint32_t c0 = static_cast<std::uint32_t>(counter), c1 = static_cast<std::uint32_t>(counter >> 32);
    std::uint32_t c2 = static_cast<std::uint32_t>(stream), c3 = static_cast<std::uint32_t>(stream >> 32);
    std::uint32_t k0 = static_cast<std::uint32_t>(key.seed), k1 = static_cast<std::uint32_t>(key.seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0, p1 = std::uint64_t{0xCD9E8D57} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c1 = static_cast<std::uint32_t>(p1);
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}

}  // namespace sunloco::model
