// SPDX-License-Identifier: Apache-2.0
#include "app/worker/commands.h"

#include "engine/core/exit_codes.h"
#include "engine/core/files.h"
#include "engine/model/parallel.h"
#include "engine/simulate/simulation.h"
#include "engine/train/bench_interactive.h"
#include "engine/train/convert.h"
#include "engine/train/courtesy.h"
#include "engine/train/devices.h"
#include "engine/train/memory_plan.h"
#include "engine/train/parity.h"
#include "engine/train/sandbox.h"
#include "engine/train/selftest.h"
#include "engine/train/worker_service.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>

namespace sunloco::worker {

using core::ExitCode;

int complain(const core::Error& error) {
    std::cerr << "sunloco-worker: " << error.text() << '\n';
    return static_cast<int>(core::exitCodeFor(error.code));
}

int serve(const std::string& priority, double checkpointSeconds) {
    auto channel = train::FrameChannel::claimStandardStreams();
    if (!channel) return complain(channel.error());
    auto wanted = train::parsePriority(priority);
    if (!wanted) return complain(wanted.error());
    for (const std::string& line : train::applyPriority(*wanted)) std::cerr << line << '\n';
    for (const std::string& line : train::confineProcess()) std::cerr << line << '\n';
    train::WorkerService service(std::move(*channel), {checkpointSeconds, train::Confinement::On});
    return static_cast<int>(service.run());
}

int bench(const train::BenchPlan& plan, const std::string& device, Profile profile, Print print) {
    if (auto usable = train::checkDevice(device); !usable) return complain(usable.error());
    auto report = train::runBench(plan);
    if (!report) return complain(report.error());
    const core::Json json = train::toJson(*report);
    if (print == Print::Json) {
        std::cout << json.dump(2) << '\n';
        return 0;
    }
    std::printf("%.0f tokens/s, %.2f ms per step (%.2f ms of processor time), peak %.0f MB, loss %.6f, longest segment %.1f ms, %s\n",
                report->tokensPerSecond, report->wallMsPerStep, report->cpuMsPerStep, report->peakRssMb, report->loss, report->longestSegmentMs,
                report->isa.c_str());
    if (json.contains("stop_ms"))
        std::printf("quiet after a request: median %.1f ms, 95 %% within %.1f ms, longest %.1f ms, of %d\n", json["stop_ms"]["p50"].get<double>(),
                    json["stop_ms"]["p95"].get<double>(), json["stop_ms"]["max"].get<double>(), json["stop_ms"]["requests"].get<int>());
    if (profile == Profile::Yes)
        for (const auto& [name, ms] : json["profile_ms"].items())
            std::printf("  %-22s %8.2f ms  %5.1f %%\n", name.c_str(), ms.get<double>(), 100 * ms.get<double>() / report->wallMsPerStep);
    return 0;
}

int benchInteractively(const train::BenchPlan& plan) {
    const auto done = train::runBenchInteractively(plan, std::cin, std::cout);
    return done ? 0 : complain(done.error());
}

int writeBenchInputs(const train::BenchPlan& plan, const std::string& folder) {
    const auto done = train::writeBenchInputs(plan, folder);
    return done ? 0 : complain(done.error());
}

int planMemory(const train::BenchPlan& plan, double vramGb, Print print) {
    auto text = core::readTextFile(plan.config, 1 << 20);
    if (!text) return complain(text.error());
    auto config = core::parseModelConfig(*text, plan.config.string());
    if (!config) return complain(config.error());
    core::Json json;
    std::string sentence;
    if (vramGb > 0) {
        const auto card = train::planCard(*config, plan.length, static_cast<std::int64_t>(vramGb * 1e9));
        if (!card) return complain(card.error());
        json = {{"recipe", name(card->recipe)}, {"activations", name(card->activations)}, {"tokens", card->tokens}};
        sentence = std::string("recipe ") + name(card->recipe) + ", " + name(card->activations) + " activations, micro-batches of up to " + std::to_string(card->tokens) + " tokens";
    } else {
        auto lm = model::Transformer::create(*config);
        if (!lm) return complain(lm.error());
        const train::FreeMemory memory = train::measureFreeMemory();
        const auto planned = train::planMemory(**lm, plan.batch, plan.length, plan.threads, memory);
        if (!planned) return complain(planned.error());
        json = {{"needed_bytes", planned->needed}, {"available_bytes", memory.available}, {"reserve_bytes", planned->reserve}, {"micro_batch", planned->microBatch},
                {"recompute", planned->activations == model::Activations::Recomputed}};
        sentence = train::describe(*planned, memory);
    }
    std::cout << (print == Print::Json ? json.dump(2) : sentence) << '\n';
    return 0;
}

int parity(const std::string& reference, int threads, Print print) {
    model::setThreadCount(threads);
    auto report = train::runParity(reference, model::bestKernels());
    if (!report) return complain(report.error());
    if (print == Print::Json) {
        std::cout << train::toJson(*report).dump(2) << '\n';
    } else {
        for (std::size_t i = 0; i < report->steps.size(); ++i)
            std::printf("%4zu  lr %.6e  loss %.9f  gradient norm %.9f\n", i, report->steps[i].learningRate, report->steps[i].loss, report->steps[i].gradNorm);
        if (report->compared)
            for (const auto& [who, d] : {std::pair{"worst against fp64", report->worst}, {"PyTorch's own fp32 ", report->referenceFp32}})
                std::printf("%s: loss %.1e (first 5: %.1e), gradient norm %.1e (%.1e)\n", who, d.loss, d.earlyLoss, d.norm, d.earlyNorm);
    }
    return report->compared && !report->within({}) ? static_cast<int>(ExitCode::CheckFailed) : 0;
}

int generate(const train::GeneratePlan& plan, Print print) {
    if (print == Print::Text) std::cout << plan.prompt << std::flush;
    auto made = train::generate(plan, [print](std::string_view piece) {
        if (print == Print::Text) std::cout << piece << std::flush;
    });
    if (!made) return complain(made.error());
    if (print == Print::Json) std::cout << core::Json{{"text", made->text}, {"tokens", made->tokens}, {"tokens_per_s", made->tokensPerSecond}}.dump(2);
    std::cout << '\n';
    return 0;
}

int simulate(const std::string& path, int threads, Print print) {
    model::setThreadCount(threads);
    auto plan = simulate::readPlan(path);
    if (!plan) return complain(plan.error());
    std::vector<simulate::RunReport> reports;
    for (const simulate::RunPlan& run : plan->runs) {
        auto report = simulate::runOne(*plan, run, model::bestKernels());
        if (!report) return complain(report.error());
        if (print == Print::Text) {
            std::printf("%s: held-out loss %.4f at the start\n", report->name.c_str(), report->initialHeldOutLoss);
            for (std::size_t i = 0; i < report->rounds.size(); ++i)
                std::printf("  round %zu: loss %.4f, held-out loss %.4f, %lld contributors, %lld bytes up, %lld bytes down\n", i + 1, report->rounds[i].loss,
                            report->rounds[i].heldOutLoss, static_cast<long long>(report->rounds[i].contributors),
                            static_cast<long long>(report->rounds[i].bytesUp), static_cast<long long>(report->rounds[i].bytesDown));
        }
        reports.push_back(std::move(*report));
    }
    if (print == Print::Json) std::cout << simulate::toJson(reports).dump(2) << '\n';
    return 0;
}

int selftest(const std::string& device, Print print) {
    const auto checks = train::runSelftest(device);
    const core::Json json = train::toJson(checks);
    if (print == Print::Json) std::cout << json.dump(2) << '\n';
    else
        for (const core::Json& check : json["checks"])
            std::cout << check["result"].get<std::string>() << "  " << check["name"].get<std::string>() << ": " << check["text"].get<std::string>() << '\n';
    return train::allPassed(checks) ? 0 : static_cast<int>(ExitCode::CheckFailed);
}

int convert(const std::string& from, const std::string& to, const std::string& format, const std::string& dtype) {
    const bool gguf = format == "gguf";
    if (dtype == (gguf ? "bf16" : "q8_0"))
        return complain({core::ErrorCode::InvalidArgument, "the format " + format + " takes --dtype " + (gguf ? "f32, f16 or q8_0" : "f32, bf16 or f16"), dtype});
    if (gguf) {
        const auto type = dtype == "q8_0" ? data::GgufType::Q8_0 : dtype == "f16" ? data::GgufType::F16 : data::GgufType::F32;
        const auto converted = train::convertToGguf(from, to, type);
        return converted ? 0 : complain(converted.error());
    }
    const auto converted = train::convertModel(from, to, dtype == "bf16" ? core::DType::BF16 : dtype == "f16" ? core::DType::F16 : core::DType::F32);
    return converted ? 0 : complain(converted.error());
}

}  // namespace sunloco::worker
