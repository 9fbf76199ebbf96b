// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <filesystem>

namespace sunloco::agent {

/// Holds a data folder for one agent; the system frees it when the process dies in any way.
class DataFolder {
public:
    /// Makes the folder (mode 0700) and takes it. Busy: another agent has it, the error names its process.
    static core::Result<DataFolder> take(const std::filesystem::path& path);
    ~DataFolder();
    DataFolder(DataFolder&& other) noexcept;
    DataFolder& operator=(DataFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Bytes of all files below a folder; files that vanish meanwhile count as 0.
    static std::int64_t usedBytes(const std::filesystem::path& folder);

private:
    DataFolder(std::filesystem::path path, int fd) : m_path(std::move(path)), m_fd(fd) {}
    std::filesystem::path m_path;
    int m_fd = -1;
};

}  // namespace sunloco::agent
