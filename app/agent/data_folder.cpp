// SPDX-License-Identifier: Apache-2.0
#include "app/agent/data_folder.h"

#include "engine/core/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace sunloco::agent {

using core::Error;
using core::ErrorCode;

core::Result<DataFolder> DataFolder::take(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (auto made = core::ensurePrivateDirectory(path); !made) return made.error();
    const auto file = path / "agent.lock";
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return core::fileError(errno, "open", file);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
        char text[32] = {};
        const ssize_t n = ::pread(fd, text, sizeof text - 1, 0);
        ::close(fd);
        const std::string holder = n > 0 ? " (process " + std::string(text, static_cast<std::size_t>(n)) + ")" : "";
        return Error{ErrorCode::Busy, "another agent" + holder + " already uses this data folder; use sunloco-ctl to talk to it, or give another folder with --data-dir", path.string()};
    }
    const std::string pid = std::to_string(::getpid());
    // Only for the sentence above; the lock itself does not depend on it.
    if (::ftruncate(fd, 0) == 0) { [[maybe_unused]] const ssize_t n = ::pwrite(fd, pid.data(), pid.size(), 0); }
    return DataFolder(path, fd);
}

DataFolder::DataFolder(DataFolder&& other) noexcept : m_path(std::move(other.m_path)), m_fd(std::exchange(other.m_fd, -1)) {}

DataFolder::~DataFolder() {
    if (m_fd >= 0) ::close(m_fd);
}

std::int64_t DataFolder::usedBytes(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::int64_t sum = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error), end; !error && it != end; it.increment(error)) {
        std::error_code gone;
        if (it->is_regular_file(gone)) {
            const auto size = it->file_size(gone);
            if (!gone) sum += static_cast<std::int64_t>(size);
        }
    }
    return sum;
}

}  // namespace sunloco::agent
