// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/paths.h"
#include "net/protocol/trust_store.h"

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {
constexpr int kMaxRootsPerRefresh = 64;
constexpr int kMaxRestarts = 3;
}  // namespace

MetadataRefresh::MetadataRefresh(TrustStore& store, core::UtcMs now) : m_store(store), m_now(now) { enter(Stage::NewerRoot); }

void MetadataRefresh::enter(Stage stage) {
    m_stage = stage;
    switch (stage) {
    case Stage::NewerRoot: m_next = Fetch{rootPath(m_store.root().version + 1), maxFileBytes(Role::Root)}; return;
    case Stage::Timestamp: m_next = Fetch{std::string(kTimestampPath), maxFileBytes(Role::Timestamp)}; return;
    case Stage::Targets: m_next = Fetch{std::string(kTargetsPath), maxFileBytes(Role::Targets)}; return;
    case Stage::Rounds: m_next = Fetch{std::string(kRoundsPath), maxFileBytes(Role::Rounds)}; return;
    case Stage::Done: m_next.reset(); return;
    }
}

core::Result<void> MetadataRefresh::afterTimestamp() {
    if (m_store.needsTargets()) {
        enter(Stage::Targets);
    } else if (m_store.needsRounds()) {
        enter(Stage::Rounds);
    } else {
        enter(Stage::Done);
        return m_store.checkFresh(m_now);
    }
    return {};
}

core::Result<void> MetadataRefresh::received(std::string_view body) {
    core::Result<void> accepted;
    switch (m_stage) {
    case Stage::NewerRoot:
        accepted = m_rootsSeen < kMaxRootsPerRefresh ? m_store.addRoot(body) : Error{ErrorCode::LimitExceeded, "The server has too many new root files", "root.json"};
        if (accepted) {
            ++m_rootsSeen;
            enter(Stage::NewerRoot);
            return {};
        }
        break;
    case Stage::Timestamp: accepted = m_store.setTimestamp(body, m_now); break;
    case Stage::Targets: accepted = m_store.setTargets(body, m_now); break;
    case Stage::Rounds: accepted = m_store.setRounds(body, m_now); break;
    case Stage::Done: return Error{ErrorCode::Internal, "No signed file was asked for", {}};
    }
    if (accepted) { return afterTimestamp(); }
    // The server published something new between two of our requests: look again at what is current.
    const bool movedOn = (m_stage == Stage::Targets || m_stage == Stage::Rounds) && accepted.error().code == ErrorCode::HashMismatch;
    if (movedOn && m_restarts < kMaxRestarts) {
        ++m_restarts;
        enter(Stage::Timestamp);
        return {};
    }
    enter(Stage::Done);
    return accepted;
}

core::Result<void> MetadataRefresh::notFound() {
    if (m_stage == Stage::NewerRoot) {
        enter(Stage::Timestamp);
        return {};
    }
    const std::string path = m_next ? m_next->path : std::string();
    enter(Stage::Done);
    return Error{ErrorCode::NotFound, "The server has no signed file there; is this the right address?", path};
}

}  // namespace sunloco::protocol
