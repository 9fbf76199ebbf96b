// SPDX-License-Identifier: Apache-2.0
#include "engine/train/bench.h"

#include "engine/core/initial_weights.h"
#include "engine/train/bench_setup.h"
#include "engine/train/courtesy.h"
#include "engine/train/duty_cycle.h"
#include "engine/train/job_gate.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace sunloco::train {

namespace {

constexpr std::int64_t kWarmUp = 2;
constexpr std::uint64_t kMomentStream = 0x6d6f6d656e74;

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

/// Passes on to a JobGate (for its duty cycle) and measures the time between two stop checks.
class MeasuringGate final : public model::Gate {
public:
    explicit MeasuringGate(int percent) : m_gate([this] { noteQuiet(); }) { m_gate.setDutyPercent(percent); }
    model::Pass pass() override {
        if (m_last > 0) m_longest = std::max(m_longest, seconds(CLOCK_MONOTONIC) - m_last);
        const model::Pass result = m_gate.pass();
        m_last = seconds(CLOCK_MONOTONIC);
        return result;
    }
    void forget() { m_longest = 0; }
    [[nodiscard]] double longest() const { return m_longest; }

    /// Asks for quiet and waits until the working thread is; seconds. Call from another thread.
    double stopOnce() {
        std::unique_lock lock(m_mutex);
        m_quietAt = 0;
        const double asked = seconds(CLOCK_MONOTONIC);
        m_gate.stop(core::StopLevel::Quiet);
        m_changed.wait(lock, [this] { return m_quietAt > 0 || m_over; });
        const double took = m_quietAt - asked;
        m_gate.resume();
        return took;
    }
    /// No more work will come: nobody may wait for it.
    void finish() {
        const std::lock_guard lock(m_mutex);
        m_over = true;
        m_changed.notify_all();
    }
    [[nodiscard]] bool over() {
        const std::lock_guard lock(m_mutex);
        return m_over;
    }

private:
    void noteQuiet() {
        const std::lock_guard lock(m_mutex);
        m_quietAt = seconds(CLOCK_MONOTONIC);
        m_changed.notify_all();
    }
    JobGate m_gate;
    double m_last = 0, m_longest = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    double m_quietAt = 0;
    bool m_over = false;
};

/// Asks the working thread to be quiet at random moments, from a thread of its own.
class Interrupter {
public:
    Interrupter(MeasuringGate& gate, std::int64_t requests, std::uint64_t seed) : m_gate(gate) {
        m_thread = std::thread([this, requests, seed] {
            for (std::int64_t i = 0; i < requests; ++i) {
                const auto words = core::philox(static_cast<std::uint64_t>(i), kMomentStream, seed);
                std::this_thread::sleep_for(std::chrono::microseconds(20'000 + words[0] % 130'000));
                if (m_gate.over()) return;
                if (const double took = m_gate.stopOnce(); took > 0) m_milliseconds.push_back(1e3 * took);
            }
            m_done = true;
        });
    }
    ~Interrupter() { static_cast<void>(finish()); }
    [[nodiscard]] bool done() const { return m_done; }
    std::vector<double> finish() {
        m_gate.finish();
        if (m_thread.joinable()) m_thread.join();
        std::sort(m_milliseconds.begin(), m_milliseconds.end());
        return m_milliseconds;
    }

private:
    MeasuringGate& m_gate;
    std::vector<double> m_milliseconds;
    std::atomic<bool> m_done{false};
    std::thread m_thread;
};

core::Result<std::vector<double>> interruptedSteps(Trainer& trainer, TrainState& state, MeasuringGate& gate, const core::ModelConfig& config,
                                                   const BenchPlan& plan) {
    Interrupter interrupter(gate, plan.stopRequests, plan.seed);
    for (std::int64_t i = 0; !interrupter.done(); ++i) {
        const BenchBatch batch(plan, config.vocabSize, i);
        if (auto step = trainer.step(batch.microBatches(), kBenchLearningRate, state); !step) return step.error();
    }
    return interrupter.finish();
}

}  // namespace

