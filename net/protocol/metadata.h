// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/protocol/claims.h"
#include "net/protocol/dsse.h"

#include <map>
#include <vector>

/// The four signed files of a project. The schema is closed: an unknown key is an error, so nothing unexpected is ever trusted.
/// `parse` reads a payload whose signatures were checked; `serialise` makes a payload to sign.
namespace sunloco::protocol {

enum class Role { Root, Targets, Rounds, Timestamp };
inline constexpr Role kRoles[] = {Role::Root, Role::Targets, Role::Rounds, Role::Timestamp};
std::string_view name(Role role);                 ///< "root"
std::string payloadType(Role role);               ///< "application/vnd.sunloco.root+json"
std::size_t maxFileBytes(Role role);

struct ProjectInfo {
    std::string id;                               ///< [a-z0-9_.-]{1,64}
    std::string name;
    std::string description;
    std::string url;                              ///< https, or empty
    bool operator==(const ProjectInfo&) const = default;
};

struct RoleRule {
    std::vector<std::string> keyids;
    std::int64_t threshold = 1;
    bool operator==(const RoleRule&) const = default;
};

/// Who may sign what. Version 1 is fixed by the link's hash, each later one is signed by the old and the new threshold.
struct Root {
    std::int64_t version = 1;
    core::UtcMs expires = 0;
    ProjectInfo project;
    std::map<std::string, PublicKey> keys;        ///< by keyid
    std::map<Role, RoleRule> roles;               ///< all four
    [[nodiscard]] RoleKeys keysOf(Role role) const;
    static core::Result<Root> parse(std::string_view payload);
    [[nodiscard]] std::string serialise() const;
    bool operator==(const Root&) const = default;
};

/// An immutable object, served at /v1/objects/sha256/<hex>.
struct ObjectRef {
    core::Digest sha256;
    std::int64_t bytes = 0;
    bool operator==(const ObjectRef&) const = default;
};

struct ShardRef {
    ObjectRef object;
    std::int64_t tokens = 0;
    bool operator==(const ShardRef&) const = default;
};

struct InitialBase {
    ObjectRef object;                             ///< safetensors
    core::Digest baseHash;
    bool operator==(const InitialBase&) const = default;
};

struct SourceInfo {
    std::string description;
    std::string licence;
    bool operator==(const SourceInfo&) const = default;
};

/// What is trained, on what, how. Data only: nothing in it is ever run.
struct Manifest {
    std::string modelJson;                        ///< the Hugging Face config.json as compact JSON
    core::ModelConfig model;                      ///< `modelJson` read; set by parse, ignored by serialise
    core::Recipe recipe;
    ObjectRef tokenizer;
    std::int64_t tokenBytes = 2;                  ///< 2 or 4
    std::vector<ShardRef> shards;
    std::vector<ShardRef> heldOut;
    InitialBase initial;
    SourceInfo source;
    Claims claims;
    [[nodiscard]] DataSizes sizes() const;
    [[nodiscard]] std::int64_t trainingTokens() const;
};

struct Targets {
    std::int64_t version = 1;
    core::UtcMs expires = 0;
    Manifest manifest;
    /// Also recomputes the claims from the numbers and refuses claims that are too small.
    static core::Result<Targets> parse(std::string_view payload);
    [[nodiscard]] std::string serialise() const;
};

/// A full base. `round` r = the base after round r; 0 = the initial weights.
struct CheckpointRef {
    std::int64_t round = 0;
    ObjectRef object;
    core::Digest baseHash;
    bool operator==(const CheckpointRef&) const = default;
};

/// The update that ended a round; base' = base + dequant(update).
struct UpdateRef {
    std::int64_t round = 0;
    ObjectRef object;
    core::Digest baseHash;                        ///< after it
    bool operator==(const UpdateRef&) const = default;
};

struct Rounds {
    std::int64_t version = 1;
    core::UtcMs expires = 0;
    std::int64_t round = 1;                       ///< the open round
    core::UtcMs openedAt = 0;
    core::UtcMs deadline = 0;
    core::Digest baseHash;                        ///< base of the open round = result of round - 1
    CheckpointRef checkpoint;
    std::vector<UpdateRef> updates;               ///< rounds checkpoint.round + 1 .. round - 1, without a gap
    std::int64_t firstGlobalStep = 0;
    static core::Result<Rounds> parse(std::string_view payload);
    [[nodiscard]] std::string serialise() const;
    bool operator==(const Rounds&) const = default;
};

/// The whole envelope file of another role.
struct MetaRef {
    std::int64_t version = 1;
    core::Digest sha256;
    std::int64_t bytes = 0;
    bool operator==(const MetaRef&) const = default;
};

/// Signed often and short-lived: what is current. Makes freezing and mixing of files visible.
struct Timestamp {
    std::int64_t version = 1;
    core::UtcMs expires = 0;
    std::int64_t rootVersion = 1;
    MetaRef targets;
    MetaRef rounds;
    static core::Result<Timestamp> parse(std::string_view payload);
    [[nodiscard]] std::string serialise() const;
    bool operator==(const Timestamp&) const = default;
};

/// Serialises, signs and wraps: the bytes of a metadata file.
std::string signMetadata(Role role, std::string_view payload, const std::vector<const KeyPair*>& signers);

}  // namespace sunloco::protocol
