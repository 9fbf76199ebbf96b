// SPDX-License-Identifier: Apache-2.0
#include "net/server/folder_lock.h"

#include "engine/core/files.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace sunloco::server {

core::Result<FolderLock> FolderLock::take(const ProjectFolder& folder) {
    std::error_code ec;
    std::filesystem::create_directories(folder.run(), ec);
    if (ec) { return core::fileError(ec.value(), "creating the folder of the lock", folder.run()); }
    const auto path = folder.lockFile();
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) { return core::fileError(errno, "opening the lock", path); }
    FolderLock lock(fd);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) { return core::fileError(errno, "locking", path); }
        std::array<char, 32> text{};
        const auto n = ::pread(fd, text.data(), text.size() - 1, 0);
        std::string process(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
        while (!process.empty() && process.back() == '\n') { process.pop_back(); }
        return core::Error{core::ErrorCode::Busy,
                           "another sunloco-server" + (process.empty() ? std::string() : " (process " + process + ")") +
                               " is using this project's folder. Stop it first, or use the other server",
                           folder.root.string()};
    }
    const std::string self = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, self.data(), self.size(), 0) != static_cast<ssize_t>(self.size())) {
        return core::fileError(errno, "writing the lock", path);
    }
    return lock;
}

FolderLock::~FolderLock() {
    if (m_fd >= 0) { ::close(m_fd); }
}
FolderLock::FolderLock(FolderLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
    std::swap(m_fd, other.m_fd);
    return *this;
}

}  // namespace sunloco::server
