// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/file_blob_store.h"
#include "net/server/project_folder.h"
#include "net/server/server_config.h"
#include "net/server/sqlite_store.h"

namespace sunloco::server {

/// A project's folder, opened: files, store, and what its signed metadata says.
struct OpenProject {
    ProjectFolder folder;
    ProjectFile file;
    ServerConfig config;
    std::unique_ptr<SqliteStore> store;
    std::unique_ptr<FileBlobStore> objects;
    protocol::Root root;
    protocol::Targets targets;
    core::Digest rootHash;              ///< of root.json, version 1: what the link carries
};

/// Refuses, with a sentence, a folder that is no project or was written by a newer program.
core::Result<OpenProject> openProject(const std::filesystem::path& folder, const std::filesystem::path& config = {});

/// Examples in all training shards: T + 1 tokens each, T apart, never across the end of a shard.
std::int64_t epochExamples(const protocol::Manifest& manifest);

/// The link of a project that is reached at `origin` ("https://host:port"); with the pin of its own certificate unless another one is configured.
core::Result<std::string> projectLink(const OpenProject& project, const std::string& authority);

}  // namespace sunloco::server
