// SPDX-License-Identifier: Apache-2.0
#include "net/server/metadata_signer.h"

#include <algorithm>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;
using protocol::Role;

namespace {

Result<MetadataFile> newest(Store& store, Role role) {
    auto file = store.metadata(role, 0);
    if (!file) { return file.error(); }
    if (!*file) { return Error{ErrorCode::InvalidData, "the project has no " + std::string(protocol::name(role)) + " metadata; restore the folder from a backup", {}}; }
    return std::move(**file);
}

protocol::MetaRef refOf(const MetadataFile& file) {
    return {file.version, core::sha256(core::asBytes(file.text)), static_cast<std::int64_t>(file.text.size())};
}

}  // namespace

Result<std::string> payloadOf(const MetadataFile& file) {
    auto envelope = protocol::Envelope::parse(file.text, protocol::maxFileBytes(file.role));
    if (!envelope) { return envelope.error(); }
    return std::move(envelope->payload);
}

std::int64_t checkpointLag(const core::Recipe& recipe) { return std::max<std::int64_t>(1, recipe.checkpointEvery / 4); }

Result<BaseChain> chooseChain(const std::vector<protocol::CheckpointRef>& checkpoints, const std::vector<RoundRow>& closed, std::int64_t openRound, std::int64_t lag) {
    std::int64_t oldest = 0;
    for (const auto& row : closed) {
        if (row.state == StoredRoundState::RolledBack) { oldest = std::max(oldest, row.round); }
    }
    const protocol::CheckpointRef* chosen = nullptr;
    for (const auto& checkpoint : checkpoints) {
        if (checkpoint.round < oldest || checkpoint.round >= openRound) { continue; }
        chosen = &checkpoint;   // older and older
        if (checkpoint.round <= openRound - 1 - lag) { break; }
    }
    if (chosen == nullptr) { return Error{ErrorCode::InvalidData, "the project has no full base to start from; restore the folder from a backup", {}}; }
    BaseChain chain{*chosen, {}};
    for (const auto& row : closed) {
        if (row.round <= chosen->round || row.round >= openRound) { continue; }
        if (!row.update) { return Error{ErrorCode::InvalidData, "the update of round " + std::to_string(row.round) + " is missing", {}}; }
        chain.updates.push_back(*row.update);
    }
    return chain;
}

Result<MetadataSigner> MetadataSigner::load(const ProjectFolder& folder) {
    auto rounds = loadKey(folder.keyFile(Role::Rounds));
    if (!rounds) { return rounds.error(); }
    auto timestamp = loadKey(folder.keyFile(Role::Timestamp));
    if (!timestamp) { return timestamp.error(); }
    return MetadataSigner(std::move(*rounds), std::move(*timestamp));
}

Result<MetadataFile> MetadataSigner::timestampFor(Store& store, const MetadataFile& rounds, core::UtcMs now) const {
    const auto root = newest(store, Role::Root);
    if (!root) { return root.error(); }
    const auto targets = newest(store, Role::Targets);
    if (!targets) { return targets.error(); }
    const auto old = store.metadata(Role::Timestamp, 0);
    if (!old) { return old.error(); }
    protocol::Timestamp timestamp;
    timestamp.version = *old ? (*old)->version + 1 : 1;
    timestamp.expires = now + kTimestampLifeMs;
    timestamp.rootVersion = root->version;
    timestamp.targets = refOf(*targets);
    timestamp.rounds = refOf(rounds);
    return MetadataFile{Role::Timestamp, timestamp.version, protocol::signMetadata(Role::Timestamp, timestamp.serialise(), {&m_timestamp})};
}

Result<std::vector<MetadataFile>> MetadataSigner::roundFiles(Store& store, const RoundRow& open, const BaseChain& chain, core::UtcMs now) const {
    const auto old = store.metadata(Role::Rounds, 0);
    if (!old) { return old.error(); }
    protocol::Rounds rounds;
    rounds.version = *old ? (*old)->version + 1 : 1;
    rounds.expires = now + kRoundsLifeMs;
    rounds.round = open.round;
    rounds.openedAt = open.openedAt;
    rounds.deadline = open.deadline;
    rounds.baseHash = open.baseHash;
    rounds.checkpoint = chain.checkpoint;
    rounds.updates = chain.updates;
    rounds.firstGlobalStep = open.firstGlobalStep;
    MetadataFile file{Role::Rounds, rounds.version, protocol::signMetadata(Role::Rounds, rounds.serialise(), {&m_rounds})};
    auto timestamp = timestampFor(store, file, now);
    if (!timestamp) { return timestamp.error(); }
    return std::vector<MetadataFile>{std::move(file), std::move(*timestamp)};
}

Result<std::vector<MetadataFile>> MetadataSigner::renew(Store& store, core::UtcMs now) const {
    auto roundsFile = newest(store, Role::Rounds);
    if (!roundsFile) { return roundsFile.error(); }
    const auto timestampFile = newest(store, Role::Timestamp);
    if (!timestampFile) { return timestampFile.error(); }
    const auto roundsText = payloadOf(*roundsFile);
    const auto timestampText = payloadOf(*timestampFile);
    if (!roundsText) { return roundsText.error(); }
    if (!timestampText) { return timestampText.error(); }
    auto rounds = protocol::Rounds::parse(*roundsText);
    if (!rounds) { return rounds.error(); }
    const auto timestamp = protocol::Timestamp::parse(*timestampText);
    if (!timestamp) { return timestamp.error(); }
    std::vector<MetadataFile> out;
    const bool roundsDue = rounds->expires - now < kRoundsLifeMs / 2;
    if (roundsDue) {
        ++rounds->version;
        rounds->expires = now + kRoundsLifeMs;
        *roundsFile = {Role::Rounds, rounds->version, protocol::signMetadata(Role::Rounds, rounds->serialise(), {&m_rounds})};
        out.push_back(*roundsFile);
    }
    if (roundsDue || timestamp->expires - now < kTimestampLifeMs / 2) {
        auto fresh = timestampFor(store, *roundsFile, now);
        if (!fresh) { return fresh.error(); }
        out.push_back(std::move(*fresh));
    }
    return out;
}

}  // namespace sunloco::server
