// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/recipe.h"
#include "engine/core/sha256.h"

#include <span>
#include <vector>

namespace sunloco::outer {

/// What the outer optimizer remembers between rounds. Vectors are as long as the arena; an empty one means zeros.
/// FedAvg has no momentum and a lossless update codec no residual: these stay empty.
struct OuterState {
    std::vector<float> momentum;     ///< buf
    std::vector<float> residual;     ///< what the codec of the updates lost so far (error feedback, at the server, not at the devices)
    std::int64_t revision = 0;       ///< rounds done
};

/// Gives the vectors the length that `recipe` needs: zeros where they were empty, empty where they are not used.
/// InvalidData when one has another length, Numeric when one holds a value that is not finite.
core::Result<void> fitOuterState(const core::Recipe& recipe, std::size_t elements, OuterState& state);

/// SHA-256 over momentum, then residual, as they lie in memory: the `momentum_hash` of the event log.
core::Digest outerStateHash(const OuterState& state);

/// The numbers of the outer method in single precision, as torch.optim.SGD applies them to fp32 tensors.
struct OuterFactors {
    float eta = 1;   ///< outer learning rate; 1 for FedAvg
    float mu = 0;    ///< momentum; 0 for FedAvg
};
OuterFactors outerFactors(const core::Recipe& recipe);

/// One step over a range of the arena: g is the mean pseudo-gradient (positive along the descent), `wanted` is what is to be ADDED to the base.
///   DiLoCo (arXiv 2311.08105; torch.optim.SGD, nesterov): buf = mu * buf + g;  wanted = -eta * (g + mu * buf) + residual
///   FedAvg (McMahan et al. 2017):                         wanted = -g + residual
/// `momentum` and `residual` may be empty (not used); else all spans have one length. Momentum moves on, the residual does not.
void outerStepRange(const OuterFactors& factors, std::span<const float> g, std::span<float> momentum, std::span<const float> residual, std::span<float> wanted);

/// The step over the whole arena, before the codec; momentum and revision in `state` move on.
core::Result<void> outerStep(const core::Recipe& recipe, std::span<const float> meanDelta, OuterState& state, std::vector<float>& wanted);

}  // namespace sunloco::outer
