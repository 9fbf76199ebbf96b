// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/base_keeper.h"
#include "app/agent/work_unit.h"

namespace sunloco::agent {

/// The folder that agent and worker share for one lease: job.json in, result.json and part files out.
class JobFolder {
public:
    JobFolder(std::filesystem::path projectFolder, const WorkUnit& unit);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::filesystem::path partPath(const core::PayloadPart& part) const { return m_path / part.file; }

    /// Writes job.json; the worker has everything it needs afterwards.
    core::Result<void> write(const WorkUnit& unit, const protocol::Manifest& manifest, const BaseKeeper& files, core::FaultPolicy* faults) const;
    /// result.json and every part it names, with names and sizes checked; NotFound when the job is not finished.
    [[nodiscard]] core::Result<core::JobResult> readResult() const;
    /// The moments that the finished job left become the ones the next job begins with. Harmless when repeated.
    void promoteInnerState(const WorkUnit& unit) const;
    core::Result<void> remove(core::FaultPolicy* faults) const;

private:
    [[nodiscard]] std::filesystem::path innerStatePath(const WorkUnit& unit) const;

    std::filesystem::path m_project;
    std::filesystem::path m_path;
};

/// Checks a result against the disk: part names are plain file names, sizes are right, hashes too.
core::Result<void> checkParts(const std::filesystem::path& folder, const core::JobResult& result);

}  // namespace sunloco::agent
