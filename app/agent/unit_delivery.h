// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/project_client.h"
#include "app/agent/work_unit.h"
#include "net/protocol/trust_store.h"

namespace sunloco::agent {

/// Brings one finished unit at a time to the server: create, parts, commit, receipt. Each step asks the server what it has, so that it can
/// begin anywhere after a restart. Outcomes become unit events. Thread: the main thread.
class UnitDelivery {
public:
    using Report = std::function<void(const UnitEvent&)>;
    /// `note` takes a passing trouble (no network …) for the project's page; an empty text clears it.
    UnitDelivery(ProjectClient& client, std::function<void(const std::string&)> note);

    [[nodiscard]] bool busy() const { return m_busy; }
    /// Carries out the one step that the unit's state asks for and reports its outcome; `trust` verifies the receipt.
    void step(const WorkUnit& unit, const std::filesystem::path& folder, const protocol::TrustStore& trust, Report report, std::function<void()> idle);

private:
    struct Run;
    void create(const std::shared_ptr<Run>& run);
    void putNext(const std::shared_ptr<Run>& run);
    void renewBearer(const std::shared_ptr<Run>& run);
    void askMissing(const std::shared_ptr<Run>& run);
    void commit(const std::shared_ptr<Run>& run);
    void takeReceipt(const std::shared_ptr<Run>& run, const protocol::Envelope& envelope);
    void end(const std::shared_ptr<Run>& run, const std::optional<UnitEvent>& event);
    /// A refusal that many steps share; true when it was dealt with.
    bool refused(const std::shared_ptr<Run>& run, const ServerReply& reply);

    ProjectClient& m_client;
    std::function<void(const std::string&)> m_note;
    bool m_busy = false;
};

}  // namespace sunloco::agent
