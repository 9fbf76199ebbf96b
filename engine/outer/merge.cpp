// SPDX-License-Identifier: Apache-2.0
#include "engine/outer/merge.h"

#include <algorithm>
#include <bit>

namespace sunloco::outer {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
/// Adding 1.5 * 2^52 leaves a double's integer part, rounded half to even, in the low bits of its mantissa (|x| <= 2^51). Unlike the processor's
/// conversion instruction this works on whole vectors with every instruction set.
constexpr double kRounder = 6755399441055744.0;
constexpr std::int64_t kMaxWeight = std::int64_t{1} << 53;
constexpr double kFraction = 0x1p44;   // kLargestDelta * 2^44 = 2^50 leaves the rounder one bit to spare

std::int64_t toFixed(double x) { return std::bit_cast<std::int64_t>(x + kRounder) - std::bit_cast<std::int64_t>(kRounder); }
double fromFixed(std::int64_t x) { return std::bit_cast<double>(x + std::bit_cast<std::int64_t>(kRounder)) - kRounder; }
}  // namespace

FixedPointMerge::FixedPointMerge(std::int64_t elements, std::int64_t totalWeight)
    : m_sums(static_cast<std::size_t>(elements), 0), m_totalWeight(std::clamp<std::int64_t>(totalWeight, 1, kMaxWeight)),
      m_unit(kFraction / static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(m_totalWeight)))) {}

Result<void> FixedPointMerge::add(std::span<const float> delta, std::int64_t weight) {
    if (delta.size() != m_sums.size()) { return Error{ErrorCode::InvalidArgument, "A contribution has " + std::to_string(delta.size()) + " values, the merge has " + std::to_string(m_sums.size()), {}}; }
    if (weight < 0 || weight > m_totalWeight - m_weight) { return Error{ErrorCode::InvalidArgument, "A weight of " + std::to_string(weight) + " does not fit the total of " + std::to_string(m_totalWeight), {}}; }
    // As integers, magnitudes compare as they do as floats, and NaN and infinity come out on top.
    std::int32_t largest = 0;
    for (const float value : delta) { largest = std::max(largest, std::bit_cast<std::int32_t>(value) & 0x7fffffff); }
    if (largest > std::bit_cast<std::int32_t>(kLargestDelta)) { return Error{ErrorCode::Numeric, "A contribution has a value that is not finite or larger than 64", {}}; }
    const double factor = static_cast<double>(weight) * m_unit;   // exact: an integer below 2^53 times a power of two
    for (std::size_t i = 0; i < delta.size(); ++i) { m_sums[i] += toFixed(static_cast<double>(delta[i]) * factor); }
    m_weight += weight;
    return {};
}

Result<void> FixedPointMerge::mean(std::span<float> out) const {
    if (out.size() != m_sums.size() || m_weight < 1) { return Error{ErrorCode::InvalidArgument, "There is nothing to take the mean of", {}}; }
    const double factor = 1.0 / (static_cast<double>(m_weight) * m_unit);
    for (std::size_t i = 0; i < out.size(); ++i) { out[i] = static_cast<float>(fromFixed(m_sums[i]) * factor); }
    return {};
}

void FixedPointMerge::clear() {
    std::fill(m_sums.begin(), m_sums.end(), 0);
    m_weight = 0;
}

}  // namespace sunloco::outer
