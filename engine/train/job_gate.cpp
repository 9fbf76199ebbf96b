// SPDX-License-Identifier: Apache-2.0
#include "engine/train/job_gate.h"

namespace sunloco::train {

namespace {
constexpr int kQuiet = static_cast<int>(core::StopLevel::Quiet);
}

model::Pass JobGate::pass() {
    const Clock::time_point now = Clock::now();
    const auto work = now - m_mark;
    m_activeNs.fetch_add(std::chrono::duration_cast<std::chrono::nanoseconds>(work).count(), std::memory_order_relaxed);
    m_mark = now;
    if (const int percent = m_percent.load(std::memory_order_relaxed); percent != m_duty.percent()) m_duty.setPercent(percent);
    if (const auto rest = m_duty.restAfter(work); rest > DutyCycle::Duration::zero() && m_level == kNone) {
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, rest, [this] { return m_level != kNone; });
        lock.unlock();
        m_mark = Clock::now();
        m_duty.rested(m_mark - now);
    }
    if (m_level == kQuiet) {
        m_quiet = true;
        m_onQuiet();
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_level != kQuiet; });
        m_quiet = false;
        m_mark = Clock::now();
    }
    return m_level > kQuiet ? model::Pass::Abandon : model::Pass::Go;
}

void JobGate::stop(core::StopLevel level) {
    const std::lock_guard lock(m_mutex);
    if (static_cast<int>(level) > m_level) m_level = static_cast<int>(level);
    m_changed.notify_all();
}

void JobGate::resume() {
    const std::lock_guard lock(m_mutex);
    if (m_level == kQuiet) m_level = kNone;
    m_changed.notify_all();
}

void JobGate::setDutyPercent(int percent) { m_percent = std::clamp(percent, DutyCycle::kLeast, 100); }

std::optional<core::StopLevel> JobGate::stopLevel() const {
    const int level = m_level;
    if (level == kNone) return std::nullopt;
    return static_cast<core::StopLevel>(level);
}

}  // namespace sunloco::train
