// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>

namespace sunloco::train {

/// How long to rest between segments so that work fills `percent` of the time. Rests shorter than a scheduler's tick are saved up.
class DutyCycle {
public:
    using Duration = std::chrono::nanoseconds;
    static constexpr int kLeast = 25;
    static constexpr Duration kShortestRest = std::chrono::milliseconds(2);

    void setPercent(int percent) {
        m_percent = std::clamp(percent, kLeast, 100);
        m_owed = Duration::zero();
    }
    [[nodiscard]] int percent() const { return m_percent; }

    /// Call after each piece of work; rest for the result.
    Duration restAfter(Duration work) {
        // work / (work + rest) = percent / 100
        m_owed += work * (100 - m_percent) / m_percent;
        return m_owed < kShortestRest ? Duration::zero() : m_owed;
    }
    /// What the rest really was; oversleeping shortens the next one.
    void rested(Duration rest) { m_owed -= rest; }

private:
    int m_percent = 100;
    Duration m_owed{};
};

}  // namespace sunloco::train
