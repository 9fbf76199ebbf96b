// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/worker_messages.h"
#include "engine/model/gate.h"
#include "engine/train/duty_cycle.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

namespace sunloco::train {

/// The stop check between segments of a job: quiet holds the working thread, release and exit make it abandon its step, a duty cycle below 100 %
/// lets it rest. Requests come from another thread.
class JobGate final : public model::Gate {
public:
    /// `onQuiet` is called by the working thread once it does no more work, before it waits.
    explicit JobGate(std::function<void()> onQuiet) : m_onQuiet(std::move(onQuiet)), m_mark(Clock::now()) {}

    model::Pass pass() override;

    // Any thread:
    void stop(core::StopLevel level);
    /// Goes on after Quiet; a higher level cannot be taken back.
    void resume();
    void setDutyPercent(int percent);
    [[nodiscard]] bool isQuiet() const { return m_quiet; }
    [[nodiscard]] std::optional<core::StopLevel> stopLevel() const;
    /// Seconds of work so far, without waits.
    [[nodiscard]] double activeSeconds() const { return static_cast<double>(m_activeNs.load(std::memory_order_relaxed)) * 1e-9; }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kNone = -1;

    std::function<void()> m_onQuiet;
    std::atomic<int> m_level{kNone};
    std::atomic<int> m_percent{100};
    std::atomic<bool> m_quiet{false};
    std::atomic<std::int64_t> m_activeNs{0};
    std::mutex m_mutex;
    std::condition_variable m_changed;
    // Working thread only:
    DutyCycle m_duty;
    Clock::time_point m_mark;
};

}  // namespace sunloco::train
