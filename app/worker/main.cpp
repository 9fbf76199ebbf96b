// SPDX-License-Identifier: Apache-2.0
// sunloco-worker: trains, evaluates and answers questions about the engine. Wiring only; the work is in engine/.
#include "app/worker/commands.h"
#include "engine/core/exit_codes.h"
#include "engine/train/courtesy.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>

namespace {

using namespace sunloco;
using core::ExitCode;

int run(int argc, char** argv) {
    CLI::App app{"Trains and evaluates models for SunLoCo. Started by the agent and the server; the other commands are for people."};
    app.require_subcommand(1);
    app.set_version_flag("--version", "sunloco-worker 0.1.0");
    bool json = false, profile = false, interactive = false, recompute = false;
    int threads = 1;
    std::string device = "cpu", priority = "low", reference, isa, dtype = "f32", inputs, products, from = "hf", to = "hf", input, output;
    double checkpointSeconds = 60, vram = 0;
    train::BenchPlan plan;
    train::GeneratePlan generation;
    const auto common = [&](CLI::App* command) { command->add_flag("--json", json, "one JSON document on stdout"); };
    const auto parallel = [&](CLI::App* command) { command->add_option("--threads", threads, "processor threads")->check(CLI::Range(1, 1024)); };

    CLI::App* serveCommand = app.add_subcommand("serve", "work on jobs; frames on stdin and stdout (engine/core/worker_messages.h)");
    serveCommand->add_option("--priority", priority, "normal, low (nice 19) or idle (SCHED_IDLE)");
    serveCommand->add_option("--checkpoint-seconds", checkpointSeconds, "work between two checkpoints")->check(CLI::Range(0.0, 86400.0));
    CLI::App* benchCommand = app.add_subcommand("bench", "speed and memory of training steps");
    benchCommand->add_option("--model", plan.config, "config.json")->required();
    benchCommand->add_option("--batch", plan.batch, "sequences per step");
    benchCommand->add_option("--seq", plan.length, "tokens per sequence");
    benchCommand->add_option("--steps", plan.steps, "steps to measure");
    benchCommand->add_option("--throttle", plan.dutyPercent, "duty cycle in percent")->check(CLI::Range(25, 100));
    benchCommand->add_option("--stop-requests", plan.stopRequests, "ask for quiet so many times at random moments")->check(CLI::Range(0, 1 << 20));
    benchCommand->add_option("--isa", isa, "generic, avx2 or avx512; the best one when not given");
    benchCommand->add_option("--products", products, "library or own matrix products; the best ones when not given")->check(CLI::IsMember({"library", "own"}));
    benchCommand->add_option("--device", device, "cpu or cuda:N");
    benchCommand->add_flag("--recompute", recompute, "compute activations twice instead of storing them");
    benchCommand->add_flag("--interactive", interactive, "one step for each line \"step\" on stdin (tests/bench/side_by_side.py)");
    benchCommand->add_option("--write-inputs", inputs, "only write weights and batches into this folder, for other programs");
    benchCommand->add_flag("--profile", profile, "where the time goes");
    CLI::App* planCommand = app.add_subcommand("plan", "what a model needs of this machine's memory, or of a card's");
    planCommand->add_option("--model", plan.config, "config.json")->required();
    planCommand->add_option("--batch", plan.batch, "sequences per step");
    planCommand->add_option("--seq", plan.length, "tokens per sequence");
    planCommand->add_option("--vram", vram, "memory of a graphics card in GB, instead of this machine's")->check(CLI::Range(0.1, 1000.0));
    CLI::App* parityCommand = app.add_subcommand("parity", "train a reference run and compare");
    parityCommand->add_option("--reference", reference, "folder made by make_reference.py")->required();
    CLI::App* generateCommand = app.add_subcommand("generate", "continue a text");
    generateCommand->add_option("--model", generation.model, "folder with config.json, model.safetensors, tokenizer.model")->required();
    generateCommand->add_option("--prompt", generation.prompt, "the text to continue")->required();
    generateCommand->add_option("--max-tokens", generation.maxTokens, "tokens to add")->check(CLI::Range(0, 1 << 20));
    generateCommand->add_option("--temperature", generation.sampler.temperature, "0: always the most probable token")->check(CLI::Range(0.0, 100.0));
    generateCommand->add_option("--top-k", generation.sampler.topK, "only the k most probable tokens; 0: all")->check(CLI::Range(0, 1 << 24));
    generateCommand->add_option("--top-p", generation.sampler.topP, "only the tokens that make up this probability")->check(CLI::Range(0.0, 1.0));
    generateCommand->add_option("--seed", generation.sampler.seed, "same seed, same text");
    CLI::App* simulateCommand = app.add_subcommand("simulate", "virtual volunteers in one process");
    simulateCommand->add_option("PLAN", input, "plan.json (engine/simulate)")->required();
    CLI::App* selftestCommand = app.add_subcommand("selftest", "check this machine and the engine on it");
    selftestCommand->add_option("--device", device, "cpu or cuda:N");
    CLI::App* convertCommand = app.add_subcommand("convert", "write a model folder for other programs, or with another type of numbers");
    convertCommand->add_option("--from", from, "format")->check(CLI::IsMember({"hf"}));
    convertCommand->add_option("--to", to, "hf (a folder) or gguf (a file, for llama.cpp)")->check(CLI::IsMember({"hf", "gguf"}));
    convertCommand->add_option("--dtype", dtype, "f32, f16; bf16 (hf) or q8_0 (gguf)")->check(CLI::IsMember({"f32", "bf16", "f16", "q8_0"}));
    convertCommand->add_option("INPUT", input, "model folder")->required();
    convertCommand->add_option("OUTPUT", output, "folder or file to make")->required();
    for (CLI::App* command : {benchCommand, planCommand, parityCommand, generateCommand, simulateCommand}) parallel(command);
    for (CLI::App* command : {benchCommand, planCommand, parityCommand, generateCommand, simulateCommand, selftestCommand}) common(command);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::Usage);
    }
    const worker::Print print = json ? worker::Print::Json : worker::Print::Text;
    plan.threads = generation.threads = threads;
    plan.bestIsa = isa.empty();
    plan.isa = isa == "avx512" ? model::Isa::Avx512 : isa == "avx2" ? model::Isa::Avx2 : model::Isa::Generic;
    if (recompute) plan.activations = model::Activations::Recomputed;
    if (!products.empty()) plan.products = products == "own" ? model::Compute::Products::Own : model::Compute::Products::Library;
    if (*serveCommand) return worker::serve(priority, checkpointSeconds);
    if (*benchCommand && !inputs.empty()) return worker::writeBenchInputs(plan, inputs);
    if (*benchCommand && interactive) return worker::benchInteractively(plan);
    if (*benchCommand) return worker::bench(plan, device, profile ? worker::Profile::Yes : worker::Profile::No, print);
    if (*planCommand) return worker::planMemory(plan, vram, print);
    if (*parityCommand) return worker::parity(reference, threads, print);
    if (*generateCommand) return worker::generate(generation, print);
    if (*simulateCommand) return worker::simulate(input, threads, print);
    if (*selftestCommand) return worker::selftest(device, print);
    return worker::convert(input, output, to, dtype);
}

}  // namespace

int main(int argc, char** argv) {
    train::preferPassiveWaiting(argv);
    try {
        return run(argc, argv);
    } catch (const std::exception& exception) {
        std::cerr << "sunloco-worker: " << exception.what() << '\n';
        return static_cast<int>(ExitCode::Failed);
    }
}
