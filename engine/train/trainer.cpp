// SPDX-License-Identifier: Apache-2.0
#include "engine/train/trainer.h"

#include "engine/core/initial_weights.h"

#include <algorithm>
#include <cmath>

namespace sunloco::train {

namespace {
constexpr std::int64_t kMicroBatchTokens = 4096;
constexpr std::uint64_t kRoundingStream = 0x726f756e64;     ///< keeps the rounding's seeds apart from other numbers of the same seed
constexpr std::uint64_t kEntrySteps = std::uint64_t{1} << 47;  ///< no training is so long: steps from here on key the rounding of bases
}

OptimizerSettings optimizerOf(const core::Recipe& recipe, std::int64_t firstExample) {
    const auto words = core::philox(static_cast<std::uint64_t>(firstExample), kRoundingStream, recipe.seed);
    return {recipe.beta1,        recipe.beta2,    recipe.adamEpsilon,
            recipe.weightDecay,  recipe.gradClip, recipe.weights,
            static_cast<std::uint64_t>(words[0]) << 32 | words[1]};
}

core::Result<TrainState> TrainState::allocate(std::int64_t elements) {
    TrainState state;
    for (model::FloatBuffer* buffer : {&state.weights, &state.firstMoment, &state.secondMoment}) {
        auto memory = model::FloatBuffer::allocate(elements);
        if (!memory) return memory.error();
        *buffer = std::move(*memory);
    }
    return state;
}

std::int64_t microBatchSequences(std::int64_t sequences, std::int64_t length) {
    std::int64_t size = std::clamp<std::int64_t>(kMicroBatchTokens / std::max<std::int64_t>(length, 1), 1, sequences);
    while (sequences % size != 0) --size;
    return size;
}

core::Result<Trainer> Trainer::create(model::Transformer& model, model::Compute& compute, const OptimizerSettings& settings) {
    Trainer trainer(model, compute, settings);
    auto gradients = model::FloatBuffer::allocate(model.layout().total);
    if (!gradients) return gradients.error();
    trainer.m_gradients = std::move(*gradients);
    if (settings.weights == core::WeightFormat::Bf16) {
        auto working = model::FloatBuffer::allocate(model.layout().total);
        if (!working) return working.error();
        trainer.m_working = std::move(*working);
    }
    return trainer;
}

void enterBase(model::Compute& compute, const OptimizerSettings& settings, TrainState& state, std::int64_t globalStep) {
    if (settings.weights != core::WeightFormat::Bf16Stochastic) return;
    compute.restart();
    const model::Compute::Committed committed(compute);
    compute.roundStochastically(state.weights.data(), state.weights.size(), 0, {settings.roundingSeed, kEntrySteps + static_cast<std::uint64_t>(globalStep)});
}

core::Result<StepReport> Trainer::step(std::span<const model::Batch> microBatches, double learningRate, TrainState& state, LossBand* band,
                                       std::int64_t globalStep) {
    m_compute.restart();
    const float* weights = state.weights.data();
    if (m_settings.weights == core::WeightFormat::Bf16) {
        m_compute.roundToBf16(weights, m_working.data(), state.weights.size());
        weights = m_working.data();
    }
    StepReport report;
    const double share = 1.0 / static_cast<double>(microBatches.size());
    for (std::size_t i = 0; i < microBatches.size(); ++i) {
        if (auto ready = m_model.prepare(microBatches[i], true); !ready) return ready.error();
        const model::Accumulate accumulate = i == 0 ? model::Accumulate::No : model::Accumulate::Yes;
        report.loss += share * m_model.gradients(m_compute, microBatches[i], weights, m_gradients.data(), accumulate, share);
    }
    report.gradNorm = std::sqrt(m_compute.sumOfSquares(m_gradients.data(), m_gradients.size()));
    if (m_compute.abandoned()) return report;
    if (!std::isfinite(report.loss) || !std::isfinite(report.gradNorm) || (band != nullptr && !band->accepts(report.loss))) {
        report.outcome = StepOutcome::Refused;
        return report;
    }
    if (band != nullptr) band->add(report.loss);
    apply(learningRate, report.gradNorm, state, globalStep);
    report.outcome = StepOutcome::Applied;
    return report;
}

void Trainer::apply(double learningRate, double gradNorm, TrainState& state, std::int64_t globalStep) {
    const model::Compute::Committed committed(m_compute);
    ++state.adamSteps;
    const double t = static_cast<double>(state.adamSteps);
    model::AdamwStep step;
    // torch.nn.utils.clip_grad_norm_: g *= min(1, clip / (norm + 1e-6))
    step.gradScale = static_cast<float>(std::min(1.0, m_settings.gradClip / (gradNorm + 1e-6)));
    step.oneMinusBeta1 = static_cast<float>(1 - m_settings.beta1);
    step.beta2 = static_cast<float>(m_settings.beta2);
    step.oneMinusBeta2 = static_cast<float>(1 - m_settings.beta2);
    step.stepSize = static_cast<float>(learningRate / (1 - std::pow(m_settings.beta1, t)));
    step.invSqrtCorrection2 = static_cast<float>(1 / std::sqrt(1 - std::pow(m_settings.beta2, t)));
    step.epsilon = static_cast<float>(m_settings.epsilon);
    // One pass over each run of neighbours with the same decay.
    const auto& slots = m_model.layout().slots;
    for (std::size_t first = 0; first < slots.size();) {
        std::size_t last = first;
        while (last + 1 < slots.size() && slots[last + 1].decay == slots[first].decay) ++last;
        const std::int64_t begin = slots[first].offset, count = slots[last].offset + slots[last].count - begin;
        step.decay = slots[first].decay ? static_cast<float>(1 - learningRate * m_settings.weightDecay) : 1.0f;
        m_compute.adamw(state.weights.data() + begin, m_gradients.data() + begin, state.firstMoment.data() + begin, state.secondMoment.data() + begin, count,
                        step);
        first = last + 1;
    }
    if (m_settings.weights == core::WeightFormat::Bf16Stochastic)
        m_compute.roundStochastically(state.weights.data(), state.weights.size(), 0, {m_settings.roundingSeed, static_cast<std::uint64_t>(globalStep)});
}

}  // namespace sunloco::train
