// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/project_folder.h"
#include "net/server/store.h"

namespace sunloco::server {

// How long signed files live, and when they are renewed.
inline constexpr std::int64_t kDayMs = 86'400'000;
inline constexpr std::int64_t kRootLifeMs = 5 * 365 * kDayMs;
inline constexpr std::int64_t kTargetsLifeMs = 5 * 365 * kDayMs;
inline constexpr std::int64_t kRoundsLifeMs = 30 * kDayMs;
inline constexpr std::int64_t kTimestampLifeMs = kDayMs;

/// The way from a full base to the open round's base.
struct BaseChain {
    protocol::CheckpointRef checkpoint;
    std::vector<protocol::UpdateRef> updates;
};
/// Chooses the full base that newcomers start from: the newest one that is at least `lag` rounds old, so that devices which are a few rounds
/// behind can go on with updates; never one before a roll-back. `checkpoints` newest first, `closed` ascending, both including what the
/// caller is about to store.
core::Result<BaseChain> chooseChain(const std::vector<protocol::CheckpointRef>& checkpoints, const std::vector<RoundRow>& closed, std::int64_t openRound, std::int64_t lag);
std::int64_t checkpointLag(const core::Recipe& recipe);

/// Signs what changes from round to round with the two keys that the running server holds. Thread: any; it has no state of its own.
class MetadataSigner {
public:
    MetadataSigner(protocol::KeyPair rounds, protocol::KeyPair timestamp) : m_rounds(std::move(rounds)), m_timestamp(std::move(timestamp)) {}
    static core::Result<MetadataSigner> load(const ProjectFolder& folder);

    /// New rounds and timestamp files for the open round; versions are one more than what the store holds.
    core::Result<std::vector<MetadataFile>> roundFiles(Store& store, const RoundRow& open, const BaseChain& chain, core::UtcMs now) const;
    /// A fresh timestamp (and, when it is in the second half of its life, a fresh rounds file); empty when nothing is due.
    core::Result<std::vector<MetadataFile>> renew(Store& store, core::UtcMs now) const;

    [[nodiscard]] const protocol::KeyPair& roundsKey() const { return m_rounds; }

private:
    core::Result<MetadataFile> timestampFor(Store& store, const MetadataFile& rounds, core::UtcMs now) const;

    protocol::KeyPair m_rounds;
    protocol::KeyPair m_timestamp;
};

/// The payload of a metadata file of our own (its signatures are not checked again).
core::Result<std::string> payloadOf(const MetadataFile& file);

}  // namespace sunloco::server
