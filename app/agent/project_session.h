// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/device_runner.h"
#include "app/agent/job_folder.h"
#include "app/agent/metadata_keeper.h"
#include "app/agent/unit_delivery.h"
#include "net/protocol/messages.h"

#include <QTimer>

#include <map>
#include <set>

namespace sunloco::agent {

/// What every project of one agent shares; outlives the sessions.
struct SessionParts {
    transfer::Transfers& transfers;
    transfer::RetryPolicy& retry;
    const core::Clock& clock;
    Journal& journal;
    FileThread& files;
    core::FaultPolicy* faults = nullptr;
    std::filesystem::path projectsFolder;   ///< each project has a folder below it, named by its id
    std::string software;                   ///< "sunloco/0.1.0 linux-x86_64"
};

/// Why a project does not go on, for its line on the Now page.
struct SessionTrouble {
    enum class Kind { None, Passing, ServerRefused, ProjectChanged, UpdateNeeded, DiskFull };
    Kind kind = Kind::None;
    std::string text;                       ///< plain English
    core::UtcMs since = 0;
};

/// Everything that happens between this PC and one joined project: metadata, bases and shards, leases, delivery, receipts.
/// Whatever happens, pump() is called; it looks at what is known and does what is due, so that any step may fail, be repeated or be
/// found half done after a restart. Thread: the main thread.
class ProjectSession : public QObject {
    Q_OBJECT
public:
    ProjectSession(SessionParts parts, ProjectRow row, protocol::KeyPair key, QObject* parent);
    ~ProjectSession() override;

    /// Reads the journal and goes on where the last run of the program ended.
    core::Result<void> start();

    /// What the rules allow now: devices that may take new work, and whether finished work may be uploaded.
    void permit(const std::set<std::string>& devices, bool upload);
    /// The work that is ready for a device.
    [[nodiscard]] std::optional<DeviceRunner::Job> jobFor(const std::string& device) const;
    /// A lease of this device has not got its result yet, or its result is not yet announced (the server would give the same lease again).
    [[nodiscard]] bool holdsWorkFor(const std::string& device) const;
    /// There is work, or it is worth asking for some.
    [[nodiscard]] bool mayHaveWork() const;
    /// Without work: when the project is asked again.
    [[nodiscard]] std::optional<core::UtcMs> askedAgainAt() const;

    void workerProgress(const std::string& leaseId, const core::ProgressMessage& progress);
    void workerFinished(const std::string& leaseId, const core::JobResult& result);
    void workerCrashed(const std::string& leaseId, const std::string& why);
    void workerRefused(const std::string& leaseId, const core::Error& error);

    /// The user's wish, or the network is back: no more waiting.
    void retryNow();
    /// Gives the leases back; gone() comes when the project's rows and files may be removed.
    void leave();

    [[nodiscard]] const ProjectRow& row() const { return m_row; }
    [[nodiscard]] const protocol::TrustStore* trust() const { return m_metadata.store(); }
    [[nodiscard]] bool reachable() const { return m_client.reachable(); }
    [[nodiscard]] std::optional<core::UtcMs> nextTry() const { return m_client.nextTry(); }
    [[nodiscard]] const SessionTrouble& trouble() const { return m_trouble; }
    [[nodiscard]] bool isPreparing() const;
    [[nodiscard]] bool isDelivering() const;
    [[nodiscard]] std::optional<double> heldOutLoss() const { return m_heldOutLoss; }
    /// Unit by lease, among those in memory (all that are not finished for good).
    [[nodiscard]] const WorkUnit* unit(const std::string& leaseId) const;
    [[nodiscard]] std::vector<const WorkUnit*> units() const;
    [[nodiscard]] std::filesystem::path folder() const { return m_folder; }

Q_SIGNALS:
    void changed();              ///< work, progress of a delivery or a trouble
    void unitsChanged();         ///< a contribution's state
    void roundsChanged();        ///< the curve of the model
    void gone();
    void logLine(const QString& line);

private:
    struct Live {
        WorkUnit unit;
        std::set<UnitAction> due;
        core::MonotonicMs notBefore = 0;      ///< after a local fault
        core::MonotonicMs heartbeatAt = 0;
        bool fileWork = false;                ///< the file thread has this unit's files in its hands
        bool talking = false;                 ///< a heartbeat or release is under way
        bool computing = false;               ///< the worker is at it, so the server should hear of it
        int failures = 0;                     ///< in a row, for the wait between tries
    };

