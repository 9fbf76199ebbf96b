// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rope_table.h"

#include <cmath>
#include <numbers>

namespace sunloco::model {

namespace {

float frequency(const core::ModelConfig& config, std::int64_t pair) {
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(config.headDim);
    const float plain = 1.0f / std::pow(static_cast<float>(config.ropeTheta), exponent);
    switch (config.ropeScaling) {
    case core::RopeScaling::Default: return plain;
    case core::RopeScaling::Linear: return plain / static_cast<float>(config.ropeFactor);
    case core::RopeScaling::Llama3: {
        // Llama 3.1's rule: long wavelengths are stretched by the factor, short ones stay, those between are blended.
        const double wavelength = 2 * std::numbers::pi / static_cast<double>(plain);
        const double longest = config.ropeOriginalPositions / config.ropeLowFreqFactor, shortest = config.ropeOriginalPositions / config.ropeHighFreqFactor;
        if (wavelength > longest) return plain / static_cast<float>(config.ropeFactor);
        if (wavelength < shortest) return plain;
        const double blend = (config.ropeOriginalPositions / wavelength - config.ropeLowFreqFactor) / (config.ropeHighFreqFactor - config.ropeLowFreqFactor);
        return static_cast<float>((1 - blend) * static_cast<double>(plain) / config.ropeFactor + blend * static_cast<double>(plain));
    }
    }
    return plain;
}

}  // namespace

RopeTable makeRopeTable(const core::ModelConfig& config, std::int64_t positions) {
    const std::int64_t half = config.headDim / 2;
    RopeTable table;
    table.cosines.resize(static_cast<std::size_t>(positions * half));
    table.sines.resize(table.cosines.size());
    for (std::int64_t pair = 0; pair < half; ++pair) {
        const float f = frequency(config, pair);
        for (std::int64_t position = 0; position < positions; ++position) {
            // transformers rounds the angle to fp32 before it takes sine and cosine.
            const float angle = static_cast<float>(position) * f;
            table.cosines[static_cast<std::size_t>(position * half + pair)] = static_cast<float>(std::cos(static_cast<double>(angle)));
            table.sines[static_cast<std::size_t>(position * half + pair)] = static_cast<float>(std::sin(static_cast<double>(angle)));
        }
    }
    return table;
}

}  // namespace sunloco::model
