// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"

#include <filesystem>
#include <span>

namespace sunloco::checkpoint {

/// AdamW's moments, kept from one round of a project to the next (recipe: inner_state "keep").
struct MomentViews {
    std::span<const float> first, second;
    std::int64_t adamSteps = 0;
};

core::Result<void> saveMoments(const std::filesystem::path& path, const MomentViews& moments, core::FaultPolicy* faults = nullptr);

/// Fills the arenas and returns AdamW's step counter. A file of another model, or with a value that is not finite, is an error.
core::Result<std::int64_t> loadMoments(const std::filesystem::path& path, std::span<float> first, std::span<float> second);

}  // namespace sunloco::checkpoint
