// SPDX-License-Identifier: Apache-2.0
#include "app/agent/base_keeper.h"

#include "engine/codec/codec.h"
#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "net/protocol/paths.h"

#include <algorithm>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using transfer::Verdict;
namespace fs = std::filesystem;

bool isFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(fs::symlink_status(path, ignored));
}

/// base' = base + dequant(update), revision by revision; every result is compared with the signed hash before it is used.
core::Result<void> applyUpdates(const fs::path& from, const core::ModelConfig& model, const core::Digest& fromHash, const std::vector<std::pair<fs::path, protocol::UpdateRef>>& updates,
                                const fs::path& to, core::FaultPolicy* faults) {
    const core::TensorLayout layout = core::makeLayout(model);
    auto arena = core::loadArena(from, layout);
    if (!arena) return arena.error();
    if (core::arenaHash(*arena) != fromHash) {
        std::error_code ignored;
        fs::remove(from, ignored);
        return Error{ErrorCode::HashMismatch, "the stored base was damaged and is fetched again", from.string()};
    }
    for (const auto& [path, ref] : updates) {
        if (auto fault = core::checkFault(faults, "file.read"); !fault) return fault;
        auto bytes = core::readFile(path, static_cast<std::uint64_t>(ref.object.bytes), faults);
        if (!bytes) return bytes.error();
        std::vector<float> update(arena->size());
        if (auto decoded = codec::decodeAll(*bytes, update); !decoded) return decoded;
        for (std::size_t i = 0; i < update.size(); ++i) (*arena)[i] += update[i];
        if (core::arenaHash(*arena) != ref.baseHash) {
            std::error_code ignored;
            fs::remove(path, ignored);
            return Error{ErrorCode::HashMismatch, "the base after round " + std::to_string(ref.round) + " does not have its signed hash", path.string()};
        }
    }
    return core::saveArena(to, *arena, layout, faults);
}

}  // namespace

/// One way to the wanted base: the objects to fetch, then the updates to apply.
struct BaseKeeper::Plan {
    core::ModelConfig model;
    core::Digest wanted;
    std::int64_t wantedRound = 0;
    fs::path from;                                 ///< where the arithmetic begins
    core::Digest fromHash;
    std::vector<std::pair<fs::path, protocol::ObjectRef>> fetch;
    std::vector<std::pair<fs::path, protocol::UpdateRef>> updates;
    Done done;
};

BaseKeeper::BaseKeeper(fs::path folder, ProjectClient& client, FileThread& files, core::FaultPolicy* faults, QObject* parent)
    : QObject(parent), m_folder(std::move(folder)), m_client(client), m_files(files), m_faults(faults) {}

fs::path BaseKeeper::basePath(const core::Digest& hash) const { return m_folder / "base" / (hash.hex() + ".safetensors"); }
fs::path BaseKeeper::shardPath(const core::Digest& hash) const { return m_folder / "shards" / hash.hex(); }
bool BaseKeeper::hasBase(const core::Digest& hash) const { return isFile(basePath(hash)); }

bool BaseKeeper::hasShards(const protocol::Manifest& manifest) const {
    return std::all_of(manifest.shards.begin(), manifest.shards.end(), [this](const protocol::ShardRef& shard) { return isFile(shardPath(shard.object.sha256)); });
}

void BaseKeeper::adopt(std::int64_t round, const core::Digest& hash) {
    m_base = round >= 0 && hasBase(hash) ? BaseFile{round, hash, basePath(hash)} : BaseFile{};
}

void BaseKeeper::endBase(const Done& done, const core::Result<void>& result, const transfer::RetryDecision& decision) {
    m_busyBase = false;
    done(result, decision);
}

