// SPDX-License-Identifier: Apache-2.0
// What the benches of training steps share; for bench*.cpp only.
#pragma once
#include "engine/train/bench.h"
#include "engine/train/trainer.h"

#include <ctime>

namespace sunloco::train {

constexpr double kBenchLearningRate = 1e-3;

/// Of CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, …
double seconds(clockid_t clock);

/// Fresh weights of the plan's model, ready to train.
struct BenchSetup {
    core::ModelConfig config;
    const model::Kernels* kernels = nullptr;
    std::unique_ptr<model::Transformer> model;
    TrainState state;
    std::int64_t plannedBytes = 0;   ///< planMemory() for the plan's way with activations; 0 when it does not fit
    /// Also sets the number of threads.
    static core::Result<BenchSetup> create(const BenchPlan& plan);
};

/// The made-up tokens of one step, a pure function of the plan's seed and the step's number.
class BenchBatch {
public:
    BenchBatch(const BenchPlan& plan, std::int64_t vocabulary, std::int64_t step);
    [[nodiscard]] std::span<const model::Batch> microBatches() const { return m_batches; }
    [[nodiscard]] std::span<const std::int32_t> tokens() const { return m_tokens; }

private:
    std::vector<std::int32_t> m_tokens;   // [B, T + 1]
    std::vector<model::Batch> m_batches;
};

}  // namespace sunloco::train
