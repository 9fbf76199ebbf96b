// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/trust_store.h"

#include "net/protocol/limits.h"

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {

bool sameKeys(const RoleKeys& a, const RoleKeys& b) { return a.threshold == b.threshold && a.keys == b.keys; }

core::Result<void> checkExpiry(Role role, core::UtcMs expires, core::UtcMs now) {
    if (expires > now) { return {}; }
    return Error{ErrorCode::Expired,
                 "The signed file \"" + std::string(name(role)) + "\" expired " + std::to_string((now - expires) / 60'000) +
                     " minutes ago: the server has not renewed it, somebody is showing an old state, or this computer's clock is wrong",
                 std::string(name(role)) + ".json"};
}

core::Result<void> checkVersion(Role role, std::int64_t found, std::int64_t known) {
    if (found >= known) { return {}; }
    return Error{ErrorCode::Conflict,
                 "The signed file \"" + std::string(name(role)) + "\" has version " + std::to_string(found) + ", but version " + std::to_string(known) + " was seen before",
                 std::string(name(role)) + ".json"};
}

/// TUF 5.5.2 and 5.6.2: the file is the very one that the timestamp names.
core::Result<void> checkNamed(Role role, const MetaRef& named, std::string_view file) {
    if (static_cast<std::int64_t>(file.size()) == named.bytes && core::sha256(core::asBytes(file)) == named.sha256) { return {}; }
    return Error{ErrorCode::HashMismatch, "The signed file \"" + std::string(name(role)) + "\" is not the one that the timestamp names", std::string(name(role)) + ".json"};
}

/// Size, envelope, signatures; then the payload.
core::Result<std::string> openFile(Role role, std::string_view file, const RoleKeys& keys) {
    auto envelope = Envelope::parse(file, maxFileBytes(role));
    if (!envelope) { return envelope.error(); }
    if (auto valid = verifyEnvelope(*envelope, payloadType(role), keys); !valid) { return valid.error(); }
    return std::move(envelope->payload);
}

/// A root signed by itself (its own root role).
core::Result<Root> openRoot(std::string_view file) {
    auto envelope = Envelope::parse(file, kMaxRootBytes);
    if (!envelope) { return envelope.error(); }
    auto root = Root::parse(envelope->payload);
    if (!root) { return root.error(); }
    if (auto valid = verifyEnvelope(*envelope, payloadType(Role::Root), root->keysOf(Role::Root)); !valid) { return valid.error(); }
    return root;
}

Error wrongProject() {
    return Error{ErrorCode::HashMismatch,
                 "The server does not show the project of this link: the fingerprint of its first signed file is another one. The link may be cut or belong to another "
                 "server, or somebody stands between you and it. Get the link again from the project's operator.",
                 "root.json"};
}

}  // namespace

core::Result<std::string> TrustStore::open(Role role, std::string_view file) const { return openFile(role, file, m_root.keysOf(role)); }

core::Result<TrustStore> TrustStore::start(const core::Digest& linkRoot, std::string_view rootFile) {
    if (rootFile.size() > kMaxRootBytes) { return Error{ErrorCode::LimitExceeded, "The first signed file is larger than allowed", "root.json"}; }
    if (core::sha256(core::asBytes(rootFile)) != linkRoot) { return wrongProject(); }
    auto root = openRoot(rootFile);
    if (!root) { return root.error(); }
    if (root->version != 1) { return Error{ErrorCode::InvalidData, "The first signed file of a project must have version 1", "root.json"}; }
    TrustStore store;
    store.m_linkRoot = linkRoot;
    store.m_root = std::move(*root);
    store.m_state.root = rootFile;
    return store;
}

core::Result<TrustStore> TrustStore::restore(const core::Digest& linkRoot, const TrustState& state) {
    auto root = openRoot(state.root);
    if (!root) { return root.error(); }
    // Later versions were linked to the first one when they were accepted.
    if (root->version == 1 && core::sha256(core::asBytes(state.root)) != linkRoot) { return wrongProject(); }
    TrustStore store;
    store.m_linkRoot = linkRoot;
    store.m_root = std::move(*root);
    store.m_state = state;
    if (!state.timestamp.empty()) {
        const auto payload = store.open(Role::Timestamp, state.timestamp);
        if (!payload) { return payload.error(); }
        auto timestamp = Timestamp::parse(*payload);
        if (!timestamp) { return timestamp.error(); }
        store.m_timestamp = std::move(*timestamp);
    }
    if (!state.targets.empty()) {
        const auto payload = store.open(Role::Targets, state.targets);
        if (!payload) { return payload.error(); }
        auto targets = Targets::parse(*payload);
        if (!targets) { return targets.error(); }
        store.m_targets = std::move(*targets);
    }
    if (!state.rounds.empty()) {
        const auto payload = store.open(Role::Rounds, state.rounds);
        if (!payload) { return payload.error(); }
        auto rounds = Rounds::parse(*payload);
        if (!rounds) { return rounds.error(); }
        store.m_rounds = std::move(*rounds);
    }
    return store;
}

// TUF 5.3: signed by the threshold of the old and of the new root, version exactly one more; expiry counts only for the last one.
core::Result<void> TrustStore::addRoot(std::string_view file) {
    auto payload = open(Role::Root, file);
    if (!payload) { return payload.error(); }
    auto next = openRoot(file);
    if (!next) { return next.error(); }
    if (next->version != m_root.version + 1) {
        return Error{ErrorCode::Conflict, "The next root must have version " + std::to_string(m_root.version + 1) + ", this one has " + std::to_string(next->version), "root.json"};
    }
    if (next->project.id != m_root.project.id) { return Error{ErrorCode::InvalidData, "A new root must keep the project's id", "root.json"}; }
    const bool timestampKept = sameKeys(next->keysOf(Role::Timestamp), m_root.keysOf(Role::Timestamp));
    const bool targetsKept = sameKeys(next->keysOf(Role::Targets), m_root.keysOf(Role::Targets));
    const bool roundsKept = sameKeys(next->keysOf(Role::Rounds), m_root.keysOf(Role::Rounds));
    // TUF 5.3.11, fast-forward attacks: version numbers that a changed key may have signed no longer bind. The timestamp states the
    // numbers of the other two, so it goes with either of them.
    if (!timestampKept || !targetsKept || !roundsKept) {
        m_timestamp.reset();
        m_state.timestamp.clear();
    }
    if (!targetsKept) {
        m_targets.reset();
        m_state.targets.clear();
    }
    if (!roundsKept) {
        m_rounds.reset();
        m_state.rounds.clear();
    }
    m_root = std::move(*next);
    m_state.root = file;
    return {};
}

core::Result<void> TrustStore::setTimestamp(std::string_view file, core::UtcMs now) {
    if (auto fresh = checkExpiry(Role::Root, m_root.expires, now); !fresh) { return fresh.error(); }
    const auto payload = open(Role::Timestamp, file);
    if (!payload) { return payload.error(); }
    auto timestamp = Timestamp::parse(*payload);
    if (!timestamp) { return timestamp.error(); }
    if (m_timestamp) {
        if (auto newer = checkVersion(Role::Timestamp, timestamp->version, m_timestamp->version); !newer) { return newer.error(); }
        if (auto newer = checkVersion(Role::Targets, timestamp->targets.version, m_timestamp->targets.version); !newer) { return newer.error(); }
        if (auto newer = checkVersion(Role::Rounds, timestamp->rounds.version, m_timestamp->rounds.version); !newer) { return newer.error(); }
        if (timestamp->version == m_timestamp->version && file != m_state.timestamp) {
            return Error{ErrorCode::Conflict, "The signed file \"timestamp\" changed without a new version", "timestamp.json"};
        }
    }
    if (timestamp->rootVersion != m_root.version) {
        return Error{ErrorCode::Conflict,
                     "The signed file \"timestamp\" belongs to root version " + std::to_string(timestamp->rootVersion) + ", this computer knows version " + std::to_string(m_root.version),
                     "timestamp.json"};
    }
    if (auto fresh = checkExpiry(Role::Timestamp, timestamp->expires, now); !fresh) { return fresh.error(); }
    m_timestamp = std::move(*timestamp);
    m_state.timestamp = file;
    return {};
}

core::Result<void> TrustStore::setTargets(std::string_view file, core::UtcMs now) {
    if (!m_timestamp) { return Error{ErrorCode::Conflict, "The timestamp must be known before the targets", "targets.json"}; }
    if (auto fresh = checkExpiry(Role::Timestamp, m_timestamp->expires, now); !fresh) { return fresh.error(); }
    if (auto named = checkNamed(Role::Targets, m_timestamp->targets, file); !named) { return named.error(); }
    const auto payload = open(Role::Targets, file);
    if (!payload) { return payload.error(); }
    auto targets = Targets::parse(*payload);
    if (!targets) { return targets.error(); }
    if (targets->version != m_timestamp->targets.version) { return Error{ErrorCode::HashMismatch, "The signed file \"targets\" has another version than the timestamp says", "targets.json"}; }
    if (m_targets) {
        if (auto newer = checkVersion(Role::Targets, targets->version, m_targets->version); !newer) { return newer.error(); }
        if (targets->version == m_targets->version && file != m_state.targets) {
            return Error{ErrorCode::Conflict, "The signed file \"targets\" changed without a new version", "targets.json"};
        }
    }
    if (auto fresh = checkExpiry(Role::Targets, targets->expires, now); !fresh) { return fresh.error(); }
    m_targets = std::move(*targets);
    m_state.targets = file;
    return {};
}

core::Result<void> TrustStore::setRounds(std::string_view file, core::UtcMs now) {
    if (!m_timestamp) { return Error{ErrorCode::Conflict, "The timestamp must be known before the rounds", "rounds.json"}; }
    if (auto fresh = checkExpiry(Role::Timestamp, m_timestamp->expires, now); !fresh) { return fresh.error(); }
    if (auto named = checkNamed(Role::Rounds, m_timestamp->rounds, file); !named) { return named.error(); }
    const auto payload = open(Role::Rounds, file);
    if (!payload) { return payload.error(); }
    auto rounds = Rounds::parse(*payload);
    if (!rounds) { return rounds.error(); }
    if (rounds->version != m_timestamp->rounds.version) { return Error{ErrorCode::HashMismatch, "The signed file \"rounds\" has another version than the timestamp says", "rounds.json"}; }
    if (m_rounds) {
        if (auto newer = checkVersion(Role::Rounds, rounds->version, m_rounds->version); !newer) { return newer.error(); }
        if (rounds->version == m_rounds->version && file != m_state.rounds) {
            return Error{ErrorCode::Conflict, "The signed file \"rounds\" changed without a new version", "rounds.json"};
        }
    }
    if (auto fresh = checkExpiry(Role::Rounds, rounds->expires, now); !fresh) { return fresh.error(); }
    m_rounds = std::move(*rounds);
    m_state.rounds = file;
    return {};
}

bool TrustStore::needsTargets() const { return m_timestamp && (!m_targets || !checkNamed(Role::Targets, m_timestamp->targets, m_state.targets)); }
bool TrustStore::needsRounds() const { return m_timestamp && (!m_rounds || !checkNamed(Role::Rounds, m_timestamp->rounds, m_state.rounds)); }

core::Result<void> TrustStore::checkFresh(core::UtcMs now) const {
    if (!m_timestamp || !m_targets || !m_rounds) { return Error{ErrorCode::NotFound, "The project's signed files are not complete yet", {}}; }
    if (needsTargets() || needsRounds()) { return Error{ErrorCode::HashMismatch, "The project's signed files do not belong together; they are being fetched again", {}}; }
    if (auto fresh = checkExpiry(Role::Root, m_root.expires, now); !fresh) { return fresh.error(); }
    if (auto fresh = checkExpiry(Role::Timestamp, m_timestamp->expires, now); !fresh) { return fresh.error(); }
    if (auto fresh = checkExpiry(Role::Targets, m_targets->expires, now); !fresh) { return fresh.error(); }
    return checkExpiry(Role::Rounds, m_rounds->expires, now);
}

}  // namespace sunloco::protocol
