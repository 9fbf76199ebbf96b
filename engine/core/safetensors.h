// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "engine/core/tensor_layout.h"

#include <filesystem>
#include <map>

namespace sunloco::core {

enum class DType { F32, BF16, F16, I8, U8, I32 };
std::size_t dtypeSize(DType type);

struct TensorInfo {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  ///< byte offset from the start of the file
    std::uint64_t bytes = 0;
};

struct SafetensorsLimits {
    std::uint64_t maxHeader = 1 << 20;
    std::uint64_t maxFile = std::uint64_t{1} << 40;
    std::size_t maxTensors = 100'000;
};

/// The header of a safetensors file, checked strictly (research note trust-protocol 5.5): offsets contiguous from 0, sizes match, no empty
/// tensors, rank <= 4, only our dtypes, no duplicate names, nothing after the last tensor. `head` may be just the first 8 + N bytes.
struct SafetensorsHeader {
    std::vector<TensorInfo> tensors;  ///< sorted by offset
    std::map<std::string, std::string> metadata;
    std::uint64_t dataStart = 0;
    [[nodiscard]] const TensorInfo* find(std::string_view name) const;
};
Result<SafetensorsHeader> parseSafetensorsHeader(ByteView head, std::uint64_t fileSize, const SafetensorsLimits& limits = {});

/// Reads the header of a file on disk.
Result<SafetensorsHeader> readSafetensorsHeader(const std::filesystem::path& path, const SafetensorsLimits& limits = {});

/// Reads one F32, BF16 or F16 tensor as fp32 values (copied, since the file may change under us).
Result<std::vector<float>> readFloatTensor(const std::filesystem::path& path, const TensorInfo& info);
/// Reads one I32 tensor.
Result<std::vector<std::int32_t>> readIntTensor(const std::filesystem::path& path, const TensorInfo& info);

/// A model file into the arena: names, shapes and kinds must equal the layout's exactly; non-finite values are refused.
/// A folder or index file (model.safetensors.index.json) with shards works too: each tensor must be in the shard that the index names and nowhere
/// else, shards are plain file names beside the index, and metadata.total_size must be the sum of the tensors' bytes. A tied head stored twice is accepted when it equals the embedding.
Result<std::vector<float>> loadArena(const std::filesystem::path& fileOrFolder, const TensorLayout& layout);

struct TensorToWrite {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    ByteView data;
};
/// Writes tensors sorted by dtype (descending size), then name; header padded to 8 bytes; atomically. Same input, same bytes.
Result<void> writeSafetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors, const std::map<std::string, std::string>& metadata = {},
                              FaultPolicy* faults = nullptr);
/// The arena as a model file with transformers' names (metadata format = "pt").
Result<void> saveArena(const std::filesystem::path& path, std::span<const float> arena, const TensorLayout& layout, FaultPolicy* faults = nullptr);

}  // namespace sunloco::core
