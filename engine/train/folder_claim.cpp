// SPDX-License-Identifier: Apache-2.0
#include "engine/train/folder_claim.h"

#include "engine/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace sunloco::train {

core::Result<FolderClaim> FolderClaim::take(const std::filesystem::path& folder, int waitMs, const std::function<bool()>& goOn) {
    // The folder itself is locked: no file that could be left behind.
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return core::fileError(errno, "open", folder);
    constexpr int kStepMs = 50;
    for (int waited = 0; ::flock(fd, LOCK_EX | LOCK_NB) != 0; waited += kStepMs) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            const int error = errno;
            ::close(fd);
            return core::fileError(error, "lock", folder);
        }
        if (waited >= waitMs || !goOn()) {
            ::close(fd);
            return core::Error{core::ErrorCode::Busy, "another worker still works in this job folder", folder.string()};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
    }
    return FolderClaim(fd);
}

FolderClaim::FolderClaim(FolderClaim&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}

FolderClaim::~FolderClaim() {
    if (m_fd >= 0) ::close(m_fd);
}

}  // namespace sunloco::train
