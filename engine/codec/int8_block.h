// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

/// The arithmetic of the int8 codec, one block at a time.
namespace sunloco::codec {

enum class BlockCheck {
    Ok,
    NotFinite,   ///< NaN, infinity, or a block whose values cannot be decoded to finite ones
    Malformed,   ///< not a spelling that the encoder would write
};

/// scale = absmax / 127, q = round-half-even(x / scale). A block whose largest magnitude is below 127 * 2^-126 is a block of zeros: its scale would be
/// denormal, and processors that flush denormals to zero would decode other values than processors that do not.
BlockCheck encodeBlock(std::span<const float> values, float& scale, std::int8_t* quantised);

/// value = q * scale.
BlockCheck decodeBlock(float scale, const std::int8_t* quantised, std::span<float> values);

}  // namespace sunloco::codec
