// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/protocol/keys.h"
#include "net/protocol/metadata.h"

#include <filesystem>
#include <map>
#include <string>

namespace sunloco::server {

/// Where everything lies in a project's folder.
///   project.json   what it is, and the version of this layout       server.toml   settings, edited by the operator
///   server.db      what the server remembers                        objects/      immutable files named by hash
///   state/         base and outer optimizer of the open round       events.jsonl  the log that every base can be re-derived from
///   keys/          keys that the running server signs with          offline/      root and targets keys: to be moved away
///   tls/           own certificate                                  run/          lock, last address
struct ProjectFolder {
    std::filesystem::path root;

    [[nodiscard]] std::filesystem::path projectFile() const { return root / "project.json"; }
    [[nodiscard]] std::filesystem::path configFile() const { return root / "server.toml"; }
    [[nodiscard]] std::filesystem::path database() const { return root / "server.db"; }
    [[nodiscard]] std::filesystem::path objects() const { return root / "objects"; }
    [[nodiscard]] std::filesystem::path state() const { return root / "state"; }
    [[nodiscard]] std::filesystem::path eventLog() const { return root / "events.jsonl"; }
    [[nodiscard]] std::filesystem::path keys() const { return root / "keys"; }
    [[nodiscard]] std::filesystem::path offline() const { return root / "offline"; }
    [[nodiscard]] std::filesystem::path tls() const { return root / "tls"; }
    [[nodiscard]] std::filesystem::path certificate() const { return tls() / "certificate.pem"; }
    [[nodiscard]] std::filesystem::path certificateKey() const { return tls() / "key.pem"; }
    [[nodiscard]] std::filesystem::path run() const { return root / "run"; }
    [[nodiscard]] std::filesystem::path lockFile() const { return run() / "server.lock"; }
    [[nodiscard]] std::filesystem::path lastListen() const { return run() / "listen"; }
    [[nodiscard]] std::filesystem::path keyFile(protocol::Role role) const;
};

inline constexpr int kFolderFormat = 1;

/// What project.json says.
struct ProjectFile {
    int format = kFolderFormat;
    std::string id;
    std::string name;
    core::UtcMs createdAt = 0;
    std::string software;
};
core::Result<void> writeProjectFile(const ProjectFolder& folder, const ProjectFile& file);
/// NotFound with a sentence when the folder is no project, VersionTooNew when a newer program made it.
core::Result<ProjectFile> readProjectFile(const ProjectFolder& folder);

/// Private keys as 0600 files of one line of hexadecimal.
core::Result<void> saveKey(const std::filesystem::path& path, const protocol::KeyPair& key);
core::Result<protocol::KeyPair> loadKey(const std::filesystem::path& path);
/// 32 random bytes that sign bearer tokens.
core::Result<void> makeSecret(const std::filesystem::path& path);
core::Result<std::string> loadSecret(const std::filesystem::path& path);

}  // namespace sunloco::server