    void pump();
    void pumpOnce();
    void schedule();
    void wakeAt(core::MonotonicMs when);

    void enrol();
    void keepMetadata();
    void keepBase();
    void holdBase(std::int64_t round, const core::Digest& hash);
    void carryOut(Live& live);
    void prepare(Live& live);
    void fetchFor(Live& live, const protocol::Targets& targets, const protocol::Rounds& rounds);
    void deliver(Live& live);
    void release(Live& live);
    void removeFiles(Live& live);
    void heartbeat(Live& live);
    void askForWork();
    void requestLease(const std::string& device);
    void takeLease(const std::string& device, const protocol::Lease& lease);
    void leaseRefused(const ServerReply& reply);
    void askOutcomes();
    void takeOutcomes(const protocol::OwnContributions& own);
    void askStatus();
    void takeStatus(const protocol::StatusAnswer& status);
    void dropFinished();

    /// Puts the event through the transition function, stores the unit, then makes its actions due.
    void apply(const std::string& leaseId, const UnitEvent& event);
    core::Result<void> saveRow();
    void localFault(const core::Error& error);
    void passingTrouble(const core::Error& error);
    void setTrouble(SessionTrouble::Kind kind, const std::string& text);
    void clearTrouble();
    void refused(const ServerReply& reply, const char* what);
    [[nodiscard]] bool online() const;
    [[nodiscard]] Live* find(const std::string& leaseId);
    [[nodiscard]] core::MonotonicMs now() const { return m_parts.clock.monotonicNow(); }
    void log(const std::string& text);

    SessionParts m_parts;
    ProjectRow m_row;
    protocol::KeyPair m_key;
    std::filesystem::path m_folder;
    ProjectClient m_client;
    MetadataKeeper m_metadata;
    BaseKeeper m_base;
    UnitDelivery m_delivery;
    std::map<std::string, Live> m_units;      ///< by lease id
    std::set<std::string> m_devices;          ///< that may take new work
    bool m_uploadAllowed = true;
    bool m_leaving = false;
    bool m_enrolling = false;
    bool m_leasing = false;
    bool m_askingOutcomes = false;
    bool m_askingStatus = false;
    bool m_metadataWanted = true;             ///< the server has spoken of a round that we do not know
    bool m_statusWanted = true;
    bool m_noWork = false;                    ///< the last request for work was refused; m_leaseAt says when to ask again
    core::MonotonicMs m_leaseAt = 0;
    core::MonotonicMs m_metadataAt = 0;
    core::MonotonicMs m_metadataNotBefore = 0;
    core::MonotonicMs m_enrolAt = 0;
    core::MonotonicMs m_outcomesAt = 0;
    core::MonotonicMs m_statusAt = 0;
    core::MonotonicMs m_leaveBy = 0;
    std::int64_t m_deliveredRound = 0;        ///< the newest round with a receipt
    core::MonotonicMs m_baseNotBefore = 0;
    int m_baseFailures = 0;
    int m_quietRounds = 0;                    ///< looks at the metadata that showed no newer round
    int m_quietOutcomes = 0;                  ///< answers without news, for the wait between questions
    std::optional<double> m_tokensPerSecond;
    std::optional<double> m_heldOutLoss;
    SessionTrouble m_trouble;
    core::MonotonicMs m_wake = 0;
    bool m_pumping = false;
    bool m_pumpAgain = false;
    QTimer m_timer;
};

}  // namespace sunloco::agent
