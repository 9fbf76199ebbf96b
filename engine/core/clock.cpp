// SPDX-License-Identifier: Apache-2.0
#include "engine/core/clock.h"

#include <chrono>

namespace sunloco::core {

namespace {
template <typename C>
std::int64_t milliseconds() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(C::now().time_since_epoch()).count();
}
}  // namespace

UtcMs SystemClock::utcNow() const { return milliseconds<std::chrono::system_clock>(); }
MonotonicMs SystemClock::monotonicNow() const { return milliseconds<std::chrono::steady_clock>(); }

}  // namespace sunloco::core
