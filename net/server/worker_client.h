// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"

#include <atomic>
#include <filesystem>

namespace sunloco::server {

struct WorkerCall {
    std::filesystem::path program;        ///< sunloco-worker
    std::filesystem::path folder;         ///< holds job.json
    std::string device = "cpu";
    int threads = 1;
    int helloSeconds = 60;                ///< until the worker has said hello
    int silenceSeconds = 60;              ///< without any frame while it runs (it reports at least every 2 s)
    int totalSeconds = 3'600;
};

/// Runs one job in a worker process of its own and waits for its result. The worker gets no network and no key from us, runs at low
/// priority, and ends with its input. Blocks; `cancel` ends it within a quarter of a second.
core::Result<core::JobResult> runWorkerJob(const WorkerCall& call, const std::atomic<bool>& cancel);

}  // namespace sunloco::server
