// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sunloco::outer {

/// A pseudo-gradient with a larger value is no update of weights; the merge refuses it.
inline constexpr float kLargestDelta = 64.0F;

/// The token-weighted mean of pseudo-gradients, sum(w_i * D_i) / sum(w_i) (McMahan et al. 2017, FedAvg; DiLoCo, arXiv 2311.08105, with w_i = tokens).
/// Each product is rounded once to 64-bit fixed point, w * d * 2^(44 - s) with 2^s >= total weight, and integers are added: neither the order of the
/// contributions nor the machine changes a bit, and the error of the mean is below 2^-44 (6e-14) per contribution.
/// Memory: 8 bytes an element; large models are merged window by window. Thread: one at a time.
class FixedPointMerge {
public:
    /// `totalWeight` is at least the sum of all weights that will be added (1 to 2^53).
    FixedPointMerge(std::int64_t elements, std::int64_t totalWeight);

    /// Adds weight * delta; a weight of 0 changes nothing. After an error nothing was added: Numeric for a value that is NaN, infinite or beyond
    /// kLargestDelta, InvalidArgument for another length or a weight that does not fit the total.
    core::Result<void> add(std::span<const float> delta, std::int64_t weight);
    /// The weighted mean of what was added so far; InvalidArgument when that is nothing.
    core::Result<void> mean(std::span<float> out) const;
    /// Starts anew, with the same total.
    void clear();

private:
    std::vector<std::int64_t> m_sums;
    std::int64_t m_totalWeight;
    double m_unit;              ///< fixed-point units per 1.0 of weight * delta; a power of two
    std::int64_t m_weight = 0;
};

}  // namespace sunloco::outer
