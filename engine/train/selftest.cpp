// SPDX-License-Identifier: Apache-2.0
#include "engine/train/selftest.h"

#include "engine/core/initial_weights.h"
#include "engine/model/parallel.h"
#include "engine/train/courtesy.h"
#include "engine/train/cuda_module.h"
#include "engine/train/devices.h"
#include "engine/train/sandbox.h"
#include "engine/train/trainer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

namespace sunloco::train {

namespace {

constexpr const char* kModel = R"({"model_type":"llama","vocab_size":61,"hidden_size":32,"intermediate_size":48,"num_hidden_layers":2,
"num_attention_heads":4,"num_key_value_heads":2,"head_dim":8,"max_position_embeddings":32,"rms_norm_eps":1e-6,"hidden_act":"silu",
"tie_word_embeddings":false,"initializer_range":0.2,"rope_parameters":{"rope_type":"default","rope_theta":10000.0}})";
constexpr std::uint64_t kSeed = 7;
constexpr std::int64_t kSequences = 2, kLength = 24;
/// Loss of this model with its initial weights on the tokens below, computed once in double precision by a separate program in plain Python that
/// follows the definition of the model step by step.
constexpr double kKnownLoss = 4.413200088572403;
constexpr double kKnownTolerance = 2e-6;
constexpr double kSlopeTolerance = 1e-3;

std::vector<std::int32_t> knownTokens() {
    std::vector<std::int32_t> tokens;
    for (std::int64_t b = 0; b < kSequences; ++b)
        for (std::int64_t t = 0; t <= kLength; ++t) tokens.push_back(static_cast<std::int32_t>((7 * b + 5 * t * t + 3) % 61));
    return tokens;
}

/// A tiny model with everything that a step needs.
struct Bench {
    std::unique_ptr<model::Transformer> lm;
    TrainState state;
    std::vector<std::int32_t> tokens = knownTokens();
    [[nodiscard]] model::Batch batch() const { return {tokens.data(), kSequences, kLength}; }

    static core::Result<Bench> make() {
        Bench bench;
        auto config = core::parseModelConfig(kModel);
        if (!config) return config.error();
        auto lm = model::Transformer::create(*config);
        if (!lm) return lm.error();
        bench.lm = std::move(*lm);
        auto state = TrainState::allocate(bench.lm->layout().total);
        if (!state) return state.error();
        bench.state = std::move(*state);
        const std::vector<float> start = core::initialWeights(*config, bench.lm->layout(), kSeed);
        std::copy(start.begin(), start.end(), bench.state.weights.data());
        return bench;
    }
};

SelfCheck failed(std::string name, std::string text) { return {std::move(name), CheckResult::Failed, std::move(text)}; }
const char* kFaulty = "; this processor or its memory computes wrongly: check cooling and overclocking, run a memory test, and do not train on it";

SelfCheck checkKnownAnswer(const model::Kernels& kernels, const Disturbance& disturb) {
    const std::string name = std::string("known answer (") + model::isaName(kernels.isa) + ")";
    auto bench = Bench::make();
    if (!bench) return failed(name, bench.error().text());
    if (disturb) disturb(bench->state.weights.span(), 0);
    model::OpenGate gate;
    model::Compute compute(kernels, gate);
    if (auto ready = bench->lm->prepare(bench->batch(), false); !ready) return failed(name, ready.error().text());
    const double loss = bench->lm->lossSum(compute, bench->batch(), bench->state.weights.data()) / static_cast<double>(kSequences * kLength);
    const double distance = std::abs(loss - kKnownLoss);
    const std::string text = "loss " + std::to_string(loss) + ", wanted " + std::to_string(kKnownLoss);
    if (!(distance <= kKnownTolerance)) return failed(name, text + kFaulty);
    return {name, CheckResult::Passed, text};
}

/// (loss(w + e d) - loss(w - e d)) / 2e against |g| for d = g / |g|: the gradient is the slope of the loss.
SelfCheck checkSlope(const model::Kernels& kernels) {
    const std::string name = std::string("gradient is the slope of the loss (") + model::isaName(kernels.isa) + ")";
    auto bench = Bench::make();
    if (!bench) return failed(name, bench.error().text());
    model::OpenGate gate;
    model::Compute compute(kernels, gate);
    model::Transformer& lm = *bench->lm;
    const std::int64_t n = lm.layout().total;
    std::vector<float> gradient(static_cast<std::size_t>(n)), moved(gradient.size());
    if (auto ready = lm.prepare(bench->batch(), true); !ready) return failed(name, ready.error().text());
    lm.gradients(compute, bench->batch(), bench->state.weights.data(), gradient.data(), model::Accumulate::No, 1.0);
    const double norm = std::sqrt(compute.sumOfSquares(gradient.data(), n));
    constexpr double reach = 4e-3;
    double sides[2] = {};
    for (int side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < moved.size(); ++i)
            moved[i] = bench->state.weights.data()[i] + static_cast<float>((side == 0 ? reach : -reach) * static_cast<double>(gradient[i]) / norm);
        sides[side] = lm.lossSum(compute, bench->batch(), moved.data()) / static_cast<double>(kSequences * kLength);
    }
    const double slope = (sides[0] - sides[1]) / (2 * reach);
    const std::string text = "slope " + std::to_string(slope) + ", gradient norm " + std::to_string(norm);
    if (!(std::abs(slope - norm) <= kSlopeTolerance * norm)) return failed(name, text + kFaulty);
    return {name, CheckResult::Passed, text};
}

