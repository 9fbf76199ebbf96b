// SPDX-License-Identifier: Apache-2.0
#include "net/transfer/speed_limit.h"

#include <algorithm>
#include <limits>

namespace sunloco::transfer {
namespace {

constexpr std::int64_t kMilli = 1000;
constexpr std::int64_t kHighestRate = std::int64_t{1} << 40;  // keeps the products below 2^63; more than any line carries

}  // namespace

void SpeedLimit::setRate(std::int64_t bytesPerSecond, core::MonotonicMs now) {
    const std::int64_t rate = std::clamp<std::int64_t>(bytesPerSecond, 0, kHighestRate);
    if (rate == m_rate) return;
    m_rate = rate;
    m_millibytes = 0;
    m_filledAt = now;
}

/// A twentieth of a second's worth at least, so that a slow limit does not wake the thread for single bytes.
std::int64_t SpeedLimit::piece() const { return std::clamp<std::int64_t>(m_rate / 20, 1, 16 * 1024); }

void SpeedLimit::refill(core::MonotonicMs now) {
    const std::int64_t longest = std::numeric_limits<std::int64_t>::max() / 4 / m_rate;  // no overflow below
    const std::int64_t passed = std::clamp<std::int64_t>(now - m_filledAt, 0, longest);
    m_millibytes = std::min(m_millibytes + passed * m_rate, m_rate * kMilli);
    m_filledAt = now;
}

bool SpeedLimit::allows(core::MonotonicMs now) {
    if (m_rate == 0) return true;
    refill(now);
    return m_millibytes >= piece() * kMilli;
}

std::uint64_t SpeedLimit::granted() const {
    if (m_rate == 0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_millibytes / kMilli));
}

void SpeedLimit::take(std::uint64_t bytes) {
    if (m_rate > 0) m_millibytes -= static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, std::uint64_t{1} << 40)) * kMilli;
}

std::int64_t SpeedLimit::waitMs(core::MonotonicMs now) {
    if (allows(now)) return 0;
    const std::int64_t missing = piece() * kMilli - m_millibytes;
    return (missing + m_rate - 1) / m_rate;
}

}  // namespace sunloco::transfer
