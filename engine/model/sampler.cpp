// SPDX-License-Identifier: Apache-2.0
#include "engine/model/sampler.h"

#include "engine/core/initial_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sunloco::model {

namespace {
constexpr std::uint64_t kStream = 0x73616d706c65;  ///< keeps these numbers apart from those of the initial weights
}

std::int32_t Sampler::draw(std::span<const float> logits) {
    const auto best = std::max_element(logits.begin(), logits.end());
    if (m_settings.temperature <= 0) return static_cast<std::int32_t>(best - logits.begin());
    m_order.resize(logits.size());
    std::iota(m_order.begin(), m_order.end(), 0);
    // Ties fall to the smaller id, so that the order is the same everywhere.
    const auto more = [&](std::int32_t a, std::int32_t b) {
        const float x = logits[static_cast<std::size_t>(a)], y = logits[static_cast<std::size_t>(b)];
        return x != y ? x > y : a < b;
    };
    std::size_t kept = m_order.size();
    if (m_settings.topK > 0) kept = std::min(kept, static_cast<std::size_t>(m_settings.topK));
    std::partial_sort(m_order.begin(), m_order.begin() + static_cast<std::ptrdiff_t>(kept), m_order.end(), more);
    m_weights.resize(kept);
    double total = 0;
    for (std::size_t i = 0; i < kept; ++i) {
        const double distance = static_cast<double>(logits[static_cast<std::size_t>(m_order[i])]) - static_cast<double>(*best);
        m_weights[i] = std::exp(distance / m_settings.temperature);
        total += m_weights[i];
    }
    if (m_settings.topP < 1) {
        double reached = 0;
        std::size_t i = 0;
        while (i < kept && reached < m_settings.topP * total) reached += m_weights[i++];
        kept = std::max<std::size_t>(i, 1);
        total = std::accumulate(m_weights.begin(), m_weights.begin() + static_cast<std::ptrdiff_t>(kept), 0.0);
    }
    const auto words = core::philox(m_draws++, kStream, m_settings.seed);
    const std::uint64_t bits = (static_cast<std::uint64_t>(words[0]) << 32 | words[1]) >> 11;
    double left = static_cast<double>(bits) * 0x1p-53 * total;
    for (std::size_t i = 0; i + 1 < kept; ++i) {
        left -= m_weights[i];
        if (left < 0) return m_order[i];
    }
    return m_order[kept - 1];
}

}  // namespace sunloco::model
