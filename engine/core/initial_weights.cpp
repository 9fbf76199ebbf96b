// SPDX-License-Identifier: Apache-2.0
#include "engine/core/initial_weights.h"

#include <cmath>

namespace sunloco::core {

// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), section 4.2.
std::array<std::uint32_t, 4> philox(std::uint64_t counter, std::uint64_t stream, std::uint64_t seed) {
    constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
    constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
    std::array<std::uint32_t, 4> c{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
    std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{kMultiplier0} * c[0];
        const std::uint64_t p1 = std::uint64_t{kMultiplier1} * c[2];
        c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1), static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
        k0 += kWeyl0;
        k1 += kWeyl1;
    }
    return c;
}

namespace {
// A normal value as the sum of 12 uniforms minus 6 (variance 12/12 = 1): integers up to the last step, so no libm and no rounding that
// could differ between machines. Three Philox calls give the 12 words.
float normal(std::uint64_t element, std::uint64_t tensor, std::uint64_t seed, double scale) {
    std::int64_t sum = 0;
    for (std::uint64_t k = 0; k < 3; ++k) {
        for (const std::uint32_t word : philox(element * 3 + k, tensor, seed)) { sum += word; }
    }
    // 12 words average 12 * (2^32 - 1) / 2 = 6 * (2^32 - 1).
    const std::int64_t centred = sum - std::int64_t{6} * 0xFFFFFFFF;
    return static_cast<float>(static_cast<double>(centred) / 4294967296.0 * scale);
}

bool endsWith(const std::string& text, std::string_view end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}
}  // namespace

std::vector<float> initialWeights(const ModelConfig& config, const TensorLayout& layout, std::uint64_t seed) {
    std::vector<float> arena(static_cast<std::size_t>(layout.total));
    // sqrt is correctly rounded by IEEE 754, unlike the rest of libm.
    const double residual = config.initializerRange / std::sqrt(2.0 * static_cast<double>(config.layers));
    for (std::size_t t = 0; t < layout.slots.size(); ++t) {
        const TensorSlot& slot = layout.slots[t];
        const std::span<float> values(arena.data() + slot.offset, static_cast<std::size_t>(slot.count));
        if (slot.shape.size() < 2) {
            const float fill = endsWith(slot.name, ".bias") ? 0.0f : 1.0f;
            std::fill(values.begin(), values.end(), fill);
            continue;
        }
        const bool residualProjection = config.family == ModelFamily::Gpt2 && endsWith(slot.name, "c_proj.weight");
        const double scale = residualProjection ? residual : config.initializerRange;
        for (std::size_t i = 0; i < values.size(); ++i) { values[i] = normal(i, t, seed, scale); }
    }
    return arena;
}

}  // namespace sunloco::core
