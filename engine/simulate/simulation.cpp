// SPDX-License-Identifier: Apache-2.0
#include "engine/simulate/simulation.h"

#include "engine/codec/codec.h"
#include "engine/core/initial_weights.h"
#include "engine/outer/round_close.h"
#include "engine/train/example_source.h"
#include "engine/train/trainer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace sunloco::simulate {

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using train::ExampleSource;

constexpr std::uint64_t kChainStream = 0x636861696e, kWalkStream = 0x77616c6b, kDropStream = 0x64726f70;

std::vector<std::int32_t> madeUpTokens(const MadeUpData& data, std::int64_t vocab, std::int64_t count, std::uint64_t part) {
    std::vector<std::int32_t> tokens;
    std::uint64_t token = part % static_cast<std::uint64_t>(vocab);
    for (std::int64_t i = 0; i < count; ++i) {
        tokens.push_back(static_cast<std::int32_t>(token));
        const std::uint64_t choice = core::philox(static_cast<std::uint64_t>(i), kWalkStream + part, data.seed)[0] % static_cast<std::uint64_t>(data.successors);
        token = core::philox(token << 20 | choice, kChainStream, data.seed)[0] % static_cast<std::uint64_t>(vocab);
    }
    return tokens;
}

Result<ExampleSource> openData(const Plan& plan, const core::Recipe& recipe, const std::vector<core::ShardFile>& shards, std::int64_t tokens, std::uint64_t part) {
    if (plan.shards.empty()) return ExampleSource::fromTokens(madeUpTokens(plan.madeUp, plan.model.vocabSize, tokens, part), recipe.sequenceLength, recipe.seed);
    core::Job job;
    job.recipe = recipe;
    job.shards = shards;
    job.tokenBytes = plan.tokenBytes;
    return ExampleSource::open(job, plan.folder);
}

/// One run: workers, base and outer state.
class Run {
public:
    Run(const Plan& plan, const RunPlan& run, const model::Kernels& kernels) : m_plan(plan), m_run(run), m_compute(kernels, m_gate) {}
    Result<RunReport> execute();

private:
    Result<void> prepare();
    Result<double> heldOutLoss();
    /// H inner steps of a worker from the base; returns the last loss.
    Result<double> innerSteps(std::int64_t worker, std::int64_t round, RunReport& report);
    Result<void> oneRound(std::int64_t round, RunReport& report);
    Result<core::Bytes> contributionOf(std::int64_t worker) const;
    [[nodiscard]] bool dropped(std::int64_t worker, std::int64_t round) const;

    const Plan& m_plan;
    const RunPlan& m_run;
    model::OpenGate m_gate;
    model::Compute m_compute;
    std::unique_ptr<model::Transformer> m_model;
    std::optional<train::Trainer> m_trainer;
    std::optional<ExampleSource> m_examples, m_heldOut;
    std::vector<train::TrainState> m_workers;
    std::vector<float> m_base;
    outer::OuterState m_outer;
};

Result<void> Run::prepare() {
    const core::Recipe& recipe = m_run.recipe;
    auto lm = model::Transformer::create(m_plan.model);
    if (!lm) return lm.error();
    m_model = std::move(*lm);
    auto trainer = train::Trainer::create(*m_model, m_compute, train::optimizerOf(recipe));
    if (!trainer) return trainer.error();
    m_trainer.emplace(std::move(*trainer));
    auto examples = openData(m_plan, recipe, m_plan.shards, m_plan.madeUp.tokens, 0);
    if (!examples) return examples.error();
    m_examples.emplace(std::move(*examples));
    auto heldOut = openData(m_plan, recipe, m_plan.heldOut, m_plan.madeUp.heldOut, 1);
    if (!heldOut) return heldOut.error();
    m_heldOut.emplace(std::move(*heldOut));
    m_base = core::initialWeights(m_plan.model, m_model->layout(), recipe.seed);
    for (std::int64_t worker = 0; worker < m_run.workers; ++worker) {
        auto state = train::TrainState::allocate(m_model->layout().total);
        if (!state) return state.error();
        m_workers.push_back(std::move(*state));
    }
    std::copy(m_base.begin(), m_base.end(), m_workers.front().weights.data());
    return {};
}

