// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace sunloco::model {

struct SamplerSettings {
    double temperature = 0.8;   ///< 0: always the most probable token
    std::int64_t topK = 0;      ///< only the k most probable; 0: all
    double topP = 1.0;          ///< only the smallest set whose probability reaches p (arXiv 1904.09751)
    std::uint64_t seed = 1;
};

/// Draws tokens from logits; the n-th draw is a pure function of (seed, n, logits).
class Sampler {
public:
    explicit Sampler(const SamplerSettings& settings) : m_settings(settings) {}
    std::int32_t draw(std::span<const float> logits);

private:
    SamplerSettings m_settings;
    std::uint64_t m_draws = 0;
    std::vector<std::int32_t> m_order;
    std::vector<double> m_weights;
};

}  // namespace sunloco::model
