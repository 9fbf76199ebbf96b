// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/metadata.h"

#include <optional>

namespace sunloco::protocol {

/// What a device keeps between runs: the exact bytes of the newest verified files; empty = not yet had.
/// Large (a manifest of up to 4 MiB), so store each text by itself and write only what changed.
struct TrustState {
    std::string root;
    std::string timestamp;
    std::string targets;
    std::string rounds;
    bool operator==(const TrustState&) const = default;
};

/// The client's side of signed metadata, in TUF's manner (TUF specification 5.3 to 5.6, without delegations; the timestamp file takes
/// the snapshot's part). Refuses wrong signatures, older versions (rollback), expired files (freeze), files that the timestamp does not
/// name (mix and match) and anything over its size. Pure: no clock, no network. A refused file changes nothing.
class TrustStore {
public:
    /// First contact: the file must have the link's hash and be version 1, signed by its own root role.
    static core::Result<TrustStore> start(const core::Digest& linkRoot, std::string_view rootFile);
    /// From a stored state; signatures are checked again, expiry is not (see checkFresh).
    static core::Result<TrustStore> restore(const core::Digest& linkRoot, const TrustState& state);

    /// The next root: version exactly +1, signed by the thresholds of the old and of the new root. Files of roles whose keys changed are
    /// forgotten, so that a stolen key cannot block the way with a huge version number.
    core::Result<void> addRoot(std::string_view file);
    /// Also refuses when the root is expired, so that nothing is built on it.
    core::Result<void> setTimestamp(std::string_view file, core::UtcMs now);
    core::Result<void> setTargets(std::string_view file, core::UtcMs now);
    core::Result<void> setRounds(std::string_view file, core::UtcMs now);

    /// True when the timestamp names another file than the one held.
    [[nodiscard]] bool needsTargets() const;
    [[nodiscard]] bool needsRounds() const;
    /// All four files are there, fit one another and are not expired; the error says which and why.
    [[nodiscard]] core::Result<void> checkFresh(core::UtcMs now) const;

    [[nodiscard]] const core::Digest& linkRoot() const { return m_linkRoot; }
    [[nodiscard]] const Root& root() const { return m_root; }
    [[nodiscard]] const std::optional<Timestamp>& timestamp() const { return m_timestamp; }
    [[nodiscard]] const std::optional<Targets>& targets() const { return m_targets; }
    [[nodiscard]] const std::optional<Rounds>& rounds() const { return m_rounds; }
    [[nodiscard]] const TrustState& state() const { return m_state; }

private:
    TrustStore() = default;
    core::Result<std::string> open(Role role, std::string_view file) const;

    core::Digest m_linkRoot;
    Root m_root;
    std::optional<Timestamp> m_timestamp;
    std::optional<Targets> m_targets;
    std::optional<Rounds> m_rounds;
    TrustState m_state;
};

/// One refresh of the metadata as a sequence of downloads: ask next(), fetch it, hand the answer back, until next() is empty.
/// Order: newer roots until one is not there, timestamp, then targets and rounds where the timestamp names new ones. A file that does not
/// fit the timestamp (the server moved on between two requests) starts again from the timestamp, three times at most.
class MetadataRefresh {
public:
    struct Fetch {
        std::string path;                 ///< "/v1/meta/timestamp.json"
        std::size_t maxBytes = 0;
    };
    /// `store` outlives this; it changes as files are accepted. `now` is the device's clock, corrected by the server's time if need be.
    MetadataRefresh(TrustStore& store, core::UtcMs now);
    [[nodiscard]] const std::optional<Fetch>& next() const { return m_next; }
    /// The body of a 200 answer.
    core::Result<void> received(std::string_view body);
    /// A 404 answer; right only for a newer root.
    core::Result<void> notFound();

private:
    enum class Stage { NewerRoot, Timestamp, Targets, Rounds, Done };
    void enter(Stage stage);
    core::Result<void> afterTimestamp();

    TrustStore& m_store;
    core::UtcMs m_now;
    Stage m_stage = Stage::NewerRoot;
    int m_rootsSeen = 0;
    int m_restarts = 0;
    std::optional<Fetch> m_next;
};

/// First contact's path; later roots are at /v1/meta/root/{version}.json.
inline constexpr std::string_view kFirstRootPath = "/v1/meta/root/1.json";

}  // namespace sunloco::protocol