/// A bit that flips once, anywhere in weights, moments or on the way, ends in other bits of one of the arenas.
SelfCheck checkSameBits(const model::Kernels& kernels, const Disturbance& disturb) {
    const std::string name = "the same step twice";
    std::optional<TrainState> first;
    const auto equal = [](const model::FloatBuffer& a, const model::FloatBuffer& b) { return std::memcmp(a.data(), b.data(), a.span().size_bytes()) == 0; };
    for (int attempt = 0; attempt < 2; ++attempt) {
        auto bench = Bench::make();
        if (!bench) return failed(name, bench.error().text());
        if (disturb) disturb(bench->state.weights.span(), attempt);
        model::OpenGate gate;
        model::Compute compute(kernels, gate);
        auto trainer = Trainer::create(*bench->lm, compute, {});
        if (!trainer) return failed(name, trainer.error().text());
        const model::Batch batch = bench->batch();
        for (int i = 0; i < 8; ++i)
            if (auto step = trainer->step({&batch, 1}, 1e-2, bench->state); !step || step->outcome != StepOutcome::Applied)
                return failed(name, std::string("a step was not applied") + kFaulty);
        TrainState& state = bench->state;
        if (!first) first = std::move(state);
        else if (!equal(first->weights, state.weights) || !equal(first->firstMoment, state.firstMoment) || !equal(first->secondMoment, state.secondMoment))
            return failed(name, std::string("the bits differ") + kFaulty);
    }
    return {name, CheckResult::Passed, "8 steps, equal bits"};
}

SelfCheck checkCuda() {
    const CudaStatus& status = probeCuda();
    if (!status.usable) return {"CUDA", CheckResult::Missing, status.text};
    // The card's AdamW against the processor's on the same arena.
    constexpr std::int64_t n = 10'000;
    std::vector<float> g(n), cpu[3], gpu[3];
    for (auto& arena : cpu) arena.resize(n);
    for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(i);
        g[at] = std::sin(static_cast<float>(i));
        cpu[0][at] = std::cos(static_cast<float>(i));
        cpu[1][at] = 0.1f * g[at];
        cpu[2][at] = 0.01f;
    }
    for (int k = 0; k < 3; ++k) gpu[k] = cpu[k];
    model::AdamwStep step;
    step.stepSize = 1e-3f;
    model::bestKernels().adamw(cpu[0].data(), g.data(), cpu[1].data(), cpu[2].data(), n, step);
    if (const int error = status.module->adamwHost(gpu[0].data(), g.data(), gpu[1].data(), gpu[2].data(), n, &step); error != 0)
        return failed("CUDA", status.text + "; " + status.module->errorText(error));
    double worst = 0;
    for (std::size_t i = 0; i < cpu[0].size(); ++i) worst = std::max(worst, std::abs(static_cast<double>(cpu[0][i]) - static_cast<double>(gpu[0][i])));
    if (!(worst < 1e-6)) return failed("CUDA", status.text + "; the card computes an optimizer step differently from the processor");
    return {"CUDA", CheckResult::Passed, status.text};
}

}  // namespace

std::vector<SelfCheck> runSelftest(std::string_view device, const Disturbance& disturb) {
    std::vector<SelfCheck> checks;
    checks.push_back({"version", CheckResult::Passed, buildText()});
    checks.push_back({"processor", CheckResult::Passed, processorName() + ", " + std::to_string(physicalCores()) + " cores usable, " +
                                                            std::to_string(physicalMemoryBytes() >> 20) + " MiB"});
    if (auto usable = checkDevice(device); usable) checks.push_back({"device " + std::string(device), CheckResult::Passed, "can be used"});
    else checks.push_back(failed("device " + std::string(device), usable.error().text()));
    const SandboxReport sandbox = sandboxSupport();
    checks.push_back({"seccomp", sandbox.seccomp ? CheckResult::Passed : CheckResult::Missing,
                      sandbox.seccomp ? "the worker is kept from sockets and programs" : "not available: the worker is not kept from sockets and programs"});
    checks.push_back({"Landlock", sandbox.landlockVersion > 0 ? CheckResult::Passed : CheckResult::Missing,
                      sandbox.landlockVersion > 0 ? "version " + std::to_string(sandbox.landlockVersion) + ": the worker sees only its job's files"
                                                  : "not available (Linux 5.13 or newer has it): the worker is not kept from other files"});
    checks.push_back(checkCuda());
    for (const model::Isa isa : {model::Isa::Generic, model::Isa::Avx2, model::Isa::Avx512})
        if (const model::Kernels* kernels = model::kernelsFor(isa)) {
            checks.push_back(checkKnownAnswer(*kernels, disturb));
            checks.push_back(checkSlope(*kernels));
        }
    checks.push_back(checkSameBits(model::bestKernels(), disturb));
    return checks;
}

bool allPassed(const std::vector<SelfCheck>& checks) {
    return std::none_of(checks.begin(), checks.end(), [](const SelfCheck& c) { return c.result == CheckResult::Failed; });
}

core::Json toJson(const std::vector<SelfCheck>& checks) {
    core::Json json = {{"ok", allPassed(checks)}, {"checks", core::Json::array()}};
    for (const SelfCheck& check : checks) {
        const char* result = check.result == CheckResult::Passed ? "passed" : check.result == CheckResult::Missing ? "missing" : "failed";
        json["checks"].push_back({{"name", check.name}, {"result", result}, {"text", check.text}});
    }
    return json;
}

}  // namespace sunloco::train
