// SPDX-License-Identifier: Apache-2.0
#include "net/server/operator_commands.h"

#include "net/server/folder_lock.h"
#include "net/server/project.h"
#include "net/server/round_keeper.h"
#include "net/server/status_builder.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr int kAnswerSeconds = 120;
constexpr auto kAskEvery = std::chrono::milliseconds(100);

Result<std::string> askServer(SqliteStore& store, const std::string& command, const core::Clock& clock) {
    const auto id = store.addCommand(command, clock.utcNow());
    if (!id) { return id.error(); }
    const auto until = clock.monotonicNow() + kAnswerSeconds * 1000;
    while (clock.monotonicNow() < until) {
        const auto row = store.command(*id);
        if (!row) { return row.error(); }
        if (*row && (*row)->done) {
            const auto answer = core::parseJson((*row)->answer);
            if (!answer) { return answer.error(); }
            const auto ok = core::boolMember(*answer, "ok", "answer");
            const auto message = core::stringMember(*answer, "message", "answer");
            if (!ok || !message) { return Error{ErrorCode::Internal, "the server's answer could not be read", {}}; }
            if (!*ok) { return Error{ErrorCode::Conflict, *message, {}}; }
            return *message;
        }
        std::this_thread::sleep_for(kAskEvery);
    }
    return Error{ErrorCode::Timeout, "the running server did not answer within two minutes; its log says what it is doing", {}};
}

Result<std::string> doHere(OpenProject& project, const std::string& command, const core::Clock& clock) {
    auto signer = MetadataSigner::load(project.folder);
    if (!signer) { return signer.error(); }
    RoundCloser closer(project.folder, project.targets.manifest, *project.objects);
    RoundKeeper keeper(KeeperParts{project.folder, *project.store, project.targets.manifest, *signer, closer, clock, nullptr, nullptr, {}});
    if (const auto prepared = keeper.prepare(); !prepared) { return prepared.error(); }
    return keeper.command(command);
}

}  // namespace

Result<protocol::StatusAnswer> projectStatus(const std::filesystem::path& folder) {
    const auto project = openProject(folder);
    if (!project) { return project.error(); }
    return buildStatus(*project->store, project->root.project);
}

Result<std::string> projectLinkOf(const std::filesystem::path& folder) {
    const auto project = openProject(folder);
    if (!project) { return project.error(); }
    const auto authority = project->store->fact(kAuthorityFact);
    if (!authority) { return authority.error(); }
    if (!*authority) {
        return Error{ErrorCode::NotFound, "this project has not been served yet, so its address is not known. Start it with: sunloco-server serve " + folder.string(), folder.string()};
    }
    return projectLink(*project, **authority);
}

Result<std::string> makeInvite(const std::filesystem::path& folder, const core::Clock& clock) {
    const auto project = openProject(folder);
    if (!project) { return project.error(); }
    const std::string code = protocol::randomId();
    if (const auto added = project->store->addInvite(core::sha256(core::asBytes(code)), clock.utcNow()); !added) { return added.error(); }
    return code;
}

Result<std::string> operate(const std::filesystem::path& folder, const std::string& command, const core::Clock& clock) {
    auto project = openProject(folder);
    if (!project) { return project.error(); }
    const auto lock = FolderLock::take(project->folder);
    if (lock) { return doHere(*project, command, clock); }
    if (lock.error().code != ErrorCode::Busy) { return lock.error(); }
    return askServer(*project->store, command, clock);
}

}  // namespace sunloco::server
