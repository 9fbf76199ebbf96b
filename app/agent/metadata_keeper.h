// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/journal.h"
#include "app/agent/project_client.h"
#include "net/protocol/trust_store.h"

namespace sunloco::agent {

/// Keeps one project's signed metadata current: fetches in the right order, verifies, and stores what is new in the journal.
/// Thread: the main thread.
class MetadataKeeper {
public:
    using Done = std::function<void(const core::Result<void>&, const transfer::RetryDecision&)>;
    /// `journal` may be null (looking at a project before joining it): then nothing is stored.
    MetadataKeeper(std::string projectId, ProjectClient& client, Journal* journal);

    /// From the journal; NotFound when nothing was stored yet.
    core::Result<void> restore();
    /// Fetches what is new; one refresh at a time. The decision says whether asking again later can help.
    void refresh(Done done);
    [[nodiscard]] bool refreshing() const { return m_refreshing; }
    /// After joining: writes the files fetched by inspect() into the journal.
    core::Result<void> storeIn(Journal& journal);

    /// Null until the first refresh has succeeded.
    [[nodiscard]] const protocol::TrustStore* store() const { return m_store ? &*m_store : nullptr; }
    /// All four files are there and fit one another; expiry is judged by the server's clock.
    [[nodiscard]] bool complete() const { return m_store && m_store->targets() && m_store->rounds() && m_store->timestamp(); }

private:
    void fetchFirstRoot(Done done);
    void step(Done done);
    void finish(const Done& done, const core::Result<void>& result, const transfer::RetryDecision& decision);
    core::Result<void> persist();

    std::string m_projectId;
    ProjectClient& m_client;
    Journal* m_journal;
    std::optional<protocol::TrustStore> m_store;
    protocol::TrustState m_stored;
    std::optional<protocol::MetadataRefresh> m_refresh;
    bool m_refreshing = false;
};

}  // namespace sunloco::agent
