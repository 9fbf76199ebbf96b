// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/tensor_layout.h"

namespace sunloco::core {

/// Philox4x32-10 (Salmon et al. 2011): 4 random words from (counter, key) without any state, the same on every machine.
std::array<std::uint32_t, 4> philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t seed);

/// Initial weights as transformers draws them (normal with initializer_range; norms 1, biases 0; GPT-2's residual projections divided by
/// sqrt(2 * layers)), each value a pure function of (seed, tensor index, element index). Normals are sums of uniforms computed without libm,
/// so every machine gets the same bits.
std::vector<float> initialWeights(const ModelConfig& config, const TensorLayout& layout, std::uint64_t seed);

}  // namespace sunloco::core
