// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/project_folder.h"

namespace sunloco::server {

/// Holds a project's folder for one process; the system frees it when the process dies in any way.
class FolderLock {
public:
    /// Busy, with the other process's number, when somebody else has it.
    static core::Result<FolderLock> take(const ProjectFolder& folder);
    ~FolderLock();
    FolderLock(FolderLock&& other) noexcept;
    FolderLock& operator=(FolderLock&& other) noexcept;

private:
    explicit FolderLock(int fd) : m_fd(fd) {}
    int m_fd = -1;
};

}  // namespace sunloco::server
