// SPDX-License-Identifier: Apache-2.0
#include "engine/data/shards.h"

#include "engine/core/files.h"

#include <algorithm>

namespace sunloco::data {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
core::Bytes tokenBytesOf(std::span<const std::int32_t> tokens, int tokenBytes) {
    core::Bytes bytes(tokens.size() * static_cast<std::size_t>(tokenBytes));
    std::uint8_t* at = bytes.data();
    for (const std::int32_t id : tokens) {
        if (tokenBytes == 2) { core::writeU16(at, static_cast<std::uint16_t>(id)); } else { core::writeU32(at, static_cast<std::uint32_t>(id)); }
        at += tokenBytes;
    }
    return bytes;
}
}  // namespace

Result<std::vector<WrittenShard>> writeShards(const std::filesystem::path& folder, std::span<const std::int32_t> tokens, int tokenBytes, std::int64_t maxTokens, core::FaultPolicy* faults) {
    if ((tokenBytes != 2 && tokenBytes != 4) || maxTokens < 1) { return Error{ErrorCode::InvalidArgument, "Token ids have 2 or 4 bytes, and a shard at least one of them", {}}; }
    const std::int32_t largest = tokenBytes == 2 ? 0xffff : 0x7fffffff;
    for (const std::int32_t id : tokens) {
        if (id < 0 || id > largest) { return Error{ErrorCode::InvalidArgument, "The token id " + std::to_string(id) + " does not fit " + std::to_string(tokenBytes) + " bytes", {}}; }
    }
    const auto total = static_cast<std::int64_t>(tokens.size());
    const std::int64_t count = (total + maxTokens - 1) / maxTokens;
    std::vector<WrittenShard> shards;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t first = total / count * i + std::min(i, total % count);
        const std::int64_t size = total / count + (i < total % count ? 1 : 0);
        const core::Bytes bytes = tokenBytesOf(tokens.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)), tokenBytes);
        WrittenShard shard;
        shard.sha256 = core::sha256(bytes);
        shard.file = folder / (shard.sha256.hex() + ".tokens");
        shard.bytes = static_cast<std::int64_t>(bytes.size());
        shard.tokens = size;
        if (auto written = core::writeFileAtomically(shard.file, bytes, faults); !written) { return written.error(); }
        shards.push_back(std::move(shard));
    }
    return shards;
}

SplitTokens splitHeldOut(std::span<const std::int32_t> tokens, std::int64_t blockTokens, std::int64_t wantedHeldOut) {
    SplitTokens out;
    const auto total = static_cast<std::int64_t>(tokens.size());
    const std::int64_t blocks = blockTokens > 0 ? total / blockTokens : 0;
    const std::int64_t held = blocks < 2 ? 0 : std::clamp<std::int64_t>((wantedHeldOut + blockTokens - 1) / blockTokens, 1, blocks / 2);
    std::int64_t at = 0;
    const auto takeUntil = [&](std::int64_t end, std::vector<std::int32_t>& side) {
        side.insert(side.end(), tokens.begin() + at, tokens.begin() + end);
        at = end;
    };
    for (std::int64_t h = 0; h < held; ++h) {
        // The middle of the h-th of `held` equal stretches.
        const std::int64_t block = (2 * h + 1) * blocks / (2 * held);
        takeUntil(block * blockTokens, out.training);
        takeUntil((block + 1) * blockTokens, out.heldOut);
    }
    takeUntil(total, out.training);
    return out;
}

}  // namespace sunloco::data
