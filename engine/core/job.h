// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"
#include "engine/core/recipe.h"
#include "engine/core/sha256.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace sunloco::core {

/// A shard of token ids on disk: raw little-endian u16 (vocabulary <= 65536) or u32 values, no header.
struct ShardFile {
    std::string path;        ///< absolute, or relative to the job folder
    Digest sha256;
    std::int64_t tokens = 0;
};

enum class JobKind { Train, Evaluate };

/// A range of training examples of one epoch-spanning order: example e (0-based, counted over all epochs) is the element
/// permute(e mod N) of epoch e / N, where N is the number of examples in all shards (see engine/data/example_order.h).
struct ExampleRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// What job.json in a job folder says; written by the agent or the server, read by the worker. Closed schema.
struct Job {
    JobKind kind = JobKind::Train;
    std::string modelConfigJson;     ///< the config.json text itself
    Recipe recipe;
    std::string basePath;            ///< safetensors model file
    Digest baseHash;                 ///< arenaHash of it; checked after loading
    std::vector<ShardFile> shards;   ///< in manifest order; held-out shards for Evaluate
    int tokenBytes = 2;              ///< 2 or 4
    // Train
    ExampleRange examples;           ///< step i uses examples first + i*batch .. + batch - 1
    std::int64_t firstGlobalStep = 0;///< for the learning rate
    std::int64_t steps = 0;          ///< H of this lease
    std::int64_t timeBoxSeconds = 0; ///< end early after so much active time; 0 = none
    std::string innerStateIn;        ///< safetensors with the moments of the previous round; empty or missing file = fresh
    std::string innerStateOut;       ///< where to leave the moments at the end; empty = nowhere
    // Evaluate
    std::int64_t maxSequences = 0;   ///< 0 = all
};

Result<Job> parseJob(std::string_view json);
std::string toJsonText(const Job& job);

/// One finished part of the payload (a fragment of the flat arena), a file in the job folder.
struct PayloadPart {
    std::string file;                ///< name in the job folder, e.g. "part-0000.slcd"
    std::uint64_t bytes = 0;
    Digest sha256;
    std::int64_t firstElement = 0;
    std::int64_t elements = 0;
};

/// What result.json says when a job is finished.
struct JobResult {
    JobKind kind = JobKind::Train;
    std::int64_t stepsDone = 0;
    std::int64_t tokens = 0;
    double entryLoss = 0;            ///< loss of step 0 under the base
    double exitLoss = 0;             ///< loss of the last step
    double activeSeconds = 0;
    std::vector<PayloadPart> parts;
    double deltaNorm = 0;            ///< L2 of the decoded delta
    double heldOutLoss = 0;          ///< Evaluate: mean nats per token
    std::int64_t heldOutTokens = 0;
};

Result<JobResult> parseJobResult(std::string_view json);
std::string toJsonText(const JobResult& result);

}  // namespace sunloco::core
