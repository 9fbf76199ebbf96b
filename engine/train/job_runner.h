// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "engine/core/job.h"
#include "engine/model/kernels.h"
#include "engine/train/job_gate.h"
#include "engine/train/progress_board.h"

namespace sunloco::train {

/// What a job needs from around it. All references outlive the job.
struct JobContext {
    std::filesystem::path folder;  ///< job.json, checkpoints, parts, result.json
    core::Job job;
    core::Digest jobHash;          ///< SHA-256 of job.json
    JobGate& gate;
    ProgressBoard& board;
    const model::Kernels& kernels;
    double checkpointSeconds = 60;  ///< of work between two checkpoints
    core::FaultPolicy* faults = nullptr;
};

enum class JobEnd {
    Finished,  ///< result.json is complete and on the disk
    Released,  ///< stopped on request; a checkpoint is on the disk and Start goes on from it
};

struct JobFailure {
    core::Error error;
    std::int64_t step = -1;
};

/// Success, or what went wrong and at which step.
struct JobOutcome {
    std::optional<JobEnd> end;
    JobFailure failure;
};

/// Reads job.json of a folder.
core::Result<std::pair<core::Job, core::Digest>> readJob(const std::filesystem::path& folder);

/// result.json when the job was finished before (its parts are there with the right sizes and hashes), else no value.
std::optional<core::JobResult> finishedResult(const std::filesystem::path& folder, const core::Digest& jobHash);
/// Writes result.json (and which job it is of), atomically and last.
core::Result<void> publishResult(const JobContext& context, const core::JobResult& result);

/// Inner steps from the base, and the pseudo-gradient as payload parts.
JobOutcome runTrainJob(const JobContext& context);
/// Mean held-out loss of the base.
JobOutcome runEvaluateJob(const JobContext& context);
/// Whichever kind it is; exceptions end here as errors.
JobOutcome runJob(const JobContext& context);

}  // namespace sunloco::train