void BaseKeeper::fetchBase(const protocol::Manifest& manifest, const protocol::Rounds& rounds, Done done) {
    if (m_busyBase) return;
    m_busyBase = true;
    for (const char* name : {"base", "shards", "updates"}) {
        if (auto made = core::ensurePrivateDirectory(m_folder / name); !made) {
            endBase(done, made, {Verdict::Retry, transfer::RetryPolicy::kBaseMs});
            return;
        }
    }
    auto plan = std::make_shared<Plan>();
    plan->model = manifest.model;
    plan->wanted = rounds.baseHash;
    plan->wantedRound = rounds.round - 1;
    plan->done = std::move(done);
    if (hasBase(rounds.baseHash)) {
        m_base = {plan->wantedRound, rounds.baseHash, basePath(rounds.baseHash)};
        endBase(plan->done, {}, {Verdict::Done, 0});
        return;
    }
    // From the base we hold when the chain of updates reaches back to it, else from the checkpoint.
    std::int64_t have = -1;
    if (m_base.round >= rounds.checkpoint.round && hasBase(m_base.hash)) {
        const bool known = m_base.hash == rounds.checkpoint.baseHash ||
                           std::any_of(rounds.updates.begin(), rounds.updates.end(), [this](const protocol::UpdateRef& u) { return u.baseHash == m_base.hash && u.round == m_base.round; });
        if (known) have = m_base.round;
    }
    if (have >= 0) {
        plan->from = m_base.path;
        plan->fromHash = m_base.hash;
    } else {
        plan->from = m_folder / "base" / (rounds.checkpoint.object.sha256.hex() + ".checkpoint");
        plan->fromHash = rounds.checkpoint.baseHash;
        have = rounds.checkpoint.round;
        if (!isFile(plan->from)) plan->fetch.emplace_back(plan->from, rounds.checkpoint.object);
    }
    for (const protocol::UpdateRef& update : rounds.updates) {
        if (update.round <= have) continue;
        const fs::path path = m_folder / "updates" / update.object.sha256.hex();
        plan->updates.emplace_back(path, update);
        if (!isFile(path)) plan->fetch.emplace_back(path, update.object);
    }
    std::reverse(plan->fetch.begin(), plan->fetch.end());  // taken from the back
    nextObject(plan);
}

void BaseKeeper::nextObject(const std::shared_ptr<Plan>& plan) {
    if (plan->fetch.empty()) {
        apply(plan);
        return;
    }
    const auto [path, object] = plan->fetch.back();
    ServerCall call;
    call.path = protocol::objectPath(object.sha256);
    call.target = transfer::FileTarget{path, object.sha256, static_cast<std::uint64_t>(object.bytes)};
    m_client.send(std::move(call), [this, plan](const ServerReply& reply) {
        if (!reply.ok()) {
            endBase(plan->done, reply.error, reply.decision);
            return;
        }
        plan->fetch.pop_back();
        nextObject(plan);
    });
}

void BaseKeeper::apply(const std::shared_ptr<Plan>& plan) {
    const fs::path to = basePath(plan->wanted);
    m_files.run(
        this, [plan, to, faults = m_faults] { return applyUpdates(plan->from, plan->model, plan->fromHash, plan->updates, to, faults); },
        [this, plan, to](const core::Result<void>& result) {
            if (!result) {
                endBase(plan->done, result, {Verdict::Retry, transfer::RetryPolicy::kBaseMs * 2});
                return;
            }
            m_base = {plan->wantedRound, plan->wanted, to};
            endBase(plan->done, {}, {Verdict::Done, 0});
        });
}

void BaseKeeper::fetchShards(const protocol::Manifest& manifest, Done done) {
    if (m_busyShards) return;
    m_busyShards = true;
    if (auto made = core::ensurePrivateDirectory(m_folder / "shards"); !made) {
        m_busyShards = false;
        done(made, {Verdict::Retry, transfer::RetryPolicy::kBaseMs});
        return;
    }
    auto missing = std::make_shared<std::vector<protocol::ShardRef>>();
    for (const protocol::ShardRef& shard : manifest.shards) {
        if (!isFile(shardPath(shard.object.sha256))) missing->push_back(shard);
    }
    std::reverse(missing->begin(), missing->end());
    nextShard(std::move(missing), std::move(done));
}

void BaseKeeper::nextShard(std::shared_ptr<std::vector<protocol::ShardRef>> missing, Done done) {
    if (missing->empty()) {
        m_busyShards = false;
        done({}, {Verdict::Done, 0});
        return;
    }
    const protocol::ObjectRef object = missing->back().object;
    ServerCall call;
    call.path = protocol::objectPath(object.sha256);
    call.target = transfer::FileTarget{shardPath(object.sha256), object.sha256, static_cast<std::uint64_t>(object.bytes)};
    m_client.send(std::move(call), [this, missing = std::move(missing), done = std::move(done)](const ServerReply& reply) mutable {
        if (!reply.ok()) {
            m_busyShards = false;
            done(reply.error, reply.decision);
            return;
        }
        missing->pop_back();
        nextShard(missing, done);
    });
}

void BaseKeeper::removeUnused(const std::vector<core::Digest>& keep) {
    if (m_busyBase) return;
    std::vector<fs::path> kept;
    for (const core::Digest& hash : keep) kept.push_back(basePath(hash));
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(m_folder / "base", ignored)) {
        if (std::find(kept.begin(), kept.end(), entry.path()) == kept.end()) fs::remove(entry.path(), ignored);
    }
    for (const auto& entry : fs::directory_iterator(m_folder / "updates", ignored)) fs::remove(entry.path(), ignored);
}

}  // namespace sunloco::agent
