// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"

namespace sunloco::transfer {

/// The user's limit for one direction, shared by all files that move in it. Bytes are granted as time passes, at most a second's worth ahead;
/// what moved beyond the grant is a debt that is waited off. curl's own limit counts from the start of each transfer instead: lowered on the
/// way it would stand still until the average fits, which looks like a dead server. Thread: the transfer thread.
class SpeedLimit {
public:
    /// Bytes per second; 0 or less = no limit. An old debt is forgotten: it was made under another limit.
    void setRate(std::int64_t bytesPerSecond, core::MonotonicMs now);
    [[nodiscard]] std::int64_t rate() const { return m_rate; }
    /// Whether a file may move a piece now.
    [[nodiscard]] bool allows(core::MonotonicMs now);
    /// How many bytes may be sent at once; only after allows().
    [[nodiscard]] std::uint64_t granted() const;
    void take(std::uint64_t bytes);
    /// Milliseconds until allows() becomes true; 0 = now.
    [[nodiscard]] std::int64_t waitMs(core::MonotonicMs now);

private:
    void refill(core::MonotonicMs now);
    [[nodiscard]] std::int64_t piece() const;

    std::int64_t m_rate = 0;
    std::int64_t m_millibytes = 0;   ///< granted (or, below zero, owed) thousandths of a byte, so that no slow rate is lost in rounding
    core::MonotonicMs m_filledAt = 0;
};

/// Both directions.
struct SpeedLimits {
    SpeedLimit send;
    SpeedLimit receive;
};

}  // namespace sunloco::transfer
