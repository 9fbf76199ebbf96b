// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/model/compute.h"
#include "engine/model/transformer.h"

#include <filesystem>
#include <optional>

namespace sunloco::train {

struct BenchPlan {
    std::filesystem::path config;
    std::int64_t batch = 12, length = 64, steps = 20;
    int threads = 1;
    int dutyPercent = 100;
    model::Isa isa = model::Isa::Generic;
    bool bestIsa = true;
    std::optional<model::Compute::Products> products;  ///< the best ones when not given
    model::Activations activations = model::Activations::Stored;
    std::int64_t stopRequests = 0;   ///< ask for quiet so many times at random moments and time the answers
    std::uint64_t seed = 1;
};

struct BenchReport {
    double tokensPerSecond = 0, cpuMsPerStep = 0, wallMsPerStep = 0, peakRssMb = 0;
    double loss = 0;                 ///< of the last step; the same for the same plan on the same machine
    double longestSegmentMs = 0;     ///< the longest that a stop request would have waited
    std::int64_t segmentsPerStep = 0;
    std::array<double, model::kWorkKinds> profileMs{};  ///< per step and kind of work
    double idleMs = 0;               ///< the rest of the wall time
    double plannedMb = 0;            ///< what planMemory() expected as the peak
    std::string isa;
    std::vector<double> stopMs;      ///< sorted: from a request for quiet to no more work
};

/// Trains on made-up tokens from fresh weights and takes times: medians over the steps after two that warm up.
core::Result<BenchReport> runBench(const BenchPlan& plan);
core::Json toJson(const BenchReport& report);

}  // namespace sunloco::train
