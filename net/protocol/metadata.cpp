// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/metadata.h"

#include "net/protocol/fields.h"
#include "net/protocol/metadata_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

std::string_view name(Role role) {
    switch (role) {
    case Role::Root: return "root";
    case Role::Targets: return "targets";
    case Role::Rounds: return "rounds";
    case Role::Timestamp: return "timestamp";
    }
    return "root";
}

std::string payloadType(Role role) { return "application/vnd.sunloco." + std::string(name(role)) + "+json"; }

std::size_t maxFileBytes(Role role) {
    switch (role) {
    case Role::Root: return kMaxRootBytes;
    case Role::Targets: return kMaxTargetsBytes;
    case Role::Rounds: return kMaxRoundsBytes;
    case Role::Timestamp: return kMaxTimestampBytes;
    }
    return kMaxTimestampBytes;
}

std::string signMetadata(Role role, std::string_view payload, const std::vector<const KeyPair*>& signers) {
    return signEnvelope(payloadType(role), payload, signers).serialise();
}

// --- root -----------------------------------------------------------------------------------------------------------------------------

namespace {

ProjectInfo readProject(const Json& json, const std::string& where, std::optional<Error>& fault) {
    Fields fields(json, where, Schema::Closed);
    ProjectInfo project;
    project.id = fields.name("id");
    project.name = fields.text("name", 1, kMaxTitleBytes, Lines::One);
    project.description = fields.text("description", 0, kMaxDescriptionBytes, Lines::Many);
    project.url = fields.text("url", 0, kMaxUrlBytes, Lines::One);
    if (!project.url.empty() && project.url.rfind("https://", 0) != 0) { fields.fail(ErrorCode::InvalidData, "\"" + fields.at("url") + "\" must begin with https://"); }
    fault = fields.fault();
    return project;
}

core::Result<std::map<std::string, PublicKey>> readKeys(const Json& json, const std::string& where) {
    if (json.empty() || json.size() > kMaxKeys) { return Error{ErrorCode::LimitExceeded, "\"" + where + "\" must have 1 to " + std::to_string(kMaxKeys) + " keys", {}}; }
    std::map<std::string, PublicKey> keys;
    for (const auto& [id, value] : json.items()) {
        const auto* text = value.get_ptr<const Json::string_t*>();
        const auto key = text != nullptr ? parsePublicKey(*text) : core::Result<PublicKey>(Error{});
        if (!key || keyId(*key) != id) { return Error{ErrorCode::InvalidData, "\"" + where + "\" has a key that does not fit its id", {}}; }
        keys.emplace(id, *key);
    }
    return keys;
}

core::Result<RoleRule> readRule(const Json& json, const std::string& where, const std::map<std::string, PublicKey>& keys) {
    Fields fields(json, where, Schema::Closed);
    RoleRule rule;
    const Json& ids = fields.array("keyids", 1, kMaxSignatures);
    std::set<std::string> seen;
    for (const Json& id : ids) {
        const auto* text = id.get_ptr<const Json::string_t*>();
        if (text == nullptr || keys.count(*text) == 0 || !seen.insert(*text).second) {
            return Error{ErrorCode::InvalidData, "\"" + where + ".keyids\" must name keys of this file, each once", {}};
        }
        rule.keyids.push_back(*text);
    }
    rule.threshold = fields.integer("threshold", 1, std::max<std::int64_t>(1, static_cast<std::int64_t>(rule.keyids.size())));
    if (auto fault = fields.fault()) { return *fault; }
    return rule;
}

}  // namespace

RoleKeys Root::keysOf(Role role) const {
    RoleKeys out;
    const auto rule = roles.find(role);
    if (rule == roles.end()) {
        out.threshold = 0;   // nothing can satisfy it: verifyEnvelope refuses thresholds below 1
        return out;
    }
    out.threshold = rule->second.threshold;
    for (const auto& id : rule->second.keyids) {
        if (const auto key = keys.find(id); key != keys.end()) { out.keys.emplace(id, key->second); }
    }
    return out;
}

core::Result<Root> Root::parse(std::string_view payload) {
    const auto json = parseBody(payload, kMaxRootBytes, "root metadata");
    if (!json) { return json.error(); }
    Fields fields(*json, "root", Schema::Closed);
    Root root;
    readHead(fields, Role::Root, root.version, root.expires);
    std::optional<Error> fault;
    root.project = readProject(fields.object("project"), "root.project", fault);
    if (fault) { fields.fail(std::move(*fault)); }
    root.keys = fields.take(readKeys(fields.object("keys"), "root.keys"));
    Fields roles(fields.object("roles"), "root.roles", Schema::Closed);
    for (const Role role : kRoles) {
        const std::string key(name(role));
        const Json& rule = roles.object(key);
        if (!roles.failed() && !fields.failed()) { root.roles.emplace(role, roles.take(readRule(rule, roles.at(key), root.keys))); }
    }
    if (auto wrong = fields.fault()) { return *wrong; }
    if (auto wrong = roles.fault()) { return *wrong; }
    return root;
}

std::string Root::serialise() const {
    Json keyList = Json::object();
    for (const auto& [id, key] : keys) { keyList[id] = toBase64(key); }
    Json roleList = Json::object();
    for (const auto& [role, rule] : roles) { roleList[std::string(name(role))] = {{"keyids", rule.keyids}, {"threshold", rule.threshold}}; }
    return dump({{"role", "root"},
                 {"version", version},
                 {"expires", expires},
                 {"project", {{"id", project.id}, {"name", project.name}, {"description", project.description}, {"url", project.url}}},
                 {"keys", std::move(keyList)},
                 {"roles", std::move(roleList)}});
}

