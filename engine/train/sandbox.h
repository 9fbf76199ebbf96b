// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sunloco::train {

enum class Confinement { On, Off };

/// What a job may touch on the disk.
struct JobFiles {
    std::vector<std::filesystem::path> readable;  ///< files and folders
    std::vector<std::filesystem::path> writable;  ///< folders
};
JobFiles filesOf(const std::filesystem::path& folder, const core::Job& job);

/// For the whole process, for good: no sockets, no new programs, no tracing of others, no new privileges (seccomp). Call before other threads exist.
/// Returns one sentence for each protection that this system lacks.
std::vector<std::string> confineProcess();

/// For the calling thread and those it starts, for good: only these files, plus the system's libraries and /proc, /sys, /dev for reading (Landlock).
std::vector<std::string> confineThread(const JobFiles& files);

struct SandboxReport {
    bool seccomp = false;      ///< built in and granted by the kernel
    int landlockVersion = 0;   ///< ABI version, 0: none
};
/// What this system offers; changes nothing.
SandboxReport sandboxSupport();

}  // namespace sunloco::train
