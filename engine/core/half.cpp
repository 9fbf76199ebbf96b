// SPDX-License-Identifier: Apache-2.0
#include "engine/core/half.h"

#include <bit>
#include <cmath>

namespace sunloco::core {

std::uint16_t toBf16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::uint16_t toF16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
    const float size = std::abs(value);
    if (size >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00);
    if (size < 0x1p-14f)  // denormal: multiples of 2^-24, rounded by the addition itself
        return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24f)));
    const std::uint32_t magnitude = bits & 0x7fffffff;
    const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float fromBf16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

float fromF16(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 31u;
    const std::uint32_t fraction = bits & 1023u;
    if (exponent == 31) { return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13)); }
    if (exponent != 0) { return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13)); }
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -value : value;
}

}  // namespace sunloco::core