Result<double> Run::heldOutLoss() {
    const float* weights = m_run.outer == Outer::None ? m_workers.front().weights.data() : m_base.data();
    const std::int64_t T = m_run.recipe.sequenceLength, all = m_heldOut->examplesPerEpoch();
    const std::int64_t micro = train::microBatchSequences(m_run.recipe.batchSequences, T);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(micro * (T + 1)));
    double sum = 0;
    for (std::int64_t first = 0; first < all; first += micro) {
        const std::int64_t count = std::min(micro, all - first);
        for (std::int64_t row = 0; row < count; ++row)
            if (auto read = m_heldOut->readPlain(first + row, {tokens.data() + row * (T + 1), static_cast<std::size_t>(T + 1)}); !read) return read.error();
        const model::Batch batch{tokens.data(), count, T};
        if (auto ready = m_model->prepare(batch, false); !ready) return ready.error();
        sum += m_model->lossSum(m_compute, batch, weights);
    }
    return sum / static_cast<double>(all * T);
}

Result<double> Run::innerSteps(std::int64_t worker, std::int64_t round, RunReport& report) {
    const core::Recipe& recipe = m_run.recipe;
    const std::int64_t H = recipe.innerSteps, B = recipe.batchSequences, T = recipe.sequenceLength, width = T + 1;
    train::TrainState& state = m_workers[static_cast<std::size_t>(worker)];
    if (m_run.outer == Outer::Recipe) {
        std::copy(m_base.begin(), m_base.end(), state.weights.data());
        if (recipe.innerState == core::InnerState::Reset) {
            std::fill(state.firstMoment.span().begin(), state.firstMoment.span().end(), 0.0f);
            std::fill(state.secondMoment.span().begin(), state.secondMoment.span().end(), 0.0f);
            state.adamSteps = 0;
        }
    }
    // One trainer serves all virtual volunteers, so they share the rounding's seed; their step numbers keep them apart.
    const std::int64_t roundingStep = (round * m_run.workers + worker) * H;
    if (m_run.outer == Outer::Recipe || round == 0) train::enterBase(m_compute, train::optimizerOf(recipe), state, roundingStep);
    const std::int64_t lease = m_run.workerData == WorkerData::Split ? round * m_run.workers + worker : round;
    const std::int64_t micro = train::microBatchSequences(B, T);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(B * width));
    double loss = 0;
    for (std::int64_t step = 0; step < H; ++step) {
        for (std::int64_t row = 0; row < B; ++row) {
            const std::int64_t number = (lease * H + step) * B + row;
            if (auto read = m_examples->readShuffled(number, {tokens.data() + row * width, static_cast<std::size_t>(width)}); !read) return read.error();
        }
        std::vector<model::Batch> batches;
        for (std::int64_t row = 0; row < B; row += micro) batches.push_back({tokens.data() + row * width, micro, T});
        auto done = m_trainer->step(batches, core::learningRateAt(recipe, round * H + step), state, nullptr, roundingStep + step);
        if (!done) return done.error();
        if (done->outcome != train::StepOutcome::Applied) return Error{ErrorCode::Numeric, "the loss of a worker is not finite", m_run.name};
        loss = done->loss;
        if (worker == 0) report.stepLosses.push_back(loss);
    }
    return loss;
}

bool Run::dropped(std::int64_t worker, std::int64_t round) const {
    const auto words = core::philox(static_cast<std::uint64_t>(round * m_run.workers + worker), kDropStream, m_run.recipe.seed);
    return static_cast<double>(words[0]) * 0x1p-32 < m_run.dropOut;
}

