// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_log.h"
#include "app/agent/data_folder.h"
#include "app/agent/energy_ledger.h"
#include "app/agent/present_state.h"
#include "app/agent/project_joiner.h"
#include "app/agent/settings_store.h"
#include "app/platform/device_probe.h"
#include "app/platform/sensor_hub.h"
#include "app/rules/rules_engine.h"

#include <QElapsedTimer>

namespace sunloco::agent {

/// What an agent is made of; startAgent() fills it from the options, tests put their own clock, sensors and faults in.
struct AgentParts {
    std::shared_ptr<const core::Clock> clock;
    DataFolder folder;
    SettingsStore settings;
    std::unique_ptr<Journal> journal;
    std::vector<std::unique_ptr<platform::Sensor>> sensors;
    std::vector<platform::DeviceInfo> devices;      ///< those that can train
    KeyPlace keyPlace = KeyPlace::File;
    std::string workerProgram;
    AgentLog::Stderr logToStderr = AgentLog::Stderr::On;
    core::FaultPolicy* faults = nullptr;
};

/// The agent of one user on one PC: asks the rules, gives the workers their work, and answers window, tray and command line.
/// Thread: the main thread; file work and transfers have threads of their own.
class Agent final : public AgentApi {
    Q_OBJECT
public:
    explicit Agent(AgentParts parts);
    ~Agent() override;

    /// Opens the projects and begins.
    core::Result<void> start();
    [[nodiscard]] std::vector<platform::SensorReport> sensors() const { return m_hub.report(); }
    [[nodiscard]] const std::filesystem::path& dataDir() const { return m_folder.path(); }
    [[nodiscard]] bool isQuitting() const { return m_quitting; }

    [[nodiscard]] const Snapshot& snapshot() const override;
    [[nodiscard]] QVector<ContributionRow> contributions(int limit) const override;
    [[nodiscard]] QVector<DayTotals> days(int count) const override;
    [[nodiscard]] QVector<LossPoint> lossHistory(const QString& projectId) const override;
    [[nodiscard]] QVector<EnergyBucketRow> energy(qint64 fromUtc, qint64 toUtc) const override;
    [[nodiscard]] QVector<QString> recentLog(int lines) const override;
    [[nodiscard]] rules::Settings settings() const override;
    [[nodiscard]] QByteArray receipt(const QString& leaseId) const override;

    void inspect(const QString& link, OfferCallback done) override;
    void join(const QString& link, const QString& invite, AnswerCallback done) override;
    Answer leave(const QString& projectId) override;
    void pause(PauseKind kind, int minutes) override;
    void resume() override;
    void runNow(int minutes) override;
    Answer setMode(const QString& mode, const QString& deviceId) override;
    Answer setSetting(const QString& key, const QString& value) override;
    void resetSetting(const QString& key) override;
    void retryNow() override;
    void quit() override;
    /// Without waiting for the workers to save.
    void quitAtOnce();

private:
    struct Device {
        platform::DeviceInfo info;
        std::unique_ptr<DeviceRunner> runner;
        std::size_t turn = 0;                  ///< which project is asked for work first
    };

    // agent.cpp
    void addDevice(const platform::DeviceInfo& info);
    void removeOrphans(const std::vector<ProjectRow>& projects);
    void openSession(ProjectRow row);
    void addSession(ProjectRow row, protocol::KeyPair key);
    void closeSession(const std::string& projectId);
    void reconsider();
    void reconsiderSoon();
    rules::Inputs inputs() const;
    void permitSessions();
    void assignJobs();
    void measureDisk();
    void followWorkers();
    void goToSleep();
    void finishQuitting();
    [[nodiscard]] ProjectSession* sessionOf(const std::string& leaseId) const;

    // agent_commands.cpp
    core::Result<void> storeSettings(const rules::Settings& settings);
    void settingsTookEffect();
    void setOverride(const rules::UserOverride& value, const QString& what);
    void applyNetworkSettings();
    core::Result<void> applyAutostart(const rules::Settings& settings) const;
    void noteStorage(const core::Error& error);

    // agent_snapshot.cpp
    void rebuildSnapshot() const;
    [[nodiscard]] PresentFacts facts() const;
    [[nodiscard]] DeviceSnapshot deviceSnapshot(const Device& device) const;
    [[nodiscard]] ProjectSnapshot projectSnapshot(const ProjectSession& session) const;
    void noteChange();
    void tellChange();

    std::shared_ptr<const core::Clock> m_ownClock;
    const core::Clock& m_clock;
    DataFolder m_folder;
    SettingsStore m_settings;
    std::unique_ptr<Journal> m_journal;
    core::FaultPolicy* m_faults;
    std::string m_workerProgram;
    AgentLog m_log;
    FileThread m_files;
    Mailbox m_mailbox;                              ///< outcomes of transfers
    transfer::RetryPolicy m_retry;
    std::unique_ptr<transfer::Transfers> m_transfers;
    KeyStore m_keys;
    EnergyLedger m_energy;
    platform::SensorHub m_hub;
    std::unique_ptr<ProjectJoiner> m_joiner;
    std::vector<std::unique_ptr<Device>> m_devices;
    std::vector<std::unique_ptr<ProjectSession>> m_sessions;
    std::map<std::string, QString> m_closedDoors;   ///< projects whose key cannot be read, with the reason

    rules::UserOverride m_override;
    rules::Decision m_decision;
    bool m_decided = false;
    std::optional<std::int64_t> m_usedDisk;
    core::MonotonicMs m_usedDiskAt = 0;
    std::optional<core::Error> m_storageTrouble;    ///< the last thing that could not be saved
    bool m_quitting = false;
    bool m_wasComputing = false;

    QTimer m_soon;                                  ///< coalesces many changes into one decision
    QTimer m_later;                                 ///< the next moment at which a rule may change by itself
    QTimer m_tell;                                  ///< changed() at most once a second
    mutable Snapshot m_snapshot;
    mutable bool m_stale = true;
    mutable std::optional<qint64> m_reasonSince;
    State m_toldState = State::NoProject;
    qint64 m_toldAt = 0;
};

}  // namespace sunloco::agent
