// SPDX-License-Identifier: Apache-2.0
#include "net/server/project_folder.h"

#include "engine/core/files.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <sys/stat.h>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr std::uint64_t kMaxSmallFile = 64 * 1024;

/// A secret that others may read is no secret: refuse it instead of using it.
Result<std::string> readSecretFile(const std::filesystem::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) { return core::fileError(errno, "looking for a key", path); }
    if (!S_ISREG(info.st_mode)) { return Error{ErrorCode::PermissionDenied, "a key must be a plain file", path.string()}; }
    if ((info.st_mode & 077) != 0) { return Error{ErrorCode::PermissionDenied, "other users can read this key; take that away with: chmod 600 " + path.string(), path.string()}; }
    auto text = core::readTextFile(path, kMaxSmallFile);
    if (!text) { return text.error(); }
    while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) { text->pop_back(); }
    return std::move(*text);
}

Result<void> writeSecretFile(const std::filesystem::path& path, core::Bytes secret) {
    std::string text = core::toHex(secret) + "\n";
    protocol::wipe(secret);
    const auto written = core::writeFileAtomically(path, core::asBytes(text), nullptr, 0600);
    protocol::wipe(text);
    return written;
}

}  // namespace

std::filesystem::path ProjectFolder::keyFile(protocol::Role role) const {
    const bool away = role == protocol::Role::Root || role == protocol::Role::Targets;
    return (away ? offline() : keys()) / (std::string(protocol::name(role)) + ".key");
}

Result<void> writeProjectFile(const ProjectFolder& folder, const ProjectFile& file) {
    const core::Json json = {{"format", file.format}, {"id", file.id}, {"name", file.name}, {"created_at", file.createdAt}, {"software", file.software}};
    return core::writeFileAtomically(folder.projectFile(), core::asBytes(json.dump(2) + "\n"));
}

Result<ProjectFile> readProjectFile(const ProjectFolder& folder) {
    std::error_code ec;
    if (!std::filesystem::exists(folder.projectFile(), ec)) {
        return Error{ErrorCode::NotFound, "this folder is not a SunLoCo project (it has no project.json). Make one with: sunloco-server init DIR --text FOLDER --model CONFIG.json",
                     folder.root.string()};
    }
    const auto text = core::readTextFile(folder.projectFile(), kMaxSmallFile);
    if (!text) { return text.error(); }
    const auto json = core::parseJson(*text, {}, folder.projectFile().string());
    if (!json) { return json.error(); }
    const std::string where = folder.projectFile().string();
    const auto format = core::intMember(*json, "format", where, 1, 1'000'000);
    if (!format) { return format.error(); }
    if (*format > kFolderFormat) {
        return Error{ErrorCode::VersionTooNew, "this project was made by a newer sunloco-server (folder format " + std::to_string(*format) + ", this program knows up to " +
                                                   std::to_string(kFolderFormat) + "). Install the newer version",
                     where};
    }
    ProjectFile file;
    file.format = static_cast<int>(*format);
    const auto id = core::stringMember(*json, "id", where);
    const auto name = core::stringMember(*json, "name", where);
    const auto created = core::intMember(*json, "created_at", where, 0, std::int64_t{1} << 53);
    if (!id) { return id.error(); }
    if (!name) { return name.error(); }
    if (!created) { return created.error(); }
    file.id = *id;
    file.name = *name;
    file.createdAt = *created;
    return file;
}

Result<void> saveKey(const std::filesystem::path& path, const protocol::KeyPair& key) { return writeSecretFile(path, key.exportSeed()); }

Result<protocol::KeyPair> loadKey(const std::filesystem::path& path) {
    auto text = readSecretFile(path);
    if (!text) { return text.error(); }
    auto seed = core::fromHex(*text);
    protocol::wipe(*text);
    if (!seed || seed->size() != 32) { return Error{ErrorCode::InvalidData, "this is not a key: 64 hexadecimal digits were expected", path.string()}; }
    auto key = protocol::KeyPair::fromSeed(*seed);
    protocol::wipe(*seed);
    return key;
}

Result<void> makeSecret(const std::filesystem::path& path) { return writeSecretFile(path, protocol::randomBytes(32)); }

Result<std::string> loadSecret(const std::filesystem::path& path) {
    auto text = readSecretFile(path);
    if (text && text->size() != 64) { return Error{ErrorCode::InvalidData, "this is not a secret: 64 hexadecimal digits were expected", path.string()}; }
    return text;
}

}  // namespace sunloco::server
