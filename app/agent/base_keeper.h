// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/file_thread.h"
#include "app/agent/project_client.h"
#include "net/protocol/metadata.h"

#include <QObject>

#include <map>

namespace sunloco::agent {

/// A base on the disk.
struct BaseFile {
    std::int64_t round = -1;         ///< the base after this round; 0 = initial weights; -1 = none
    core::Digest hash;
    std::filesystem::path path;      ///< safetensors
};

/// A project's files on the disk: shards (each named by its hash) and bases. Fetches what is missing, applies updates, verifies every hash.
/// Thread: the main thread; hashing and arithmetic run on the file thread.
class BaseKeeper : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const core::Result<void>&, const transfer::RetryDecision&)>;
    BaseKeeper(std::filesystem::path folder, ProjectClient& client, FileThread& files, core::FaultPolicy* faults, QObject* parent);

    /// What is there after a start; the base is believed when its file exists, the worker checks its hash when it loads it.
    void adopt(std::int64_t round, const core::Digest& hash);
    [[nodiscard]] const BaseFile& base() const { return m_base; }
    [[nodiscard]] std::filesystem::path basePath(const core::Digest& hash) const;
    [[nodiscard]] std::filesystem::path shardPath(const core::Digest& hash) const;
    [[nodiscard]] bool hasBase(const core::Digest& hash) const;
    [[nodiscard]] bool hasShards(const protocol::Manifest& manifest) const;

    /// Makes base() the base of the open round; one at a time.
    void fetchBase(const protocol::Manifest& manifest, const protocol::Rounds& rounds, Done done);
    /// Fetches the shards that are missing; one at a time.
    void fetchShards(const protocol::Manifest& manifest, Done done);
    [[nodiscard]] bool busy() const { return m_busyBase || m_busyShards; }
    [[nodiscard]] bool busyWithBase() const { return m_busyBase; }
    [[nodiscard]] bool busyWithShards() const { return m_busyShards; }

    /// Removes bases other than these, updates that are used up, and half-loaded files of objects nobody names any more.
    void removeUnused(const std::vector<core::Digest>& keep);

private:
    struct Plan;
    void nextObject(const std::shared_ptr<Plan>& plan);
    void apply(const std::shared_ptr<Plan>& plan);
    void nextShard(std::shared_ptr<std::vector<protocol::ShardRef>> missing, Done done);
    void endBase(const Done& done, const core::Result<void>& result, const transfer::RetryDecision& decision);

    std::filesystem::path m_folder;
    ProjectClient& m_client;
    FileThread& m_files;
    core::FaultPolicy* m_faults;
    BaseFile m_base;
    bool m_busyBase = false;
    bool m_busyShards = false;
};

}  // namespace sunloco::agent
