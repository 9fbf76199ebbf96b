// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"

namespace sunloco::core {

/// Radians per position by which pair number `pair` of a head (of headDim / 2) is rotated; default, linear and llama3 scaling as transformers has them, in fp32.
float ropeFrequency(const ModelConfig& config, std::int64_t pair);
/// The same without scaling.
float plainRopeFrequency(const ModelConfig& config, std::int64_t pair);

}  // namespace sunloco::core
