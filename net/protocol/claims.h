// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"
#include "engine/core/recipe.h"

#include <vector>

/// What a project will use, worked out from its numbers alone, so that a manifest cannot understate it.
namespace sunloco::protocol {

struct Claims {
    std::int64_t parameters = 0;
    std::int64_t memoryBytes = 0;             ///< of the training process, whole global batch at once
    std::int64_t diskBytes = 0;               ///< data, bases, checkpoints and uploads waiting
    std::int64_t uploadBytesPerRound = 0;     ///< of one device
    std::int64_t downloadBytesPerRound = 0;
    std::int64_t downloadBytesOnce = 0;       ///< on joining
    bool operator==(const Claims&) const = default;
};

/// Sizes of the files of a project, as the manifest names them.
struct DataSizes {
    std::int64_t shardBytes = 0;              ///< all training shards together
    std::int64_t tokenizerBytes = 0;
    std::int64_t initialBytes = 0;
};

/// Never overflows: a number too large for 64 bits becomes the largest one.
Claims computeClaims(const core::ModelConfig& model, const core::Recipe& recipe, const DataSizes& sizes);

/// Refuses claims that are smaller than what the numbers give, naming the first one.
core::Result<void> checkClaims(const Claims& stated, const Claims& computed);

/// One upload part of an arena: which elements, how many bytes on the wire.
struct PartPlan {
    std::int64_t n = 0;
    std::int64_t first = 0;
    std::int64_t elements = 0;
    std::int64_t bytes = 0;
    bool operator==(const PartPlan&) const = default;
};

/// Elements of a full part (fragment): int8 4 Mi, fp32 1 Mi.
std::int64_t partElements(core::Codec codec);
/// Bytes of a fragment of so many elements, header included.
std::int64_t fragmentBytes(core::Codec codec, std::int64_t block, std::int64_t elements);
/// All parts of an arena in order; an update object is all of them one after another.
std::vector<PartPlan> planParts(core::Codec codec, std::int64_t block, std::int64_t elements);
std::int64_t encodedBytes(core::Codec codec, std::int64_t block, std::int64_t elements);

}  // namespace sunloco::protocol
