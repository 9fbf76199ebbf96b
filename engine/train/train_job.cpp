// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_store.h"
#include "engine/checkpoint/moments.h"
#include "engine/core/safetensors.h"
#include "engine/model/parallel.h"
#include "engine/model/transformer.h"
#include "engine/train/example_source.h"
#include "engine/train/job_runner.h"
#include "engine/train/memory_plan.h"
#include "engine/train/payload.h"
#include "engine/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace sunloco::train {

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

/// So many steps with senseless values in one run of a job; after the last one the device is stopped rather than the work repeated.
constexpr int kMostRefusedSteps = 3;

void logLine(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

/// One training job from job.json to result.json.
class TrainJob {
public:
    explicit TrainJob(const JobContext& context)
        : m_context(context), m_job(context.job), m_store(context.folder, context.jobHash, context.faults), m_compute(context.kernels, context.gate) {}

    Result<JobEnd> run();
    [[nodiscard]] std::int64_t step() const { return m_counters.step; }

private:
    enum class Loop { Done, Stopped };
    Result<void> check();
    Result<std::vector<float>> loadBase() const;
    Result<void> loadState();
    Result<void> loadInnerState();
    Result<Loop> train();
    Result<StepReport> oneStep(Trainer& trainer, const ExampleSource& examples);
    Result<void> rollBack(const std::string& what);
    [[nodiscard]] bool stateIsFinite() const;
    [[nodiscard]] bool isEnough() const;  ///< all steps done, or the time box is over
    Result<void> save();
    Result<JobEnd> finish();
    [[nodiscard]] OptimizerSettings optimizer() const { return optimizerOf(m_job.recipe, m_job.examples.first); }
    [[nodiscard]] std::int64_t tokensPerStep() const { return m_job.recipe.batchSequences * m_job.recipe.sequenceLength; }
    [[nodiscard]] double activeSeconds() const { return m_earlierSeconds + m_context.gate.activeSeconds(); }
    [[nodiscard]] std::filesystem::path pathOf(const std::string& name) const { return m_context.folder / std::filesystem::path(name); }

    const JobContext& m_context;
    const core::Job& m_job;
    checkpoint::CheckpointStore m_store;
    model::Compute m_compute;
    std::unique_ptr<model::Transformer> m_model;
    TrainState m_state;
    checkpoint::Counters m_counters;
    double m_earlierSeconds = 0;  ///< active time before the last interruption
    double m_savedAt = 0;
    double m_saveEvery = 0;       ///< seconds of work
    int m_refusedSteps = 0;       ///< in this run of the job
    std::vector<std::int32_t> m_tokens;
};

Result<void> TrainJob::check() {
    auto config = core::parseModelConfig(m_job.modelConfigJson);
    if (!config) return config.error();
    if (m_job.steps < 1 || m_job.recipe.batchSequences < 1 || m_job.recipe.sequenceLength < 1)
        return Error{ErrorCode::InvalidData, "the job needs at least one step, sequence and token", "job.json"};
    if (m_job.examples.count < m_job.steps * m_job.recipe.batchSequences)
        return Error{ErrorCode::InvalidData, "the job has fewer examples than its steps use", "job.json"};
    if (m_job.recipe.sequenceLength > config->maxPositions)
        return Error{ErrorCode::InvalidData, "sequences of " + std::to_string(m_job.recipe.sequenceLength) + " tokens are longer than the model's " +
                                                 std::to_string(config->maxPositions) + " positions", "job.json"};
    auto made = model::Transformer::create(*config);
    if (!made) return made.error();
    m_model = std::move(*made);
    const FreeMemory memory = measureFreeMemory();
    auto plan = planMemory(*m_model, m_job.recipe.batchSequences, m_job.recipe.sequenceLength, model::threadCount(), memory, m_job.recipe.weights);
    if (!plan) return plan.error();
    m_model->setActivations(plan->activations);
    logLine(describe(*plan, memory));
    constexpr std::int64_t kArenasSaved = 3;
    const std::int64_t saved = kArenasSaved * static_cast<std::int64_t>(sizeof(float)) * m_model->layout().total;
    m_saveEvery = checkpoint::secondsBetweenSaves(m_context.checkpointSeconds, saved);
    logLine("the state (" + std::to_string(saved / 1'000'000) + " MB) is saved after every " + std::to_string(std::lround(m_saveEvery)) + " s of work, at most " +
            std::to_string(std::lround(checkpoint::kDailySaveBytes / 1e9)) + " GB a day");
    return {};
}

Result<std::vector<float>> TrainJob::loadBase() const {
    auto base = core::loadArena(pathOf(m_job.basePath), m_model->layout());
    if (!base) return base.error();
    if (core::arenaHash(*base) != m_job.baseHash)
        return Error{ErrorCode::HashMismatch, "the base weights are not the ones that the job names", pathOf(m_job.basePath).string()};
    return base;
}

Result<void> TrainJob::loadInnerState() {
    if (m_job.recipe.innerState != core::InnerState::Keep || m_job.innerStateIn.empty()) return {};
    const auto path = pathOf(m_job.innerStateIn);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return {};
    auto steps = checkpoint::loadMoments(path, m_state.firstMoment.span(), m_state.secondMoment.span());
    if (steps) {
        m_state.adamSteps = *steps;
        return {};
    }
    // Damaged moments are no reason to give a lease back: training goes on without them.
    logLine("the optimizer's state of the last round is not usable, starting with a fresh one: " + steps.error().text());
    m_state.firstMoment = model::FloatBuffer();
    m_state.secondMoment = model::FloatBuffer();
    for (model::FloatBuffer* buffer : {&m_state.firstMoment, &m_state.secondMoment}) {
        auto fresh = model::FloatBuffer::allocate(m_model->layout().total);
        if (!fresh) return fresh.error();
        *buffer = std::move(*fresh);
    }
    return {};
}

Result<void> TrainJob::loadState() {
    auto state = TrainState::allocate(m_model->layout().total);
    if (!state) return state.error();
    m_state = std::move(*state);
    auto saved = m_store.loadNewest({m_state.weights.span(), m_state.firstMoment.span(), m_state.secondMoment.span()});
    if (!saved) return saved.error();
    if (*saved && (*saved)->step <= m_job.steps) {
        m_counters = **saved;
        m_state.adamSteps = m_counters.adamSteps;
        m_earlierSeconds = m_savedAt = m_counters.activeSeconds;
        logLine("going on from the checkpoint at step " + std::to_string(m_counters.step) + " of " + std::to_string(m_job.steps));
    } else {
        auto base = loadBase();
        if (!base) return base.error();
        std::copy(base->begin(), base->end(), m_state.weights.data());
        std::fill(m_state.firstMoment.span().begin(), m_state.firstMoment.span().end(), 0.0f);
        std::fill(m_state.secondMoment.span().begin(), m_state.secondMoment.span().end(), 0.0f);
        enterBase(m_compute, optimizer(), m_state, m_job.firstGlobalStep);
        if (auto inner = loadInnerState(); !inner) return inner;
    }
    m_context.board.begin(m_counters.step, m_job.steps, m_counters.step * tokensPerStep(), m_counters.lastLoss);
    return {};
}

/// A moment that is no number makes its weight one, and a step only shows it when that weight is used.
bool TrainJob::stateIsFinite() const {
    for (const model::FloatBuffer* arena : {&m_state.weights, &m_state.firstMoment, &m_state.secondMoment})
        for (const float value : arena->span())
            if (!std::isfinite(value)) return false;
    return true;
}

Result<void> TrainJob::save() {
    if (!stateIsFinite()) {
        logLine("step " + std::to_string(m_counters.step) + " left values that are not numbers: not saved, the checkpoint before it stands");
        m_savedAt = activeSeconds();
        return {};
    }
    m_counters.adamSteps = m_state.adamSteps;
    m_counters.activeSeconds = activeSeconds();
    auto saved = m_store.save(m_counters, {m_state.weights.span(), m_state.firstMoment.span(), m_state.secondMoment.span()});
    if (saved) m_savedAt = m_counters.activeSeconds;
    return saved;
}

Result<StepReport> TrainJob::oneStep(Trainer& trainer, const ExampleSource& examples) {
    const core::Recipe& recipe = m_job.recipe;
    const std::int64_t B = recipe.batchSequences, T = recipe.sequenceLength, width = T + 1;
    m_tokens.resize(static_cast<std::size_t>(B * width));
    for (std::int64_t row = 0; row < B; ++row) {
        const std::int64_t number = m_job.examples.first + m_counters.step * B + row;
        const std::span<std::int32_t> target(m_tokens.data() + row * width, static_cast<std::size_t>(width));
        if (auto read = examples.readShuffled(number, target); !read) return read.error();
    }
    const std::int64_t micro = microBatchSequences(B, T);
    std::vector<model::Batch> batches;
    for (std::int64_t row = 0; row < B; row += micro) batches.push_back({m_tokens.data() + row * width, micro, T});
    const double learningRate = core::learningRateAt(recipe, m_job.firstGlobalStep + m_counters.step);
    // Tests let the memory go wrong here: a weight or a moment that is no number, and weights that are too large but numbers.
    if (!core::checkFault(m_context.faults, "memory.weights")) m_state.weights.data()[0] = std::numeric_limits<float>::quiet_NaN();
    if (!core::checkFault(m_context.faults, "memory.moments")) m_state.secondMoment.data()[0] = std::numeric_limits<float>::quiet_NaN();
    if (!core::checkFault(m_context.faults, "memory.scale"))
        for (float& weight : m_state.weights.span()) weight *= 64;
    return trainer.step(batches, learningRate, m_state, &m_counters.band, m_job.firstGlobalStep + m_counters.step);
}

/// A step whose loss or gradient makes no sense was not applied. What made it so may be in the state already (a flipped bit in a weight or a moment),
/// so training goes on from the last saved state, whose hash is checked.
Result<void> TrainJob::rollBack(const std::string& what) {
    ++m_refusedSteps;
    if (m_refusedSteps >= kMostRefusedSteps)
        return Error{ErrorCode::Numeric, "training met values that make no sense " + std::to_string(kMostRefusedSteps) + " times and was stopped (" + what +
                                             "). Either this device computes wrongly (overclocked, too hot, broken memory: sunloco-worker selftest) or the project's "
                                             "model has gone bad", "training"};
    logLine(what + "; going back to the last saved state (" + std::to_string(m_refusedSteps) + " of " + std::to_string(kMostRefusedSteps) + " times)");
    m_context.board.rolledBack(m_counters.step, m_refusedSteps);
    m_state = TrainState{};   // before the saved one is read: memory for two may not be there
    m_counters = checkpoint::Counters{};
    return loadState();
}

Result<TrainJob::Loop> TrainJob::train() {
    auto examples = ExampleSource::open(m_job, m_context.folder);
    if (!examples) return examples.error();
    auto trainer = Trainer::create(*m_model, m_compute, optimizer());
    if (!trainer) return trainer.error();
    while (true) {
        if (isEnough()) {
            if (stateIsFinite()) return Loop::Done;
            if (auto back = rollBack("step " + std::to_string(m_counters.step) + " left values that are not numbers"); !back) return back.error();
            continue;
        }
        auto report = oneStep(*trainer, *examples);
        if (!report) return report.error();
        if (report->outcome == StepOutcome::Abandoned) return Loop::Stopped;
        if (report->outcome == StepOutcome::Refused) {
            const std::string what = "step " + std::to_string(m_counters.step) + " was not applied: loss " + std::to_string(report->loss) + ", gradient norm " +
                                     std::to_string(report->gradNorm) + ", running mean of the loss " + std::to_string(m_counters.band.mean);
            if (auto back = rollBack(what); !back) return back.error();
            continue;
        }
        if (m_counters.step == 0) m_counters.entryLoss = report->loss;
        m_counters.lastLoss = report->loss;
        ++m_counters.step;
        m_context.board.stepDone(tokensPerStep(), report->loss, activeSeconds());
        if (activeSeconds() - m_savedAt >= m_saveEvery)
            if (auto saved = save(); !saved) {
                // The older generation still stands; try again later rather than lose the work in memory.
                logLine("the checkpoint could not be written, training goes on: " + saved.error().text());
                m_savedAt = activeSeconds();
            }
    }
}

bool TrainJob::isEnough() const {
    if (m_counters.step >= m_job.steps) return true;
    const bool boxed = m_job.timeBoxSeconds > 0 && activeSeconds() >= static_cast<double>(m_job.timeBoxSeconds);
    return boxed && m_counters.step >= std::max<std::int64_t>(1, std::min(m_job.recipe.minInnerSteps, m_job.steps));
}

Result<JobEnd> TrainJob::finish() {
    auto base = loadBase();
    if (!base) return base.error();
    auto payload = writePayload(m_context, *base, m_state.weights.span());
    if (!payload) return payload.error();
    if (!*payload) {
        if (auto saved = save(); !saved) return saved.error();
        return JobEnd::Released;
    }
    if (!m_job.innerStateOut.empty()) {
        const checkpoint::MomentViews moments{m_state.firstMoment.span(), m_state.secondMoment.span(), m_state.adamSteps};
        if (auto saved = checkpoint::saveMoments(pathOf(m_job.innerStateOut), moments, m_context.faults); !saved) return saved.error();
    }
    core::JobResult result;
    result.kind = core::JobKind::Train;
    result.stepsDone = m_counters.step;
    result.tokens = m_counters.step * tokensPerStep();
    result.entryLoss = m_counters.entryLoss;
    result.exitLoss = m_counters.lastLoss;
    result.activeSeconds = activeSeconds();
    result.parts = std::move((*payload)->parts);
    result.deltaNorm = (*payload)->deltaNorm;
    if (auto published = publishResult(m_context, result); !published) return published.error();
    m_store.clear();
    return JobEnd::Finished;
}

Result<JobEnd> TrainJob::run() {
    if (auto ok = check(); !ok) return ok.error();
    if (auto loaded = loadState(); !loaded) return loaded.error();
    auto loop = train();
    m_model->releaseWorkspace();
    if (!loop) return loop.error();
    if (*loop == Loop::Stopped) {
        if (auto saved = save(); !saved) return saved.error();
        return JobEnd::Released;
    }
    return finish();
}

}  // namespace

JobOutcome runTrainJob(const JobContext& context) {
    TrainJob job(context);
    auto end = job.run();
    if (!end) return {std::nullopt, {end.error(), job.step()}};
    return {*end, {}};
}

}  // namespace sunloco::train
