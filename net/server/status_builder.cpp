// SPDX-License-Identifier: Apache-2.0
#include "net/server/status_builder.h"

#include "net/protocol/limits.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sunloco::server {

core::Result<protocol::StatusAnswer> buildStatus(Store& store, const protocol::ProjectInfo& project) {
    const auto current = store.currentRound();
    if (!current) { return current.error(); }
    const auto closed = store.closedRounds();
    if (!closed) { return closed.error(); }
    const auto counts = store.countsOf(current->round);
    if (!counts) { return counts.error(); }
    const auto initial = store.fact(kInitialLossFact);
    if (!initial) { return initial.error(); }

    protocol::StatusAnswer status;
    status.projectId = project.id;
    status.projectName = project.name;
    status.round = current->round;
    switch (current->state) {
    case StoredRoundState::Closing: status.state = protocol::RoundState::Closing; break;
    case StoredRoundState::Halted: status.state = protocol::RoundState::Halted; break;
    case StoredRoundState::Finished: status.state = protocol::RoundState::Finished; break;
    default: status.state = protocol::RoundState::Open; break;
    }
    status.openedAt = current->openedAt;
    status.deadline = current->deadline;
    status.contributors = counts->devices;
    if (*initial) {
        const double loss = std::strtod((*initial)->c_str(), nullptr);
        if (std::isfinite(loss)) { status.initialHeldOutLoss = loss; }
    }
    for (const auto& row : *closed) {
        if (row.state != StoredRoundState::Closed) { continue; }   // a rolled-back round trained nothing
        protocol::RoundHistory entry;
        entry.round = row.round;
        entry.contributors = row.contributors;
        entry.tokens = row.tokens;
        entry.heldOutLoss = row.heldOutLoss;
        entry.bytesUp = row.bytesUp;
        entry.bytesDown = row.bytesDown;
        entry.seconds = static_cast<double>(row.closedAt - row.openedAt) / 1000.0;
        entry.closedAt = row.closedAt;
        entry.computeSeconds = row.computeSeconds;
        status.tokensTotal += row.tokens;
        status.history.push_back(entry);
    }
    if (status.history.size() > protocol::kMaxHistoryRows) {
        status.history.erase(status.history.begin(), status.history.end() - static_cast<std::ptrdiff_t>(protocol::kMaxHistoryRows));
    }
    return status;
}

std::int64_t usualRoundMs(const std::vector<RoundRow>& closed, std::int64_t deadlineMs) {
    constexpr std::size_t lastRounds = 5;
    constexpr std::int64_t unknownCap = 60'000;
    std::int64_t sum = 0;
    std::int64_t count = 0;
    for (auto row = closed.rbegin(); row != closed.rend() && count < static_cast<std::int64_t>(lastRounds); ++row) {
        if (row->state != StoredRoundState::Closed) { continue; }
        sum += std::max<std::int64_t>(0, row->closedAt - row->openedAt);
        ++count;
    }
    return count > 0 ? sum / count : std::min(deadlineMs, unknownCap);
}

}  // namespace sunloco::server
