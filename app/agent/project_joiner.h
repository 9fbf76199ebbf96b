// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "app/agent/key_store.h"
#include "app/agent/metadata_keeper.h"
#include "app/agent/project_session.h"

namespace sunloco::agent {

/// Looks at a project by its link, and joins one. Until the server has said yes, nothing is stored but the device key. Thread: the main thread.
class ProjectJoiner : public QObject {
    Q_OBJECT
public:
    struct Joined {
        ProjectRow row;
        protocol::KeyPair key;
    };
    using JoinDone = std::function<void(core::Result<Joined>)>;
    ProjectJoiner(SessionParts parts, KeyStore& keys, QObject* parent);
    ~ProjectJoiner() override;

    /// Fetches and verifies the metadata, changes nothing.
    void inspect(const std::string& link, std::function<void(core::Result<ProjectOffer>)> done);
    /// Verifies, makes the device key, enrols, and stores project and metadata in the journal.
    void join(const std::string& link, const std::string& invite, JoinDone done);

private:
    struct Attempt;
    core::Result<Attempt*> begin(const std::string& link);
    void end(Attempt* attempt);
    void enrol(Attempt* attempt, const std::string& invite, const JoinDone& done);

    SessionParts m_parts;
    KeyStore& m_keys;
    std::vector<std::unique_ptr<Attempt>> m_attempts;
};

}  // namespace sunloco::agent
