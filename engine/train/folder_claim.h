// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <filesystem>
#include <functional>

namespace sunloco::train {

/// Keeps a second worker out of a job folder. After an agent was killed, its worker may still be saving while the next agent's worker starts.
/// The system frees the folder when the process dies in any way.
class FolderClaim {
public:
    /// Waits up to `waitMs` for the other worker, and no longer than `goOn` says yes. Busy when it is still there; NotFound without the folder.
    static core::Result<FolderClaim> take(const std::filesystem::path& folder, int waitMs, const std::function<bool()>& goOn);
    ~FolderClaim();
    FolderClaim(FolderClaim&& other) noexcept;
    FolderClaim& operator=(FolderClaim&&) = delete;

private:
    explicit FolderClaim(int fd) : m_fd(fd) {}
    int m_fd = -1;
};

}  // namespace sunloco::train
