// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sunloco::server {

struct ReplayCheck {
    bool equal = false;
    std::vector<std::string> bases;    ///< derived hashes in order: the initial base, then one a round
    std::string difference;            ///< a sentence when not equal
};

/// Derives every base again from the event log and the stored parts, and compares the hashes with the log and with the signed metadata.
core::Result<ReplayCheck> replayProject(const std::filesystem::path& folder);

}  // namespace sunloco::server
