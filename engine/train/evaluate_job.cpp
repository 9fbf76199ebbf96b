// SPDX-License-Identifier: Apache-2.0
#include "engine/core/safetensors.h"
#include "engine/model/transformer.h"
#include "engine/train/example_source.h"
#include "engine/train/job_runner.h"
#include "engine/train/trainer.h"

#include <algorithm>
#include <cmath>

namespace sunloco::train {

namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

Result<JobEnd> evaluate(const JobContext& context) {
    const core::Job& job = context.job;
    auto config = core::parseModelConfig(job.modelConfigJson);
    if (!config) return config.error();
    auto made = model::Transformer::create(*config);
    if (!made) return made.error();
    model::Transformer& lm = **made;
    const auto basePath = context.folder / std::filesystem::path(job.basePath);
    auto base = core::loadArena(basePath, lm.layout());
    if (!base) return base.error();
    if (core::arenaHash(*base) != job.baseHash)
        return Error{ErrorCode::HashMismatch, "the base weights are not the ones that the job names", basePath.string()};
    auto examples = ExampleSource::open(job, context.folder);
    if (!examples) return examples.error();

    const std::int64_t T = job.recipe.sequenceLength, width = T + 1;
    const std::int64_t all = examples->examplesPerEpoch();
    const std::int64_t wanted = job.maxSequences > 0 ? std::min(job.maxSequences, all) : all;
    if (wanted < 1) return Error{ErrorCode::InvalidData, "the held-out shards have no example of this length", "job.json"};
    const std::int64_t micro = microBatchSequences(job.recipe.batchSequences, T);
    model::Compute compute(context.kernels, context.gate);
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(micro * width));
    context.board.begin(0, wanted, 0, 0);
    double lossSum = 0;
    for (std::int64_t first = 0; first < wanted; first += micro) {
        const std::int64_t count = std::min(micro, wanted - first);
        for (std::int64_t row = 0; row < count; ++row) {
            const std::span<std::int32_t> target(tokens.data() + row * width, static_cast<std::size_t>(width));
            if (auto read = examples->readPlain(first + row, target); !read) return read.error();
        }
        const model::Batch batch{tokens.data(), count, T};
        if (auto ready = lm.prepare(batch, false); !ready) return ready.error();
        const double loss = lm.lossSum(compute, batch, base->data());
        // An evaluation is short and keeps nothing on the disk: it starts again.
        if (compute.abandoned()) return JobEnd::Released;
        lossSum += loss;
        for (std::int64_t row = 0; row < count; ++row) context.board.stepDone(T, loss / static_cast<double>(count * T), context.gate.activeSeconds());
    }
    core::JobResult result;
    result.kind = core::JobKind::Evaluate;
    result.heldOutTokens = wanted * T;
    result.heldOutLoss = lossSum / static_cast<double>(result.heldOutTokens);
    result.activeSeconds = context.gate.activeSeconds();
    if (!std::isfinite(result.heldOutLoss)) return Error{ErrorCode::Numeric, "the held-out loss is not a finite number", basePath.string()};
    if (auto published = publishResult(context, result); !published) return published.error();
    return JobEnd::Finished;
}

}  // namespace

JobOutcome runEvaluateJob(const JobContext& context) {
    auto end = evaluate(context);
    if (!end) return {std::nullopt, {end.error(), -1}};
    return {*end, {}};
}

}  // namespace sunloco::train
