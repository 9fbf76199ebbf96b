// SPDX-License-Identifier: Apache-2.0
#include "engine/train/bench_setup.h"

#include "engine/core/files.h"
#include "engine/core/initial_weights.h"
#include "engine/model/parallel.h"
#include "engine/train/memory_plan.h"

namespace sunloco::train {

namespace {
constexpr std::uint64_t kTokenStream = 0x746f6b656e73;
}

double seconds(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

core::Result<BenchSetup> BenchSetup::create(const BenchPlan& plan) {
    if (plan.batch < 1 || plan.length < 1 || plan.steps < 1)
        return core::Error{core::ErrorCode::InvalidArgument, "batch, sequence length and steps must be at least 1", {}};
    auto text = core::readTextFile(plan.config, 1 << 20);
    if (!text) return text.error();
    auto config = core::parseModelConfig(*text, plan.config.string());
    if (!config) return config.error();
    BenchSetup setup;
    setup.config = *config;
    setup.kernels = plan.bestIsa ? &model::bestKernels() : model::kernelsFor(plan.isa);
    if (setup.kernels == nullptr)
        return core::Error{core::ErrorCode::Unsupported, std::string("this processor has no ") + model::isaName(plan.isa), {}};
    model::setThreadCount(plan.threads);
    auto lm = model::Transformer::create(*config);
    if (!lm) return lm.error();
    setup.model = std::move(*lm);
    setup.model->setActivations(plan.activations);
    const FreeMemory memory = measureFreeMemory();
    if (auto planned = planMemory(*setup.model, plan.batch, plan.length, plan.threads, memory)) {
        const std::int64_t micro = planned->microBatch;
        setup.plannedBytes = planned->needed - setup.model->workspaceBytes(micro, plan.length, planned->activations) + setup.model->workspaceBytes(micro, plan.length, plan.activations);
    }
    auto state = TrainState::allocate(setup.model->layout().total);
    if (!state) return state.error();
    setup.state = std::move(*state);
    const std::vector<float> start = core::initialWeights(*config, setup.model->layout(), plan.seed);
    std::copy(start.begin(), start.end(), setup.state.weights.data());
    return setup;
}

BenchBatch::BenchBatch(const BenchPlan& plan, std::int64_t vocabulary, std::int64_t step) {
    const std::int64_t micro = microBatchSequences(plan.batch, plan.length), width = plan.length + 1;
    m_tokens.resize(static_cast<std::size_t>(plan.batch * width));
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const std::uint64_t counter = static_cast<std::uint64_t>(step) << 32 | static_cast<std::uint64_t>(i);
        m_tokens[i] = static_cast<std::int32_t>(core::philox(counter, kTokenStream, plan.seed)[0] % static_cast<std::uint64_t>(vocabulary));
    }
    for (std::int64_t row = 0; row < plan.batch; row += micro) m_batches.push_back({m_tokens.data() + row * width, micro, plan.length});
}

}  // namespace sunloco::train
