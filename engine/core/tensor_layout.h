// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"
#include "engine/core/sha256.h"

#include <span>
#include <vector>

namespace sunloco::core {

/// One tensor's place in the flat parameter arena.
struct TensorSlot {
    std::string name;                 ///< transformers' name, e.g. "model.layers.0.self_attn.q_proj.weight"
    std::vector<std::int64_t> shape;
    std::int64_t offset = 0;          ///< first element
    std::int64_t count = 0;           ///< elements
    bool decay = false;               ///< weight decay applies (2 or more dimensions)
};

/// The order of all parameters in the flat fp32 arena; weights, gradients, moments, deltas and updates all use it.
/// Order: embeddings, layers in ascending order, final norm, untied head; slots follow one another without gaps.
struct TensorLayout {
    std::vector<TensorSlot> slots;
    std::int64_t total = 0;
};

TensorLayout makeLayout(const ModelConfig& config);

/// The base hash: SHA-256 over the arena's fp32 values, little-endian, in layout order.
Digest arenaHash(std::span<const float> arena);

}  // namespace sunloco::core
