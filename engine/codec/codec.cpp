// SPDX-License-Identifier: Apache-2.0
#include "engine/codec/codec.h"

#include "engine/codec/int8_block.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sunloco::codec {

using core::Codec;
using core::Error;
using core::ErrorCode;
using core::Result;

static_assert(std::endian::native == std::endian::little, "floats are copied between memory and fragment as they are");

namespace {
constexpr char kMagic[4] = {'S', 'L', 'C', 'D'};
constexpr std::uint8_t kVersion = 1;
constexpr std::int64_t kMaxFirst = std::int64_t{1} << 60;

Error malformed(std::string why) { return Error{ErrorCode::InvalidData, "Not an acceptable fragment: " + std::move(why), {}}; }

Error notFinite(std::int64_t element) {
    return Error{ErrorCode::Numeric, "The fragment has a value that is not finite, at or after element " + std::to_string(element), {}};
}

std::int64_t blocksOf(std::int64_t count, int block) { return (count + block - 1) / block; }

/// True when every value is finite.
bool allFinite(std::span<const float> values) {
    std::int32_t largest = 0;
    for (const float value : values) { largest = std::max(largest, std::bit_cast<std::int32_t>(value) & 0x7fffffff); }
    return largest < 0x7f800000;
}

Result<void> encodeInt8(int block, std::span<const float> values, std::int64_t firstElement, std::uint8_t* payload) {
    auto* quantised = reinterpret_cast<std::int8_t*>(payload + sizeof(float) * static_cast<std::size_t>(blocksOf(static_cast<std::int64_t>(values.size()), block)));
    const auto width = static_cast<std::size_t>(block);
    for (std::size_t begin = 0; begin < values.size(); begin += width) {
        const auto part = values.subspan(begin, std::min(width, values.size() - begin));
        float scale = 0;
        if (encodeBlock(part, scale, quantised + begin) != BlockCheck::Ok) { return notFinite(firstElement + static_cast<std::int64_t>(begin)); }
        std::memcpy(payload, &scale, sizeof scale);
        payload += sizeof scale;
    }
    return {};
}

Result<void> decodeInt8(const FragmentHeader& header, const std::uint8_t* payload, std::span<float> out) {
    const auto* quantised = reinterpret_cast<const std::int8_t*>(payload + sizeof(float) * static_cast<std::size_t>(blocksOf(header.count, header.block)));
    const auto width = static_cast<std::size_t>(header.block);
    for (std::size_t begin = 0; begin < out.size(); begin += width) {
        float scale = 0;
        std::memcpy(&scale, payload, sizeof scale);
        payload += sizeof scale;
        const BlockCheck check = decodeBlock(scale, quantised + begin, out.subspan(begin, std::min(width, out.size() - begin)));
        if (check == BlockCheck::NotFinite) { return notFinite(header.firstElement + static_cast<std::int64_t>(begin)); }
        if (check == BlockCheck::Malformed) { return malformed("the block at element " + std::to_string(header.firstElement + static_cast<std::int64_t>(begin)) + " has an impossible scale or byte"); }
    }
    return {};
}
}  // namespace

std::size_t FragmentHeader::totalBytes() const {
    const std::int64_t payload = codec == Codec::Fp32 ? 4 * count : 4 * blocksOf(count, block) + count;
    return kFragmentHeaderBytes + static_cast<std::size_t>(payload);
}

std::int64_t fragmentElements(Codec codec) { return codec == Codec::Int8 ? std::int64_t{4} << 20 : std::int64_t{1} << 20; }

Result<core::Bytes> encodeFragment(Codec codec, int block, std::span<const float> values, std::int64_t firstElement) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (count < 1 || count > fragmentElements(codec)) { return Error{ErrorCode::InvalidArgument, "A fragment holds 1 to " + std::to_string(fragmentElements(codec)) + " values, not " + std::to_string(count), {}}; }
    if (firstElement < 0 || firstElement > kMaxFirst) { return Error{ErrorCode::InvalidArgument, "A fragment cannot begin at element " + std::to_string(firstElement), {}}; }
    if (codec == Codec::Int8 && (block < 1 || block > kMaxBlock)) { return Error{ErrorCode::InvalidArgument, "A codec block must have 1 to " + std::to_string(kMaxBlock) + " elements, not " + std::to_string(block), {}}; }
    const FragmentHeader header{codec, codec == Codec::Int8 ? block : 0, firstElement, count};
    core::Bytes out(header.totalBytes());
    std::memcpy(out.data(), kMagic, sizeof kMagic);
    out[4] = kVersion;
    out[5] = codec == Codec::Int8 ? 1 : 0;
    core::writeU16(out.data() + 6, static_cast<std::uint16_t>(header.block));
    core::writeU64(out.data() + 8, static_cast<std::uint64_t>(firstElement));
    core::writeU64(out.data() + 16, static_cast<std::uint64_t>(count));
    std::uint8_t* payload = out.data() + kFragmentHeaderBytes;
    if (codec == Codec::Int8) {
        if (auto encoded = encodeInt8(block, values, firstElement, payload); !encoded) { return encoded.error(); }
        return out;
    }
    if (!allFinite(values)) { return notFinite(firstElement); }
    std::memcpy(payload, values.data(), values.size_bytes());
    return out;
}

