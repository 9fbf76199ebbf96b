// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/train/bench.h"

#include <iosfwd>

namespace sunloco::train {

/// The steps of runBench() one at a time, so that several programs can take turns on a machine whose clock wanders (tests/bench/side_by_side.py).
/// Each line "step" on `in` is one training step, "products" only the step's matrix products; the answer is one line of JSON
/// {"cpu_ms", "wall_ms", "peak_rss_mb", "loss"} on `out`. Ends with `in`.
core::Result<void> runBenchInteractively(const BenchPlan& plan, std::istream& in, std::ostream& out);

/// Writes what the steps train on, for other programs: config.json, model.safetensors and batches.safetensors (`tokens`, int32 [steps, 1, B, T + 1]).
core::Result<void> writeBenchInputs(const BenchPlan& plan, const std::filesystem::path& folder);

}  // namespace sunloco::train
