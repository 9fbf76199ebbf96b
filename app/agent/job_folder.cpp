// SPDX-License-Identifier: Apache-2.0
#include "app/agent/job_folder.h"

#include "engine/core/files.h"
#include "net/protocol/names.h"

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
namespace fs = std::filesystem;

constexpr const char* kInnerOut = "inner-out.safetensors";

}  // namespace

JobFolder::JobFolder(fs::path projectFolder, const WorkUnit& unit) : m_project(std::move(projectFolder)), m_path(m_project / "jobs" / unit.leaseId) {}

fs::path JobFolder::innerStatePath(const WorkUnit& unit) const { return m_project / "inner" / (unit.device + ".safetensors"); }

core::Result<void> JobFolder::write(const WorkUnit& unit, const protocol::Manifest& manifest, const BaseKeeper& files, core::FaultPolicy* faults) const {
    for (const fs::path& folder : {m_project / "jobs", m_path, m_project / "inner"}) {
        if (auto made = core::ensurePrivateDirectory(folder); !made) return made;
    }
    core::Job job;
    job.kind = core::JobKind::Train;
    job.modelConfigJson = manifest.modelJson;
    job.recipe = manifest.recipe;
    job.basePath = files.basePath(unit.baseHash).string();
    job.baseHash = unit.baseHash;
    for (const protocol::ShardRef& shard : manifest.shards) job.shards.push_back({files.shardPath(shard.object.sha256).string(), shard.object.sha256, shard.tokens});
    job.tokenBytes = static_cast<int>(manifest.tokenBytes);
    job.examples = unit.examples;
    job.firstGlobalStep = unit.firstGlobalStep;
    job.steps = unit.steps;
    if (manifest.recipe.innerState == core::InnerState::Keep) {
        job.innerStateIn = innerStatePath(unit).string();
        job.innerStateOut = (m_path / kInnerOut).string();
    }
    const std::string text = core::toJsonText(job);
    return core::writeFileAtomically(m_path / "job.json", core::asBytes(text), faults, 0600);
}

core::Result<void> checkParts(const fs::path& folder, const core::JobResult& result) {
    if (result.parts.empty()) return Error{ErrorCode::InvalidData, "the result has no parts", folder.string()};
    for (const core::PayloadPart& part : result.parts) {
        if (!protocol::isName(part.file)) return Error{ErrorCode::InvalidData, "a part has an impossible file name", folder.string()};
        std::error_code error;
        const auto size = fs::file_size(folder / part.file, error);
        if (error || size != part.bytes) return Error{ErrorCode::InvalidData, "the part " + part.file + " is missing or has another size", folder.string()};
        auto hash = core::sha256File(folder / part.file);
        if (!hash) return hash.error();
        if (*hash != part.sha256) return Error{ErrorCode::HashMismatch, "the part " + part.file + " was changed on the disk", folder.string()};
    }
    return {};
}

core::Result<core::JobResult> JobFolder::readResult() const {
    constexpr std::uint64_t kLargest = 8u << 20;
    auto text = core::readTextFile(m_path / "result.json", kLargest);
    if (!text) return text.error();
    return core::parseJobResult(*text);
}

void JobFolder::promoteInnerState(const WorkUnit& unit) const {
    std::error_code ignored;
    if (fs::exists(m_path / kInnerOut, ignored)) fs::rename(m_path / kInnerOut, innerStatePath(unit), ignored);
}

core::Result<void> JobFolder::remove(core::FaultPolicy* faults) const {
    if (auto fault = core::checkFault(faults, "file.remove"); !fault) return fault;
    std::error_code error;
    fs::remove_all(m_path, error);
    if (error) return core::fileError(error.value(), "remove", m_path);
    return {};
}

}  // namespace sunloco::agent
