// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"

#include <vector>

namespace sunloco::model {

/// Cosines and sines of rotary position embedding (arXiv 2104.09864): [positions, headDim / 2] each.
struct RopeTable {
    std::vector<float> cosines, sines;
};

/// Frequencies as transformers computes them, default, linear and llama3 scaling, in fp32 as it does.
RopeTable makeRopeTable(const core::ModelConfig& config, std::int64_t positions);

}  // namespace sunloco::model
