// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace sunloco::core {

/// Milliseconds since 1970-01-01 UTC.
using UtcMs = std::int64_t;
/// Milliseconds of a clock that never jumps (it stands still during system sleep on Linux).
using MonotonicMs = std::int64_t;

/// Time as a dependency, so that tests decide what time it is.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual UtcMs utcNow() const = 0;
    [[nodiscard]] virtual MonotonicMs monotonicNow() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] UtcMs utcNow() const override;
    [[nodiscard]] MonotonicMs monotonicNow() const override;
};

}  // namespace sunloco::core
