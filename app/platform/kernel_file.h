// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sunloco::platform {

/// The text of a file under /proc or /sys, without trailing blanks and newlines; empty when it cannot be read.
/// Such files tell a size of 0 or of a page whatever they hold, so they are read until they end (at most 4 MiB).
std::string readKernelFile(const std::filesystem::path& path);

/// A file that holds one whole number that is not negative.
std::optional<std::uint64_t> readKernelNumber(const std::filesystem::path& path);

}  // namespace sunloco::platform
