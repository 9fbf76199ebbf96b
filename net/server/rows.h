// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/contribution_messages.h"
#include "net/protocol/device_messages.h"
#include "net/protocol/lease_messages.h"
#include "net/protocol/metadata.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/// What the server remembers, as values (one struct a table).
namespace sunloco::server {

struct DeviceRow {
    std::string id;
    protocol::PublicKey key;
    protocol::Trust trust = protocol::Trust::Anonymous;
    std::string name;
    std::string software;
    std::string address;           ///< where it enrolled from
    core::UtcMs enrolledAt = 0;
    std::int64_t lastSequence = -1;
    bool blocked = false;
};

enum class StoredRoundState { Open, Closing, Halted, Finished, Closed, RolledBack };
std::string_view name(StoredRoundState state);

struct RoundRow {
    std::int64_t round = 1;
    StoredRoundState state = StoredRoundState::Open;
    core::UtcMs openedAt = 0;
    core::UtcMs deadline = 0;
    core::Digest baseHash;                  ///< base that it trains from
    std::int64_t firstGlobalStep = 0;
    std::int64_t firstExample = 0;          ///< the examples counter when it opened
    std::int64_t nextExample = 0;           ///< what the next lease gets
    std::int64_t bytesUp = 0;
    std::int64_t bytesDown = 0;
    // once closed
    core::UtcMs closedAt = 0;
    std::int64_t contributors = 0;
    std::int64_t tokens = 0;
    double computeSeconds = 0;
    std::optional<double> heldOutLoss;
    std::optional<protocol::UpdateRef> update;
};

enum class LeaseState { Open, Used, Released, Expired, Closed };
std::string_view name(LeaseState state);

struct LeaseRow {
    std::string id;
    std::string device;
    std::int64_t round = 1;
    LeaseState state = LeaseState::Open;
    protocol::ExampleRange examples;
    std::int64_t steps = 0;
    core::UtcMs createdAt = 0;
    core::UtcMs expiresAt = 0;
    std::int64_t reportedSteps = 0;
};

struct ContributionRow {
    std::string id;
    std::string lease;
    std::string device;
    std::int64_t round = 1;
    protocol::ContributionState state = protocol::ContributionState::Open;
    std::string idempotencyKey;
    core::Digest bodyDigest;
    std::int64_t steps = 0;
    std::int64_t tokens = 0;
    double entryLoss = 0;
    double exitLoss = 0;
    double deltaNorm = 0;
    core::UtcMs leasedAt = 0;
    core::UtcMs createdAt = 0;
    core::UtcMs committedAt = 0;
    std::string receipt;                    ///< the envelope's text, from committed on
    double weight = 0;
    std::string code;                       ///< why it was rejected
};

struct PartRow {
    protocol::PartInfo info;
    bool stored = false;
};

/// Exact bytes of a metadata file and its version.
struct MetadataFile {
    protocol::Role role = protocol::Role::Rounds;
    std::int64_t version = 1;
    std::string text;
};

}  // namespace sunloco::server
