// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunloco::core {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

ByteView asBytes(std::string_view text);
Bytes toBytes(std::string_view text);
std::string toText(ByteView bytes);

/// Lower-case hexadecimal.
std::string toHex(ByteView bytes);
/// Accepts lower-case only, so that one value has one spelling.
Result<Bytes> fromHex(std::string_view text);

/// RFC 4648 section 4 with padding.
std::string toBase64(ByteView bytes);
/// Strict: padding present, no white space, no stray bits.
Result<Bytes> fromBase64(std::string_view text);

/// RFC 4648 section 6, lower case, no padding (device ids).
std::string toBase32(ByteView bytes);

/// Little-endian reads and writes; the caller has checked the length.
std::uint16_t readU16(const std::uint8_t* p);
std::uint32_t readU32(const std::uint8_t* p);
std::uint64_t readU64(const std::uint8_t* p);
void writeU16(std::uint8_t* p, std::uint16_t v);
void writeU32(std::uint8_t* p, std::uint32_t v);
void writeU64(std::uint8_t* p, std::uint64_t v);

}  // namespace sunloco::core
