// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/recipe.h"
#include "engine/model/transformer.h"
#include "engine/train/loss_band.h"

namespace sunloco::train {

/// Settings of the inner optimizer; meaning as in the references' make_reference.py.
struct OptimizerSettings {
    double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weightDecay = 0.1, gradClip = 1.0;
    core::WeightFormat weights = core::WeightFormat::Fp32;
    std::uint64_t roundingSeed = 0;  ///< of stochastic rounding
};
/// `firstExample` of the lease goes into the rounding seed, so that volunteers of one round do not round alike.
OptimizerSettings optimizerOf(const core::Recipe& recipe, std::int64_t firstExample = 0);

/// All that a training run changes: flat fp32 arenas in the order of TensorLayout.
struct TrainState {
    model::FloatBuffer weights, firstMoment, secondMoment;
    std::int64_t adamSteps = 0;  ///< t of AdamW's bias correction
    static core::Result<TrainState> allocate(std::int64_t elements);
};

/// To be called after weights were taken from a base, before the first step from them: gives them the recipe's format (a base is fp32). `globalStep` is that
/// step's number; the rounding of a base and that of a step's result never share a key.
void enterBase(model::Compute& compute, const OptimizerSettings& settings, TrainState& state, std::int64_t globalStep);

enum class StepOutcome {
    Applied,
    Abandoned,  ///< the gate said so; weights and moments are untouched, the step can be redone to the same bits
    Refused,    ///< loss or gradient not finite, or the loss far outside its band; weights and moments are untouched
};

struct StepReport {
    StepOutcome outcome = StepOutcome::Abandoned;
    double loss = 0;      ///< mean nats per token under the weights before the step
    double gradNorm = 0;  ///< global L2 norm before clipping
};

/// Sequences of one micro-batch: the largest divisor of `sequences` that keeps a micro-batch at or below 4096 tokens. A function of the recipe alone,
/// so that a step is the same computation on every machine.
std::int64_t microBatchSequences(std::int64_t sequences, std::int64_t length);

/// Runs inner steps as transactions: gradients first, then clip and AdamW in one pass that is never left half done.
class Trainer {
public:
    /// `model` and `compute` outlive the trainer.
    static core::Result<Trainer> create(model::Transformer& model, model::Compute& compute, const OptimizerSettings& settings);

    /// One step over micro-batches of equal size, whose gradients are averaged. `globalStep` keys the stochastic rounding of its result.
    core::Result<StepReport> step(std::span<const model::Batch> microBatches, double learningRate, TrainState& state, LossBand* band = nullptr,
                                  std::int64_t globalStep = 0);

    /// Gradients of the last step (before clipping).
    [[nodiscard]] std::span<const float> gradients() const { return m_gradients.span(); }
    /// Where they are written, for a bench of parts of a step.
    [[nodiscard]] float* gradientBuffer() { return m_gradients.data(); }

private:
    Trainer(model::Transformer& model, model::Compute& compute, const OptimizerSettings& settings) : m_model(model), m_compute(compute), m_settings(settings) {}
    void apply(double learningRate, double gradNorm, TrainState& state, std::int64_t globalStep);

    model::Transformer& m_model;
    model::Compute& m_compute;
    OptimizerSettings m_settings;
    model::FloatBuffer m_gradients;
    model::FloatBuffer m_working;  ///< WeightFormat::Bf16: the weights that the model computes with (bf16 values in fp32 cells: this is the CPU)
};

}  // namespace sunloco::train
