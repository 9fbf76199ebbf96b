// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace sunloco::core {

/// The 16-bit formats of weights. To 16 bits: nearest, ties to even; what is too large becomes infinite. From 16 bits: exact.
std::uint16_t toBf16(float value);
std::uint16_t toF16(float value);   ///< IEEE 754 binary16
float fromBf16(std::uint16_t bits);
float fromF16(std::uint16_t bits);

}  // namespace sunloco::core