Result<core::Bytes> Run::contributionOf(std::int64_t worker) const {
    // D = base - W, as a volunteer sends it.
    std::vector<float> delta(m_base.size());
    const float* weights = m_workers[static_cast<std::size_t>(worker)].weights.data();
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] = m_base[i] - weights[i];
    return codec::encodeAll(m_run.recipe.uploadCodec, static_cast<int>(m_run.recipe.codecBlock), delta);
}

Result<void> Run::oneRound(std::int64_t round, RunReport& report) {
    RoundReport& out = report.rounds.emplace_back();
    std::vector<core::Bytes> payloads;
    for (std::int64_t worker = 0; worker < m_run.workers; ++worker) {
        auto loss = innerSteps(worker, round, report);
        if (!loss) return loss.error();
        out.loss += *loss / static_cast<double>(m_run.workers);
        if (m_run.outer == Outer::None || dropped(worker, round)) continue;
        auto payload = contributionOf(worker);
        if (!payload) return payload.error();
        out.bytesUp += static_cast<std::int64_t>(payload->size());
        payloads.push_back(std::move(*payload));
    }
    out.contributors = static_cast<std::int64_t>(payloads.size());
    if (!payloads.empty()) {
        const std::int64_t tokens = m_run.recipe.innerSteps * m_run.recipe.batchSequences * m_run.recipe.sequenceLength;
        std::vector<outer::RoundContribution> contributions;
        for (std::size_t i = 0; i < payloads.size(); ++i)
            contributions.push_back({std::to_string(i), tokens, [&payloads, i](std::span<float> delta) { return codec::decodeAll(payloads[i], delta); }});
        auto closed = outer::closeRound(m_run.recipe, m_base, m_outer, contributions);
        if (!closed) return closed.error();
        out.bytesDown = static_cast<std::int64_t>(closed->update.size()) * m_run.workers;
    }
    auto heldOut = heldOutLoss();
    if (!heldOut) return heldOut.error();
    out.heldOutLoss = *heldOut;
    return {};
}

Result<RunReport> Run::execute() {
    const auto start = std::chrono::steady_clock::now();
    if (auto ready = prepare(); !ready) return ready.error();
    RunReport report;
    report.name = m_run.name;
    auto initial = heldOutLoss();
    if (!initial) return initial.error();
    report.initialHeldOutLoss = *initial;
    for (std::int64_t round = 0; round < m_run.rounds; ++round)
        if (auto done = oneRound(round, report); !done) return done.error();
    report.baseHash = m_run.outer == Outer::None ? core::arenaHash(m_workers.front().weights.span()) : core::arenaHash(m_base);
    report.wallSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

}  // namespace

std::int64_t RunReport::bytesUp() const {
    std::int64_t total = 0;
    for (const RoundReport& round : rounds) total += round.bytesUp;
    return total;
}

std::int64_t RunReport::bytesDown() const {
    std::int64_t total = 0;
    for (const RoundReport& round : rounds) total += round.bytesDown;
    return total;
}

Result<RunReport> runOne(const Plan& plan, const RunPlan& run, const model::Kernels& kernels) { return Run(plan, run, kernels).execute(); }

core::Json toJson(const std::vector<RunReport>& reports) {
    core::Json json = {{"runs", core::Json::array()}};
    for (const RunReport& report : reports) {
        core::Json rounds = core::Json::array();
        for (const RoundReport& round : report.rounds)
            rounds.push_back({{"loss", round.loss}, {"held_out_loss", round.heldOutLoss}, {"contributors", round.contributors},
                              {"bytes_up", round.bytesUp}, {"bytes_down", round.bytesDown}});
        json["runs"].push_back({{"name", report.name}, {"loss", report.rounds.back().loss}, {"held_out_loss", report.rounds.back().heldOutLoss},
                                {"initial_held_out_loss", report.initialHeldOutLoss}, {"bytes_up", report.bytesUp()}, {"bytes_down", report.bytesDown()},
                                {"wall_s", report.wallSeconds}, {"base_hash", report.baseHash.hex()}, {"rounds", std::move(rounds)}});
    }
    return json;
}

}  // namespace sunloco::simulate
