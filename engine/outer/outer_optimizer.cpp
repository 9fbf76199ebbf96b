// SPDX-License-Identifier: Apache-2.0
#include "engine/outer/outer_optimizer.h"

#include <algorithm>
#include <bit>

namespace sunloco::outer {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
Result<void> fit(std::vector<float>& values, bool used, std::size_t elements, const char* what) {
    if (!used) {
        values = {};
        return {};
    }
    if (values.empty()) { values.assign(elements, 0.0F); }
    if (values.size() != elements) { return Error{ErrorCode::InvalidData, std::string("The outer optimizer's ") + what + " has " + std::to_string(values.size()) + " values, the model has " + std::to_string(elements), {}}; }
    std::int32_t largest = 0;
    for (const float value : values) { largest = std::max(largest, std::bit_cast<std::int32_t>(value) & 0x7fffffff); }
    if (largest >= 0x7f800000) { return Error{ErrorCode::Numeric, std::string("The outer optimizer's ") + what + " has a value that is not finite", {}}; }
    return {};
}

core::ByteView bytesOf(const std::vector<float>& values) { return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)}; }
}  // namespace

Result<void> fitOuterState(const core::Recipe& recipe, std::size_t elements, OuterState& state) {
    if (auto ok = fit(state.momentum, recipe.method == core::OuterMethod::DiLoCo, elements, "momentum"); !ok) { return ok; }
    return fit(state.residual, recipe.updateCodec != core::Codec::Fp32, elements, "residual");
}

core::Digest outerStateHash(const OuterState& state) {
    core::Sha256 hash;
    hash.update(bytesOf(state.momentum));
    hash.update(bytesOf(state.residual));
    return hash.finish();
}

OuterFactors outerFactors(const core::Recipe& recipe) {
    if (recipe.method == core::OuterMethod::FedAvg) { return {}; }
    return {static_cast<float>(recipe.outerLearningRate), static_cast<float>(recipe.outerMomentum)};
}

void outerStepRange(const OuterFactors& factors, std::span<const float> g, std::span<float> momentum, std::span<const float> residual, std::span<float> wanted) {
    const float eta = factors.eta;
    if (momentum.empty()) {
        for (std::size_t i = 0; i < g.size(); ++i) { wanted[i] = -(eta * g[i]); }
    } else {
        const float mu = factors.mu;
        for (std::size_t i = 0; i < g.size(); ++i) {
            const float buf = mu * momentum[i] + g[i];
            momentum[i] = buf;
            wanted[i] = -(eta * (g[i] + mu * buf));
        }
    }
    for (std::size_t i = 0; i < residual.size(); ++i) { wanted[i] += residual[i]; }
}

Result<void> outerStep(const core::Recipe& recipe, std::span<const float> meanDelta, OuterState& state, std::vector<float>& wanted) {
    if (auto ok = fitOuterState(recipe, meanDelta.size(), state); !ok) { return ok; }
    wanted.resize(meanDelta.size());
    outerStepRange(outerFactors(recipe), meanDelta, state.momentum, state.residual, wanted);
    ++state.revision;
    return {};
}

}  // namespace sunloco::outer
