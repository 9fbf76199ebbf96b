// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/core/result.h"
#include "engine/model/kernels.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace sunloco::train {

/// Bounds that a run has to keep against the fp64 run of the reference.
struct ParityBounds {
    double earlyLoss = 1e-6, loss = 5e-5;  ///< relative; the first 5 steps, all steps
    double earlyNorm = 1e-5, norm = 5e-4;
    double logits = 2e-5;                  ///< absolute
};

struct ParityStep {
    double learningRate = 0, loss = 0, gradNorm = 0;
};

struct ParityReport {
    std::vector<ParityStep> steps;
    bool compared = false;          ///< the folder had expected.json
    double worstEarlyLoss = 0, worstLoss = 0, worstEarlyNorm = 0, worstNorm = 0;
    std::optional<double> worstLogit;
    std::optional<double> worstFinalWeight;  ///< absolute, against final.safetensors of the fp32 run; told, not judged
    [[nodiscard]] bool within(const ParityBounds& bounds) const;
};

/// Trains the reference's batches from the reference's weights. Folder format: shared/reference's make_reference.py, repeated in tests/data/reference.
core::Result<ParityReport> runParity(const std::filesystem::path& folder, const model::Kernels& kernels);

core::Json toJson(const ParityReport& report);

}  // namespace sunloco::train
