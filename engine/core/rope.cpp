// SPDX-License-Identifier: Apache-2.0
#include "engine/core/rope.h"

#include <cmath>
#include <numbers>

namespace sunloco::core {

float plainRopeFrequency(const ModelConfig& config, std::int64_t pair) {
    const float exponent = static_cast<float>(2 * pair) / static_cast<float>(config.headDim);
    return 1.0f / std::pow(static_cast<float>(config.ropeTheta), exponent);
}

float ropeFrequency(const ModelConfig& config, std::int64_t pair) {
    const float plain = plainRopeFrequency(config, pair);
    switch (config.ropeScaling) {
    case RopeScaling::Default: return plain;
    case RopeScaling::Linear: return plain / static_cast<float>(config.ropeFactor);
    case RopeScaling::Llama3: {
        // Llama 3.1's rule: long wavelengths are stretched by the factor, short ones stay, those between are blended.
        const double wavelength = 2 * std::numbers::pi / static_cast<double>(plain);
        const double longest = config.ropeOriginalPositions / config.ropeLowFreqFactor, shortest = config.ropeOriginalPositions / config.ropeHighFreqFactor;
        if (wavelength > longest) { return plain / static_cast<float>(config.ropeFactor); }
        if (wavelength < shortest) { return plain; }
        const double blend = (config.ropeOriginalPositions / wavelength - config.ropeLowFreqFactor) / (config.ropeHighFreqFactor - config.ropeLowFreqFactor);
        return static_cast<float>((1 - blend) * static_cast<double>(plain) / config.ropeFactor + blend * static_cast<double>(plain));
    }
    }
    return plain;
}

}  // namespace sunloco::core
