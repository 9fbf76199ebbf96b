// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/recipe.h"

#include <span>

/// The wire form of a contiguous range of the arena, a fragment (".slcd"; net/protocol/README.md section 9):
///   "SLCD" | u8 version = 1 | u8 codec (0 fp32, 1 int8) | u16 block | u64 first element | u64 count | payload     (all little-endian)
///   fp32: block is 0; `count` floats.
///   int8: one fp32 scale per `block` elements (the last block may be short), then `count` signed bytes; value = byte * scale.
/// One fragment has one spelling: a byte of -128, a byte in a block whose scale is 0, and a scale that is negative, denormal or not finite are refused.
/// Encoding and decoding give the same bits on every machine. Thread: any; nothing is shared.
namespace sunloco::codec {

inline constexpr std::size_t kFragmentHeaderBytes = 24;
inline constexpr int kMaxBlock = 32'768;

struct FragmentHeader {
    core::Codec codec = core::Codec::Fp32;
    int block = 0;                      ///< 0 for fp32
    std::int64_t firstElement = 0;
    std::int64_t count = 0;
    /// Of the whole fragment, this header included.
    [[nodiscard]] std::size_t totalBytes() const;
};

/// Elements of a full fragment: int8 4 Mi, fp32 1 Mi; the last one of an arena is shorter.
std::int64_t fragmentElements(core::Codec codec);

/// At most a full fragment of values. Numeric when one is not finite (or, for int8, so large that its block could not be decoded).
core::Result<core::Bytes> encodeFragment(core::Codec codec, int block, std::span<const float> values, std::int64_t firstElement);

/// Reads the first 24 bytes; more may follow. VersionTooNew for a version we do not know, InvalidData for anything else that is wrong.
core::Result<FragmentHeader> parseFragmentHeader(core::ByteView bytes);

/// The fragment must hold exactly the elements [firstElement, firstElement + out.size()) and nothing else.
/// Numeric when a value or a scale is not finite, InvalidData for everything else; `out` is then partly written.
core::Result<void> decodeFragment(core::ByteView bytes, std::int64_t firstElement, std::span<float> out);

/// All fragments of an arena, one after another: an update object.
core::Result<core::Bytes> encodeAll(core::Codec codec, int block, std::span<const float> arena);
core::Result<void> decodeAll(core::ByteView bytes, std::span<float> arena);

}  // namespace sunloco::codec
