// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/kernels.h"
#include "engine/simulate/simulation_plan.h"

namespace sunloco::simulate {

struct RoundReport {
    double loss = 0;         ///< mean over the workers of their last step's training loss
    double heldOutLoss = 0;  ///< of the base after the round
    std::int64_t contributors = 0;
    std::int64_t bytesUp = 0, bytesDown = 0;
};

struct RunReport {
    std::string name;
    double initialHeldOutLoss = 0;
    std::vector<RoundReport> rounds;
    std::vector<double> stepLosses;  ///< of worker 0, every inner step
    core::Digest baseHash;           ///< of the last base
    double wallSeconds = 0;
    [[nodiscard]] std::int64_t bytesUp() const;
    [[nodiscard]] std::int64_t bytesDown() const;
};

/// Runs one run of the plan. Weights start from the recipe's seed.
core::Result<RunReport> runOne(const Plan& plan, const RunPlan& run, const model::Kernels& kernels);

/// {"runs": [{"name", "loss", "held_out_loss", "bytes_up", "bytes_down", "wall_s", ...}]}
core::Json toJson(const std::vector<RunReport>& reports);

}  // namespace sunloco::simulate
