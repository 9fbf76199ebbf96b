// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/core/result.h"
#include "engine/model/kernels.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace sunloco::train {

/// Distances of a run from the fp64 run of the reference: the largest over the steps, relative.
struct ParityDistances {
    double earlyLoss = 0, loss = 0;   ///< the first 5 steps, all steps
    double earlyNorm = 0, norm = 0;
};

/// Bounds that a run has to keep against the fp64 run of the reference.
///
/// Where PyTorch's own fp32 run is further away than half a bound, the bound is twice its distance: in the first steps AdamW's update is g / (|g| + epsilon),
/// so that one gradient element around 1e-9, which no fp32 forward pass knows to better than that, moves its weight by anything up to the learning rate
/// (llama-tied: one element of the first value projection; PyTorch's fp32 run is 2.0e-6 away at step 4).
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
    ParityDistances worst;
    ParityDistances referenceFp32;  ///< of PyTorch's own fp32 run
    std::optional<double> worstLogit;
    std::optional<double> worstFinalWeight;  ///< absolute, against final.safetensors of the fp32 run; told, not judged
    [[nodiscard]] bool within(const ParityBounds& bounds) const;
};

/// Trains the reference's batches from the reference's weights. Folder format: tests/data/reference/README.md; the weights may be in shards, as bf16 or fp16.
core::Result<ParityReport> runParity(const std::filesystem::path& folder, const model::Kernels& kernels);

core::Json toJson(const ParityReport& report);

}  // namespace sunloco::train