// --- rounds ---------------------------------------------------------------------------------------------------------------------------

namespace {

/// checkpoint and update have the same members.
template <typename T>
core::Result<T> readRoundObject(const Json& json, const std::string& where) {
    Fields fields(json, where, Schema::Closed);
    T out;
    out.round = fields.integer("round", 0, kMaxRound);
    out.object = readObject(fields);
    out.baseHash = fields.digest("base_hash");
    if (auto fault = fields.fault()) { return *fault; }
    return out;
}

template <typename T>
Json roundObjectJson(const T& entry) {
    return {{"round", entry.round}, {"sha256", entry.object.sha256.hex()}, {"bytes", entry.object.bytes}, {"base_hash", entry.baseHash.hex()}};
}

/// The way from the checkpoint to the open round has no gap and ends at its base.
core::Result<void> checkPath(const Rounds& rounds) {
    std::int64_t round = rounds.checkpoint.round;
    core::Digest base = rounds.checkpoint.baseHash;
    for (const auto& update : rounds.updates) {
        if (update.round != round + 1) {
            return Error{ErrorCode::InvalidData, "\"rounds.updates\" must name the rounds after the checkpoint one by one; " + std::to_string(update.round) + " follows " + std::to_string(round), {}};
        }
        round = update.round;
        base = update.baseHash;
    }
    if (round != rounds.round - 1) {
        return Error{ErrorCode::InvalidData, "\"rounds\" leads to round " + std::to_string(round) + ", but round " + std::to_string(rounds.round) + " is open", {}};
    }
    if (base != rounds.baseHash) { return Error{ErrorCode::InvalidData, "\"rounds.base_hash\" is not the base after the last update", {}}; }
    return {};
}

}  // namespace

core::Result<Rounds> Rounds::parse(std::string_view payload) {
    const auto json = parseBody(payload, kMaxRoundsBytes, "rounds metadata");
    if (!json) { return json.error(); }
    Fields fields(*json, "rounds", Schema::Closed);
    Rounds rounds;
    readHead(fields, Role::Rounds, rounds.version, rounds.expires);
    rounds.round = fields.integer("round", 1, kMaxRound);
    rounds.openedAt = fields.time("opened_at");
    rounds.deadline = fields.time("deadline");
    rounds.baseHash = fields.digest("base_hash");
    rounds.firstGlobalStep = fields.integer("first_global_step", 0, kMaxCount);
    rounds.checkpoint = fields.take(readRoundObject<CheckpointRef>(fields.object("checkpoint"), "rounds.checkpoint"));
    const Json& updates = fields.array("updates", 0, kMaxUpdates);
    for (std::size_t i = 0; i < updates.size() && !fields.failed(); ++i) {
        rounds.updates.push_back(fields.take(readRoundObject<UpdateRef>(updates[i], fields.at("updates", i))));
    }
    if (!fields.failed() && rounds.deadline < rounds.openedAt) { fields.fail(ErrorCode::InvalidData, "\"rounds.deadline\" lies before \"rounds.opened_at\""); }
    if (!fields.failed()) { fields.take(checkPath(rounds)); }
    if (auto fault = fields.fault()) { return *fault; }
    return rounds;
}

std::string Rounds::serialise() const {
    Json updateList = Json::array();
    for (const auto& update : updates) { updateList.push_back(roundObjectJson(update)); }
    return dump({{"role", "rounds"},
                 {"version", version},
                 {"expires", expires},
                 {"round", round},
                 {"opened_at", openedAt},
                 {"deadline", deadline},
                 {"base_hash", baseHash.hex()},
                 {"checkpoint", roundObjectJson(checkpoint)},
                 {"updates", std::move(updateList)},
                 {"first_global_step", firstGlobalStep}});
}

// --- timestamp ------------------------------------------------------------------------------------------------------------------------

namespace {

core::Result<MetaRef> readMetaRef(const Json& json, const std::string& where, std::size_t maxBytes) {
    Fields fields(json, where, Schema::Closed);
    MetaRef ref;
    ref.version = fields.integer("version", 1, kMaxVersion);
    ref.sha256 = fields.digest("sha256");
    ref.bytes = fields.integer("bytes", 1, static_cast<std::int64_t>(maxBytes));
    if (auto fault = fields.fault()) { return *fault; }
    return ref;
}

Json metaRefJson(const MetaRef& ref) { return {{"version", ref.version}, {"sha256", ref.sha256.hex()}, {"bytes", ref.bytes}}; }

}  // namespace

core::Result<Timestamp> Timestamp::parse(std::string_view payload) {
    const auto json = parseBody(payload, kMaxTimestampBytes, "timestamp metadata");
    if (!json) { return json.error(); }
    Fields fields(*json, "timestamp", Schema::Closed);
    Timestamp timestamp;
    readHead(fields, Role::Timestamp, timestamp.version, timestamp.expires);
    timestamp.rootVersion = fields.integer("root_version", 1, kMaxVersion);
    timestamp.targets = fields.take(readMetaRef(fields.object("targets"), "timestamp.targets", kMaxTargetsBytes));
    timestamp.rounds = fields.take(readMetaRef(fields.object("rounds"), "timestamp.rounds", kMaxRoundsBytes));
    if (auto fault = fields.fault()) { return *fault; }
    return timestamp;
}

std::string Timestamp::serialise() const {
    return dump({{"role", "timestamp"},
                 {"version", version},
                 {"expires", expires},
                 {"root_version", rootVersion},
                 {"targets", metaRefJson(targets)},
                 {"rounds", metaRefJson(rounds)}});
}

}  // namespace sunloco::protocol
