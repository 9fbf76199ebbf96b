// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/tensor_layout.h"

namespace sunloco::model {

/// y[out] = W x[in] (+ bias); offsets into the arena. Neighbouring projections of the same input (q, k, v; gate, up) are one product.
struct LinearRef {
    std::int64_t weight = -1;
    std::int64_t bias = -1;    ///< -1: none
    std::int64_t in = 0;
    std::int64_t out = 0;
    bool inputMajor = false;   ///< stored as [in, out] (GPT-2's Conv1D) instead of [out, in]
};

struct NormRef {
    std::int64_t weight = -1;
    std::int64_t bias = -1;
};

struct LayerRef {
    NormRef attentionNorm;
    LinearRef qkv;
    LinearRef output;
    NormRef mlpNorm;
    LinearRef up;    ///< Llama: gate and up; GPT-2: c_fc
    LinearRef down;
};

/// Where each weight of the model lies in the arena.
struct WeightMap {
    std::int64_t tokens = -1;     ///< [V, d]
    std::int64_t positions = -1;  ///< [P, d], GPT-2 only
    std::vector<LayerRef> layers;
    NormRef finalNorm;
    std::int64_t head = -1;       ///< [V, d]; equals `tokens` when tied
};

/// Fails when the layout does not have the names, or the neighbourhood, that the config asks for.
core::Result<WeightMap> mapWeights(const core::ModelConfig& config, const core::TensorLayout& layout);

}  // namespace sunloco::model