core::Result<BenchReport> runBench(const BenchPlan& plan) {
    auto setup = BenchSetup::create(plan);
    if (!setup) return setup.error();
    TrainState& state = setup->state;
    MeasuringGate gate(plan.dutyPercent);
    model::Compute compute(*setup->kernels, gate);
    if (plan.products) compute.setProducts(*plan.products);
    auto trainer = Trainer::create(*setup->model, compute, {});
    if (!trainer) return trainer.error();

    std::vector<double> wall, cpu;
    std::array<std::vector<double>, model::kWorkKinds> kinds;
    BenchReport report;
    std::int64_t segmentsBefore = 0;
    for (std::int64_t i = 0; i < kWarmUp + plan.steps; ++i) {
        if (i == kWarmUp) {
            gate.forget();
            segmentsBefore = compute.segments();
        }
        const double wallStart = seconds(CLOCK_MONOTONIC), cpuStart = seconds(CLOCK_PROCESS_CPUTIME_ID);
        const BenchBatch batch(plan, setup->config.vocabSize, i);
        const double data = seconds(CLOCK_MONOTONIC) - wallStart;
        auto step = trainer->step(batch.microBatches(), kBenchLearningRate, state);
        if (!step) return step.error();
        if (step->outcome != StepOutcome::Applied) return core::Error{core::ErrorCode::Numeric, "the loss is not finite", "bench"};
        report.loss = step->loss;
        auto profile = compute.takeProfile();
        if (i < kWarmUp) continue;
        profile[static_cast<std::size_t>(model::Work::Data)] += data;
        wall.push_back(seconds(CLOCK_MONOTONIC) - wallStart);
        cpu.push_back(seconds(CLOCK_PROCESS_CPUTIME_ID) - cpuStart);
        for (std::size_t k = 0; k < kinds.size(); ++k) kinds[k].push_back(profile[k]);
    }
    report.wallMsPerStep = 1e3 * median(wall);
    report.cpuMsPerStep = 1e3 * median(cpu);
    report.tokensPerSecond = static_cast<double>(plan.batch * plan.length) / median(wall);
    report.peakRssMb = peakResidentMegabytes();
    report.plannedMb = static_cast<double>(setup->plannedBytes) / (1 << 20);
    report.longestSegmentMs = 1e3 * gate.longest();
    report.segmentsPerStep = (compute.segments() - segmentsBefore) / plan.steps;
    report.isa = model::isaName(setup->kernels->isa);
    double named = 0;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
        report.profileMs[k] = 1e3 * median(kinds[k]);
        named += report.profileMs[k];
    }
    report.idleMs = std::max(0.0, report.wallMsPerStep - named);
    if (plan.stopRequests > 0) {
        auto answers = interruptedSteps(*trainer, state, gate, setup->config, plan);
        if (!answers) return answers.error();
        report.stopMs = std::move(*answers);
    }
    return report;
}

core::Json toJson(const BenchReport& report) {
    core::Json json = {{"tokens_per_s", report.tokensPerSecond},
                       {"cpu_ms_per_step", report.cpuMsPerStep},
                       {"wall_ms_per_step", report.wallMsPerStep},
                       {"peak_rss_mb", report.peakRssMb},
                       {"planned_mb", report.plannedMb},
                       {"loss", report.loss},
                       {"longest_segment_ms", report.longestSegmentMs},
                       {"segments_per_step", report.segmentsPerStep},
                       {"isa", report.isa}};
    core::Json& profile = json["profile_ms"];
    for (int k = 0; k < model::kWorkKinds; ++k) profile[model::workName(static_cast<model::Work>(k))] = report.profileMs[static_cast<std::size_t>(k)];
    profile["idle"] = report.idleMs;
    if (const std::size_t n = report.stopMs.size(); n > 0)
        json["stop_ms"] = {{"requests", n}, {"p50", report.stopMs[n / 2]}, {"p95", report.stopMs[n * 95 / 100]}, {"max", report.stopMs.back()}};
    return json;
}

}  // namespace sunloco::train
