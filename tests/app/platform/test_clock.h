// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"

namespace sunloco {

/// Time as the test says.
class TestClock final : public core::Clock {
public:
    [[nodiscard]] core::UtcMs utcNow() const override { return utc; }
    [[nodiscard]] core::MonotonicMs monotonicNow() const override { return monotonic; }
    void advance(std::int64_t ms) {
        utc += ms;
        monotonic += ms;
    }

    core::UtcMs utc = 1'736'942'400'000;
    core::MonotonicMs monotonic = 1'000'000;
};

}  // namespace sunloco
