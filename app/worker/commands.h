// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/safetensors.h"
#include "engine/train/bench.h"
#include "engine/train/generate.h"

#include <string>

/// What each command of sunloco-worker prints; every function returns the program's exit code.
namespace sunloco::worker {

enum class Print { Text, Json };
enum class Profile { No, Yes };

int complain(const core::Error& error);
int serve(const std::string& priority, double checkpointSeconds);
int bench(const train::BenchPlan& plan, const std::string& device, Profile profile, Print print);
int benchInteractively(const train::BenchPlan& plan);
int writeBenchInputs(const train::BenchPlan& plan, const std::string& folder);
/// `vramGb` 0: this machine's own memory.
int planMemory(const train::BenchPlan& plan, double vramGb, Print print);
int parity(const std::string& reference, int threads, Print print);
int generate(const train::GeneratePlan& plan, Print print);
int simulate(const std::string& plan, int threads, Print print);
int selftest(const std::string& device, Print print);
/// `format`: hf or gguf; `dtype`: f32, bf16 (hf only), f16 or q8_0 (gguf only).
int convert(const std::string& from, const std::string& to, const std::string& format, const std::string& dtype);

}  // namespace sunloco::worker
