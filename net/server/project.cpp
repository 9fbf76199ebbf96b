// SPDX-License-Identifier: Apache-2.0
#include "net/server/project.h"

#include "net/protocol/link.h"
#include "net/server/certificate.h"
#include "net/server/metadata_signer.h"

#include <algorithm>
#include <charconv>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;
using protocol::Role;

Result<OpenProject> openProject(const std::filesystem::path& folder, const std::filesystem::path& config) {
    OpenProject project;
    project.folder.root = folder;
    auto file = readProjectFile(project.folder);
    if (!file) { return file.error(); }
    project.file = std::move(*file);
    std::error_code ec;
    if (!config.empty() && !std::filesystem::exists(config, ec)) { return Error{ErrorCode::NotFound, "the configuration file is not there", config.string()}; }
    auto settings = loadServerConfig(config.empty() ? project.folder.configFile() : config);
    if (!settings) { return settings.error(); }
    project.config = std::move(*settings);
    auto store = SqliteStore::open(project.folder.database(), SqliteStore::Open::MustExist);
    if (!store) { return store.error(); }
    project.store = std::move(*store);
    auto objects = FileBlobStore::open(project.folder.objects());
    if (!objects) { return objects.error(); }
    project.objects = std::move(*objects);

    const auto read = [&](Role role, std::int64_t version) -> Result<MetadataFile> {
        auto found = project.store->metadata(role, version);
        if (!found) { return found.error(); }
        if (!*found) {
            return Error{ErrorCode::InvalidData, "the project has no signed " + std::string(protocol::name(role)) + " file: its making was not finished. Remove the folder and run init again",
                         folder.string()};
        }
        return std::move(**found);
    };
    const auto first = read(Role::Root, 1);
    if (!first) { return first.error(); }
    project.rootHash = core::sha256(core::asBytes(first->text));
    const auto rootFile = read(Role::Root, 0);
    if (!rootFile) { return rootFile.error(); }
    const auto rootText = payloadOf(*rootFile);
    if (!rootText) { return rootText.error(); }
    auto root = protocol::Root::parse(*rootText);
    if (!root) { return root.error(); }
    project.root = std::move(*root);
    const auto targetsFile = read(Role::Targets, 0);
    if (!targetsFile) { return targetsFile.error(); }
    const auto targetsText = payloadOf(*targetsFile);
    if (!targetsText) { return targetsText.error(); }
    auto targets = protocol::Targets::parse(*targetsText);
    if (!targets) { return targets.error(); }
    project.targets = std::move(*targets);
    return project;
}

std::int64_t epochExamples(const protocol::Manifest& manifest) {
    std::int64_t examples = 0;
    for (const auto& shard : manifest.shards) { examples += std::max<std::int64_t>(0, (shard.tokens - 1) / manifest.recipe.sequenceLength); }
    return examples;
}

Result<std::string> projectLink(const OpenProject& project, const std::string& authority) {
    protocol::ProjectLink link;
    link.host = authority;
    const auto colon = authority.rfind(':');
    if (colon != std::string::npos && authority.find(']', colon) == std::string::npos) {
        int port = 0;
        const auto [end, failed] = std::from_chars(authority.data() + colon + 1, authority.data() + authority.size(), port);
        if (failed != std::errc() || end != authority.data() + authority.size() || port < 1 || port > 65'535) {
            return Error{ErrorCode::InvalidArgument, "the public address must be HOST or HOST:PORT", authority};
        }
        link.host = authority.substr(0, colon);
        link.port = static_cast<std::uint16_t>(port);
    }
    if (link.host.size() > 2 && link.host.front() == '[') { link.host = link.host.substr(1, link.host.size() - 2); }
    link.root = project.rootHash;
    if (project.config.tlsCertificate.empty()) {
        const auto pin = certificatePin(project.folder.certificate());
        if (!pin) { return pin.error(); }
        link.pin = *pin;
    }
    return protocol::formatLink(link);
}

}  // namespace sunloco::server
