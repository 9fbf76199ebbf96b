// SPDX-License-Identifier: Apache-2.0
#include "engine/codec/int8_block.h"

#include <algorithm>
#include <bit>
#include <cfloat>

namespace sunloco::codec {

static_assert(FLT_EVAL_METHOD == 0, "float arithmetic must round to float after each operation; on 32-bit x86 build with SSE2 (-mfpmath=sse -msse2)");

namespace {
constexpr std::int32_t kInfinityBits = 0x7f800000;
/// Adding 1.5 * 2^23 leaves a float's integer part, rounded half to even, in the low bits of its mantissa.
constexpr float kRounder = 12582912.0F;
constexpr float kSmallestEncoded = 127.0F * FLT_MIN;

/// Bits of the largest magnitude. As integers, magnitudes compare as they do as floats, and NaN and infinity come out on top.
std::int32_t largestMagnitudeBits(std::span<const float> values) {
    std::int32_t largest = 0;
    for (const float value : values) { largest = std::max(largest, std::bit_cast<std::int32_t>(value) & 0x7fffffff); }
    return largest;
}
}  // namespace

BlockCheck encodeBlock(std::span<const float> values, float& scale, std::int8_t* quantised) {
    const std::int32_t bits = largestMagnitudeBits(values);
    if (bits >= kInfinityBits) { return BlockCheck::NotFinite; }
    const auto largest = std::bit_cast<float>(bits);
    if (largest < kSmallestEncoded) {
        scale = 0;
        std::fill_n(quantised, values.size(), std::int8_t{0});
        return BlockCheck::Ok;
    }
    scale = largest / 127.0F;
    if (scale * 127.0F > FLT_MAX) { return BlockCheck::NotFinite; }
    for (std::size_t i = 0; i < values.size(); ++i) {
        // |x / scale| <= 127 * (1 + 2^-23), which rounds to 127 at the most: no clamp is needed.
        quantised[i] = static_cast<std::int8_t>(std::bit_cast<std::int32_t>(values[i] / scale + kRounder) - std::bit_cast<std::int32_t>(kRounder));
    }
    return BlockCheck::Ok;
}

BlockCheck decodeBlock(float scale, const std::int8_t* quantised, std::span<float> values) {
    const auto bits = std::bit_cast<std::int32_t>(scale);
    if ((bits & kInfinityBits) == kInfinityBits) { return BlockCheck::NotFinite; }
    if (bits < 0 || (bits > 0 && scale < FLT_MIN)) { return BlockCheck::Malformed; }
    if (scale * 127.0F > FLT_MAX) { return BlockCheck::NotFinite; }
    std::int8_t lowest = 0;
    std::int8_t any = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        lowest = std::min(lowest, quantised[i]);
        any = static_cast<std::int8_t>(any | quantised[i]);
        values[i] = static_cast<float>(quantised[i]) * scale;
    }
    return lowest < -127 || (bits == 0 && any != 0) ? BlockCheck::Malformed : BlockCheck::Ok;
}

}  // namespace sunloco::codec
