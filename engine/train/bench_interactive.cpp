// SPDX-License-Identifier: Apache-2.0
#include "engine/train/bench_interactive.h"

#include "engine/core/files.h"
#include "engine/core/initial_weights.h"
#include "engine/core/safetensors.h"
#include "engine/train/bench_setup.h"
#include "engine/train/courtesy.h"

#include <nlohmann/json.hpp>

#include <istream>
#include <ostream>

namespace sunloco::train {

core::Result<void> runBenchInteractively(const BenchPlan& plan, std::istream& in, std::ostream& out) {
    auto setup = BenchSetup::create(plan);
    if (!setup) return setup.error();
    model::OpenGate gate;
    model::Compute compute(*setup->kernels, gate);
    if (plan.products) compute.setProducts(*plan.products);
    auto trainer = Trainer::create(*setup->model, compute, {});
    if (!trainer) return trainer.error();
    std::int64_t step = 0;
    for (std::string line; std::getline(in, line);) {
        if (line != "step" && line != "products") return core::Error{core::ErrorCode::InvalidArgument, "only the lines \"step\" and \"products\" are known", line.substr(0, 40)};
        const bool onlyProducts = line == "products";
        const BenchBatch batch(plan, setup->config.vocabSize, onlyProducts ? 0 : step++);
        compute.setOnlyProducts(onlyProducts);
        const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        double loss = 0;
        if (onlyProducts) {
            for (const model::Batch& micro : batch.microBatches()) {
                if (auto ready = setup->model->prepare(micro, true); !ready) return ready;
                setup->model->gradients(compute, micro, setup->state.weights.data(), trainer->gradientBuffer(), model::Accumulate::No, 1);
            }
        } else {
            auto report = trainer->step(batch.microBatches(), kBenchLearningRate, setup->state);
            if (!report) return report.error();
            loss = report->loss;
        }
        const core::Json answer = {{"cpu_ms", 1e3 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu)}, {"wall_ms", 1e3 * (seconds(CLOCK_MONOTONIC) - wall)},
                                   {"peak_rss_mb", peakResidentMegabytes()}, {"loss", loss}};
        out << answer.dump() << std::endl;
    }
    return {};
}

core::Result<void> writeBenchInputs(const BenchPlan& plan, const std::filesystem::path& folder) {
    auto setup = BenchSetup::create(plan);
    if (!setup) return setup.error();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return core::fileError(error.value(), "create the folder", folder);
    auto text = core::readTextFile(plan.config, 1 << 20);
    if (!text) return text.error();
    if (auto done = core::writeFileAtomically(folder / "config.json", core::asBytes(*text)); !done) return done;
    if (auto done = core::saveArena(folder / "model.safetensors", setup->state.weights.span(), setup->model->layout()); !done) return done;
    std::vector<std::int32_t> tokens;
    for (std::int64_t step = 0; step < plan.steps; ++step) {
        const BenchBatch batch(plan, setup->config.vocabSize, step);
        tokens.insert(tokens.end(), batch.tokens().begin(), batch.tokens().end());
    }
    const core::ByteView bytes{reinterpret_cast<const std::uint8_t*>(tokens.data()), tokens.size() * sizeof(std::int32_t)};
    return core::writeSafetensors(folder / "batches.safetensors", {{"tokens", core::DType::I32, {plan.steps, 1, plan.batch, plan.length + 1}, bytes}});
}

}  // namespace sunloco::train
