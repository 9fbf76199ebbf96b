// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/worker_messages.h"

#include <deque>
#include <mutex>

namespace sunloco::train {

/// The latest figures of a running job: written by the working thread, read by the one that speaks with the parent.
class ProgressBoard {
public:
    void begin(std::int64_t stepsDone, std::int64_t steps, std::int64_t tokens, double loss);
    void stepDone(std::int64_t tokens, double loss, double activeSeconds);
    /// A step was not applied and training goes back; stays on the board until the next job.
    void rolledBack(std::int64_t step, std::int64_t count);
    [[nodiscard]] core::ProgressMessage read() const;

private:
    mutable std::mutex m_mutex;
    core::ProgressMessage m_latest;
    std::int64_t m_rollBacks = 0, m_rollBackStep = -1;
    std::deque<std::pair<double, std::int64_t>> m_recent;  // active seconds, tokens
};

}  // namespace sunloco::train
