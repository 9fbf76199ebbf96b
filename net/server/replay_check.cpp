// SPDX-License-Identifier: Apache-2.0
#include "net/server/replay_check.h"

#include "engine/core/safetensors.h"
#include "engine/outer/replay.h"
#include "net/server/project.h"

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr std::uint64_t kMaxObject = std::uint64_t{1} << 40;

}  // namespace

Result<ReplayCheck> replayProject(const std::filesystem::path& folder) {
    const auto project = openProject(folder);
    if (!project) { return project.error(); }
    const auto log = outer::EventLog::open(project->folder.eventLog());
    if (!log) { return log.error(); }
    outer::ReplaySource source;
    source.initial = [&](const outer::InitEvent& init) -> Result<std::vector<float>> {
        const auto model = core::parseModelConfig(init.modelJson);
        if (!model) { return model.error(); }
        return core::loadArena(project->objects->pathOf(init.baseObject), core::makeLayout(*model));
    };
    source.object = [&](const core::Digest& name) { return project->objects->load(name, kMaxObject); };
    const auto replayed = outer::replay(log->events(), source);
    if (!replayed) { return replayed.error(); }

    ReplayCheck check;
    check.equal = replayed->equal;
    check.difference = replayed->difference;
    for (const auto& base : replayed->bases) { check.bases.push_back(base.derived.hex()); }
    if (!check.equal) { return check; }
    // What was published must be what the log says: the open round's base is the last one.
    const auto row = project->store->currentRound();
    if (!row) { return row.error(); }
    const auto last = replayed->bases.empty() ? core::Digest{} : replayed->bases.back().derived;
    if (row->state != StoredRoundState::Closing && row->baseHash != last) {
        check.equal = false;
        check.difference = "the open round's base is " + row->baseHash.hex() + ", but the log ends with " + last.hex() + ".";
    }
    return check;
}

}  // namespace sunloco::server
