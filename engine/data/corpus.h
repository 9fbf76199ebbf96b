// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sunloco::data {

struct Document {
    std::filesystem::path file;
    std::string text;                ///< UTF-8, lines end with \n, no byte order mark
};

/// Reads the named files, and every file below the named folders except hidden ones (names that begin with a dot), in the order of their paths. Empty
/// files are passed over, and so is a file whose text another one has already (two names for one text must not put it into training and into held-out).
/// Errors: NotFound when a path is not there or there is no text at all; InvalidData for a file that is not UTF-8 or has a zero byte (it is no text),
/// with the file and the offset of the first wrong byte.
core::Result<std::vector<Document>> readCorpus(const std::vector<std::filesystem::path>& paths);

}  // namespace sunloco::data
