// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"
#include "engine/core/clock.h"

#include <optional>
#include <vector>

namespace sunloco::protocol {

enum class RoundState {
    Open,      ///< leases are given, contributions taken
    Closing,   ///< being merged and measured
    Halted,    ///< stopped by the operator
    Finished,  ///< the recipe's steps are done or no data is left
};
std::string_view name(RoundState state);

/// One closed round.
struct RoundHistory {
    std::int64_t round = 1;
    std::int64_t contributors = 0;
    std::int64_t tokens = 0;
    std::optional<double> heldOutLoss;          ///< nats per token; null = not measured
    std::int64_t bytesUp = 0;                   ///< from volunteers
    std::int64_t bytesDown = 0;                 ///< to volunteers
    double seconds = 0;                         ///< from opening to closing
    core::UtcMs closedAt = 0;
    double computeSeconds = 0;                  ///< sum over contributions of lease to commit
    bool operator==(const RoundHistory&) const = default;
};

struct EnergyTotal {
    double wattHours = 0;
    bool isEstimate = true;
    bool operator==(const EnergyTotal&) const = default;
};

/// GET /v1/status, public.
struct StatusAnswer {
    std::string projectId;
    std::string projectName;
    std::int64_t round = 1;
    RoundState state = RoundState::Open;
    core::UtcMs openedAt = 0;
    core::UtcMs deadline = 0;
    std::int64_t contributors = 0;              ///< devices with a committed contribution in the open round
    std::int64_t tokensTotal = 0;               ///< of all merged rounds
    std::optional<double> initialHeldOutLoss;   ///< before round 1
    std::optional<EnergyTotal> energy;          ///< absent when nobody reported any
    std::vector<RoundHistory> history;          ///< ascending
    bool operator==(const StatusAnswer&) const = default;
    static core::Result<StatusAnswer> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

}  // namespace sunloco::protocol