Result<FragmentHeader> parseFragmentHeader(core::ByteView bytes) {
    if (bytes.size() < kFragmentHeaderBytes) { return malformed("it is shorter than its header"); }
    if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) { return malformed("it does not begin with SLCD"); }
    if (bytes[4] != kVersion) {
        return Error{bytes[4] > kVersion ? ErrorCode::VersionTooNew : ErrorCode::InvalidData, "The fragment has version " + std::to_string(bytes[4]) + ", this program knows version 1", {}};
    }
    if (bytes[5] > 1) { return malformed("codec " + std::to_string(bytes[5]) + " is unknown"); }
    FragmentHeader header;
    header.codec = bytes[5] == 1 ? Codec::Int8 : Codec::Fp32;
    header.block = core::readU16(bytes.data() + 6);
    if (header.codec == Codec::Int8 ? header.block < 1 || header.block > kMaxBlock : header.block != 0) { return malformed("a block of " + std::to_string(header.block) + " elements is impossible"); }
    const std::uint64_t first = core::readU64(bytes.data() + 8);
    const std::uint64_t count = core::readU64(bytes.data() + 16);
    if (first > static_cast<std::uint64_t>(kMaxFirst)) { return malformed("it begins beyond any model"); }
    if (count < 1 || count > static_cast<std::uint64_t>(fragmentElements(header.codec))) { return malformed("it announces " + std::to_string(count) + " elements"); }
    header.firstElement = static_cast<std::int64_t>(first);
    header.count = static_cast<std::int64_t>(count);
    return header;
}

Result<void> decodeFragment(core::ByteView bytes, std::int64_t firstElement, std::span<float> out) {
    const auto header = parseFragmentHeader(bytes);
    if (!header) { return header.error(); }
    if (header->firstElement != firstElement || header->count != static_cast<std::int64_t>(out.size())) {
        return malformed("it holds " + std::to_string(header->count) + " elements from " + std::to_string(header->firstElement) + ", expected were " + std::to_string(out.size()) + " from " + std::to_string(firstElement));
    }
    if (bytes.size() != header->totalBytes()) { return malformed("it has " + std::to_string(bytes.size()) + " bytes, its header asks for " + std::to_string(header->totalBytes())); }
    const std::uint8_t* payload = bytes.data() + kFragmentHeaderBytes;
    if (header->codec == Codec::Int8) { return decodeInt8(*header, payload, out); }
    std::memcpy(out.data(), payload, out.size_bytes());
    if (!allFinite(out)) { return notFinite(firstElement); }
    return {};
}

Result<core::Bytes> encodeAll(Codec codec, int block, std::span<const float> arena) {
    core::Bytes all;
    const auto each = static_cast<std::size_t>(fragmentElements(codec));
    for (std::size_t first = 0; first < arena.size(); first += each) {
        const auto fragment = encodeFragment(codec, block, arena.subspan(first, std::min(each, arena.size() - first)), static_cast<std::int64_t>(first));
        if (!fragment) { return fragment.error(); }
        all.insert(all.end(), fragment->begin(), fragment->end());
    }
    return all;
}

Result<void> decodeAll(core::ByteView bytes, std::span<float> arena) {
    std::size_t element = 0;
    while (element < arena.size()) {
        const auto header = parseFragmentHeader(bytes);
        if (!header) { return header.error(); }
        const std::size_t length = header->totalBytes();
        const auto count = static_cast<std::size_t>(header->count);
        if (length > bytes.size()) { return malformed("it ends within a fragment"); }
        if (count > arena.size() - element) { return malformed("its fragments hold more elements than the model has"); }
        if (auto decoded = decodeFragment(bytes.first(length), static_cast<std::int64_t>(element), arena.subspan(element, count)); !decoded) { return decoded; }
        element += count;
        bytes = bytes.subspan(length);
    }
    if (!bytes.empty()) { return malformed(std::to_string(bytes.size()) + " bytes follow the last fragment"); }
    return {};
}

}  // namespace sunloco::codec
