// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "engine/core/sha256.h"

#include <filesystem>
#include <span>
#include <vector>

namespace sunloco::data {

/// A file of token ids: raw little-endian u16 or u32 values, no header (core::ShardFile).
struct WrittenShard {
    std::filesystem::path file;      ///< FOLDER/<hex of the hash>.tokens
    core::Digest sha256;
    std::int64_t bytes = 0;
    std::int64_t tokens = 0;
};

/// Cuts token ids into files of at most `maxTokens`, as equally long as can be, each named by its hash and written atomically. `tokenBytes` is 2 or 4.
/// InvalidArgument for an id that does not fit.
core::Result<std::vector<WrittenShard>> writeShards(const std::filesystem::path& folder, std::span<const std::int32_t> tokens, int tokenBytes, std::int64_t maxTokens,
                                                    core::FaultPolicy* faults = nullptr);

struct SplitTokens {
    std::vector<std::int32_t> training;
    std::vector<std::int32_t> heldOut;
};

/// Takes blocks of `blockTokens` consecutive tokens out of the stream, evenly spread from its beginning to its end, until `wantedHeldOut` tokens are held
/// out (rounded up to whole blocks, at least one, at most half of the blocks). The order is kept on both sides. A stream of less than two blocks stays
/// whole: nothing is held out.
SplitTokens splitHeldOut(std::span<const std::int32_t> tokens, std::int64_t blockTokens, std::int64_t wantedHeldOut);

}  // namespace sunloco::data
