// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"
#include "engine/train/job_runner.h"

namespace sunloco::train {

struct Payload {
    std::vector<core::PayloadPart> parts;
    double deltaNorm = 0;  ///< L2 of what a receiver will decode
};

/// The pseudo-gradient D = base - weights (positive along the descent), cut into fragments, encoded, and written as content-addressed part files.
/// No value when the gate asked to stop in between. Memory beyond the two arenas: one fragment.
core::Result<std::optional<Payload>> writePayload(const JobContext& context, std::span<const float> base, std::span<const float> weights);

}  // namespace sunloco::train
