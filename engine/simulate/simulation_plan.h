// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"
#include "engine/core/model_config.h"

#include <filesystem>

namespace sunloco::simulate {

enum class Outer {
    Recipe,  ///< as the recipe's method says
    None,    ///< one worker that never synchronises: the yardstick
};
enum class WorkerData {
    Split,  ///< no two workers see the same example of an epoch
    Same,   ///< all workers see the same ones
};

/// One run of the plan: {"name", "workers", "rounds", "outer": "recipe"|"none", "worker_data": "split"|"same", "drop_out": 0..1, "recipe": {...}}.
struct RunPlan {
    std::string name;
    std::int64_t workers = 1;
    std::int64_t rounds = 1;
    Outer outer = Outer::Recipe;
    WorkerData workerData = WorkerData::Split;
    double dropOut = 0;  ///< chance that a worker's contribution of a round is lost
    core::Recipe recipe;
};

/// Made-up text: a random chain in which each token has `successors` equally likely ones. {"tokens", "held_out", "successors", "seed"}.
struct MadeUpData {
    std::int64_t tokens = 50'000;
    std::int64_t heldOut = 5'000;
    std::int64_t successors = 2;
    std::uint64_t seed = 1;
};

struct Plan {
    core::ModelConfig model;
    MadeUpData madeUp;                      ///< used when there are no shards
    std::vector<core::ShardFile> shards;    ///< data: {"shards": [{"path", "sha256", "tokens"}], "held_out": [...], "token_bytes": 2|4}
    std::vector<core::ShardFile> heldOut;
    int tokenBytes = 2;
    std::filesystem::path folder;           ///< relative paths start here: the plan's folder
    std::vector<RunPlan> runs;
};

core::Result<Plan> readPlan(const std::filesystem::path& path);

}  // namespace sunloco::simulate
