// SPDX-License-Identifier: Apache-2.0
#include "engine/train/progress_board.h"

namespace sunloco::train {

namespace {
constexpr double kWindowSeconds = 10;  ///< of active work, over which the rate is taken
}

void ProgressBoard::begin(std::int64_t stepsDone, std::int64_t steps, std::int64_t tokens, double loss) {
    const std::lock_guard lock(m_mutex);
    m_latest = {};
    m_latest.step = stepsDone;
    m_latest.steps = steps;
    m_latest.tokens = tokens;
    m_latest.loss = loss;
    m_recent.clear();
}

void ProgressBoard::stepDone(std::int64_t tokens, double loss, double activeSeconds) {
    const std::lock_guard lock(m_mutex);
    ++m_latest.step;
    m_latest.tokens += tokens;
    m_latest.loss = loss;
    m_latest.activeSeconds = activeSeconds;
    m_recent.emplace_back(activeSeconds, m_latest.tokens);
    while (m_recent.size() > 2 && activeSeconds - m_recent.front().first > kWindowSeconds) m_recent.pop_front();
    if (const double span = activeSeconds - m_recent.front().first; span > 0)
        m_latest.tokensPerSecond = static_cast<double>(m_latest.tokens - m_recent.front().second) / span;
}

void ProgressBoard::rolledBack(std::int64_t step, std::int64_t count) {
    const std::lock_guard lock(m_mutex);
    m_rollBackStep = step;
    m_rollBacks = count;
}

core::ProgressMessage ProgressBoard::read() const {
    const std::lock_guard lock(m_mutex);
    core::ProgressMessage message = m_latest;
    message.rollBacks = m_rollBacks;
    message.rollBackStep = m_rollBackStep;
    return message;
}

}  // namespace sunloco::train
