// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_runtime.h"
#include "engine/core/fault_policy.h"
#include "net/protocol/keys.h"

namespace sunloco::agent {

/// The device's private keys, one per project: in the desktop's keychain, or each in a 0600 file of a 0700 folder.
/// A key that lies in a file stays there; with KeychainOrFile a new one goes to the keychain when one answers. Thread: the main thread.
class KeyStore {
public:
    using Done = std::function<void(core::Result<protocol::KeyPair>)>;
    KeyStore(std::filesystem::path folder, KeyPlace place, core::FaultPolicy* faults);

    /// What to do when the keychain does not answer: a new project's key goes to a file; a project that has one waits for it (Busy), since
    /// another key would be another device.
    enum class Wanted { ForNewProject, OfEnrolledDevice };
    /// The project's key; made when there is none. `context` guards the callback: it is not called when that object is gone.
    void loadOrCreate(const std::string& projectId, Wanted wanted, QObject* context, Done done);
    /// After leaving a project.
    void remove(const std::string& projectId);

    /// The file form, also used by tests. PermissionDenied: it is a link, belongs to someone else, or others may read it.
    static core::Result<protocol::KeyPair> readFile(const std::filesystem::path& path);
    static core::Result<void> createFile(const std::filesystem::path& path, const protocol::KeyPair& key);

private:
    [[nodiscard]] std::filesystem::path fileFor(const std::string& projectId) const;
    core::Result<protocol::KeyPair> makeInFile(const std::string& projectId);
    void askKeychain(const std::string& projectId, Wanted wanted, QObject* context, Done done);
    void putIntoKeychain(const std::string& projectId, QObject* context, Done done);

    std::filesystem::path m_folder;
    KeyPlace m_place;
    core::FaultPolicy* m_faults;
};

}  // namespace sunloco::agent
