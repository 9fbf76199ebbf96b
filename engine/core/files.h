// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"
#include "engine/core/fault_policy.h"

#include <filesystem>

namespace sunloco::core {

/// Error with the code that fits `errnoValue` (ENOSPC -> DiskFull, ENOENT -> NotFound, EACCES -> PermissionDenied, else Io).
Error fileError(int errnoValue, std::string_view doing, const std::filesystem::path& path);

/// Reads a whole file of at most `maxBytes`.
Result<Bytes> readFile(const std::filesystem::path& path, std::uint64_t maxBytes, FaultPolicy* faults = nullptr);
Result<std::string> readTextFile(const std::filesystem::path& path, std::uint64_t maxBytes, FaultPolicy* faults = nullptr);

/// Writes so that after a power loss either the old or the new content is there: temporary file in the same folder, fsync, rename, fsync of the folder.
Result<void> writeFileAtomically(const std::filesystem::path& path, ByteView bytes, FaultPolicy* faults = nullptr, unsigned mode = 0644);

/// The same from pieces that need not lie side by side: a large file needs no second copy in memory.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::span<const ByteView> pieces, FaultPolicy* faults = nullptr, unsigned mode = 0644);

/// Appends to a log whose good part has `at` bytes: what follows that is dropped first, the new bytes are flushed to the disk, and after a failure the file
/// has `at` bytes again. Creates the file.
Result<void> appendToFile(const std::filesystem::path& path, std::uint64_t at, ByteView bytes, FaultPolicy* faults = nullptr);

/// Flushes a file, or a folder's entries, to the disk.
Result<void> syncPath(const std::filesystem::path& path);
/// fsync of the file, rename onto `to`, fsync of the folder.
Result<void> publishFile(const std::filesystem::path& from, const std::filesystem::path& to, FaultPolicy* faults = nullptr);

/// Creates a folder with mode 0700 (or the given one); refuses one owned by another user and a symbolic link.
Result<void> ensurePrivateDirectory(const std::filesystem::path& path);

/// Free bytes for this user on the file system that holds `path`.
Result<std::uint64_t> freeDiskBytes(const std::filesystem::path& path);

}  // namespace sunloco::core
