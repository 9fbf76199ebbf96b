// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/core/result.h"

#include <filesystem>

namespace sunloco::ctl {

/// The rules over a recorded day. `settings` may be empty: the standard settings. {transitions, totals}
core::Result<core::Json> replayDay(const std::filesystem::path& trace, const std::filesystem::path& settings);

}  // namespace sunloco::ctl
