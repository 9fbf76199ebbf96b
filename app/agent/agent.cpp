// SPDX-License-Identifier: Apache-2.0
// Decisions and workers. What a front end may ask is in agent_commands.cpp, what it sees in agent_snapshot.cpp.
#include "app/agent/agent.h"

#include "app/platform/local_time_zone.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace sunloco::agent {
namespace {

constexpr int kLongestWaitMs = 60'000;            // a decision is never older than this
constexpr core::MonotonicMs kDiskBusyMs = 60'000;
constexpr core::MonotonicMs kDiskIdleMs = 30 * 60'000;
constexpr int kTellEveryMs = 1'000;
constexpr int kQuietBeforeSleepMs = 200;          // workers are silent within 100 ms
constexpr int kKeychainAgainMs = 30'000;

transfer::TransferOptions transferOptions(core::FaultPolicy* faults) {
    transfer::TransferOptions options;
    options.userAgent = "sunloco/0.1.0";
    options.faults = faults;
    return options;
}

std::function<double()> randomSource() {
    auto engine = std::make_shared<std::mt19937_64>(std::random_device{}());
    return [engine] { return std::uniform_real_distribution<double>(0, 1)(*engine); };
}

}  // namespace

Agent::Agent(AgentParts parts)
    : m_ownClock(std::move(parts.clock)), m_clock(*m_ownClock), m_folder(std::move(parts.folder)), m_settings(std::move(parts.settings)), m_journal(std::move(parts.journal)), m_faults(parts.faults),
      m_workerProgram(std::move(parts.workerProgram)), m_log(m_folder.path() / "agent.log", parts.logToStderr, nullptr), m_retry(m_clock, randomSource()),
      m_transfers(std::make_unique<transfer::Transfers>(transferOptions(m_faults), [this](std::function<void()> work) { m_mailbox.post(std::move(work)); })),
      m_keys(m_folder.path() / "keys", parts.keyPlace, m_faults), m_energy(m_clock, *m_journal, nullptr), m_hub(m_clock, std::move(parts.sensors)) {
    connect(&m_log, &AgentLog::line, this, &AgentApi::logLine);
    connect(&m_hub, &platform::SensorHub::changed, this, &Agent::reconsider);
    connect(&m_hub, &platform::SensorHub::aboutToSleep, this, &Agent::goToSleep);
    connect(&m_hub, &platform::SensorHub::resumed, this, [this] {
        m_log.add(QStringLiteral("the system is awake again"));
        m_retry.forgetWaits();   // waits from before the sleep say nothing about the network now
        for (const auto& session : m_sessions) session->retryNow();
        reconsider();
    });
    connect(&m_energy, &EnergyLedger::measured, this, &Agent::noteChange);
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &Agent::reconsider);
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &Agent::reconsider);
    m_tell.setSingleShot(true);
    connect(&m_tell, &QTimer::timeout, this, &Agent::tellChange);
    for (const platform::DeviceInfo& info : parts.devices) addDevice(info);
    m_joiner = std::make_unique<ProjectJoiner>(
        SessionParts{*m_transfers, m_retry, m_clock, *m_journal, m_files, m_faults, m_folder.path() / "projects", "sunloco/0.1.0 " + QSysInfo::kernelType().toStdString() + "-" + QSysInfo::currentCpuArchitecture().toStdString()},
        m_keys, nullptr);
}

Agent::~Agent() {
    m_energy.flush();
    // Whoever uses transfers, journal and file thread goes before them.
    for (const auto& device : m_devices) device->runner->disconnect(this);
    for (const auto& session : m_sessions) session->disconnect(this);
    m_joiner.reset();
    m_sessions.clear();
    m_devices.clear();
    m_transfers.reset();
}

core::Result<void> Agent::start() {
    auto stored = m_journal->value("override");
    if (!stored) return stored.error();
    if (!stored->empty()) {
        auto json = core::parseJson(*stored);
        auto value = json ? rules::userOverrideFromJson(*json) : core::Result<rules::UserOverride>(json.error());
        if (value) m_override = *value;
        else m_log.add(QStringLiteral("the stored pause cannot be read and is forgotten: ") + QString::fromStdString(value.error().text()));
    }
    auto projects = m_journal->projects();
    if (!projects) return projects.error();
    applyNetworkSettings();
    m_log.add(QStringLiteral("SunLoCo 0.1.0 starts, data in ") + QString::fromStdString(m_folder.path().string()));
    m_hub.start();
    removeOrphans(*projects);
    for (ProjectRow& row : *projects) openSession(std::move(row));
    measureDisk();
    reconsider();
    return {};
}

/// Folders of projects that were left while the program or the disk failed.
void Agent::removeOrphans(const std::vector<ProjectRow>& projects) {
    std::set<std::string> known;
    for (const ProjectRow& row : projects) known.insert(row.id);
    m_files.run(this, [known, folder = m_folder.path() / "projects"]() -> core::Result<void> {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            if (!known.contains(entry.path().filename().string())) std::filesystem::remove_all(entry.path(), ignored);
        }
        return {};
    }, [](const core::Result<void>&) {});
}

// ---- devices --------------------------------------------------------------------------------------------------------------------------

void Agent::addDevice(const platform::DeviceInfo& info) {
    auto device = std::make_unique<Device>();
    device->info = info;
    DeviceRunner::Options options;
    options.device = info.id.toStdString();
    options.program = m_workerProgram;
    device->runner = std::make_unique<DeviceRunner>(options, m_clock, nullptr);
    DeviceRunner* runner = device->runner.get();
    connect(runner, &DeviceRunner::logLine, this, [this](const QString& line) { m_log.add(line); });
    connect(runner, &DeviceRunner::progressChanged, this, [this, runner] {
        if (runner->job() && runner->progress()) {
            if (ProjectSession* session = sessionOf(runner->job()->leaseId)) session->workerProgress(runner->job()->leaseId, *runner->progress());
        }
        followWorkers();
        noteChange();
    });
    connect(runner, &DeviceRunner::jobFinished, this, [this](const QString& lease, const core::JobResult& result) {
        if (ProjectSession* session = sessionOf(lease.toStdString())) session->workerFinished(lease.toStdString(), result);
        followWorkers();
        reconsiderSoon();
    });
    connect(runner, &DeviceRunner::jobCrashed, this, [this](const QString& lease, const QString& why) {
        if (ProjectSession* session = sessionOf(lease.toStdString())) session->workerCrashed(lease.toStdString(), why.toStdString());
        followWorkers();
        reconsiderSoon();
    });
    connect(runner, &DeviceRunner::jobRefused, this, [this](const QString& lease, const core::Error& error) {
        if (ProjectSession* session = sessionOf(lease.toStdString())) session->workerRefused(lease.toStdString(), error);
        followWorkers();
        reconsiderSoon();
    });
    connect(runner, &DeviceRunner::idle, this, &Agent::finishQuitting);
    m_devices.push_back(std::move(device));
}

ProjectSession* Agent::sessionOf(const std::string& leaseId) const {
    for (const auto& session : m_sessions) {
        if (session->unit(leaseId) != nullptr) return session.get();
    }
    return nullptr;
}

/// Sensors and meters look closely while a worker computes, and hardly at all otherwise.
void Agent::followWorkers() {
    std::vector<energy::MeteredWorker> workers;
    for (const auto& device : m_devices) {
        if (device->runner->isComputing()) workers.push_back({device->runner->workerPid(), device->info.id.toStdString()});
    }
    m_wasComputing = !workers.empty();
    m_energy.setWorkers(workers);
    const platform::Pace pace = workers.empty() ? platform::Pace::Calm : platform::Pace::Alert;
    if (m_hub.pace() != pace) m_hub.setPace(pace);
}

// ---- sessions -------------------------------------------------------------------------------------------------------------------------

void Agent::openSession(ProjectRow row) {
    const std::string id = row.id;
    const auto wanted = row.deviceId.empty() ? KeyStore::Wanted::ForNewProject : KeyStore::Wanted::OfEnrolledDevice;
    m_keys.loadOrCreate(id, wanted, this, [this, row = std::move(row)](core::Result<protocol::KeyPair> key) mutable {
        m_closedDoors.erase(row.id);
        if (key) {
            // A key that is not the enrolled one (it was lost, a new one was made) is another device to the server.
            if (!row.deviceId.empty() && protocol::deviceId(key->publicKey()) != row.deviceId) row.deviceId.clear();
            addSession(std::move(row), std::move(*key));
            return;
        }
        const QString text = QString::fromStdString(key.error().text());
        m_log.add(QString::fromStdString(row.name) % QStringLiteral(": ") % text);
        m_closedDoors[row.id] = text;
        noteChange();
        QTimer::singleShot(kKeychainAgainMs, this, [this, row = std::move(row)] { openSession(row); });
    });
}

void Agent::addSession(ProjectRow row, protocol::KeyPair key) {
    const SessionParts parts{*m_transfers, m_retry, m_clock, *m_journal, m_files, m_faults, m_folder.path() / "projects",
                             "sunloco/0.1.0 " + QSysInfo::kernelType().toStdString() + "-" + QSysInfo::currentCpuArchitecture().toStdString()};
    m_sessions.push_back(std::make_unique<ProjectSession>(parts, std::move(row), std::move(key), nullptr));
    ProjectSession* session = m_sessions.back().get();
    connect(session, &ProjectSession::logLine, this, [this](const QString& line) { m_log.add(line); });
    connect(session, &ProjectSession::changed, this, [this] {
        reconsiderSoon();
        noteChange();
    });
    connect(session, &ProjectSession::unitsChanged, this, &AgentApi::contributionsChanged);
    connect(session, &ProjectSession::roundsChanged, this, &AgentApi::contributionsChanged);
    connect(session, &ProjectSession::gone, this, [this, id = session->row().id] { closeSession(id); }, Qt::QueuedConnection);
    if (auto started = session->start(); !started) noteStorage(started.error());
    reconsiderSoon();
    noteChange();
}

void Agent::closeSession(const std::string& projectId) {
    const auto found = std::find_if(m_sessions.begin(), m_sessions.end(), [&](const auto& session) { return session->row().id == projectId; });
    if (found == m_sessions.end()) return;
    const auto folder = (*found)->folder();
    const QString name = QString::fromStdString((*found)->row().name);
    // Workers first: nobody may write into the folder that goes.
    std::vector<std::string> leases;
    for (const WorkUnit* unit : (*found)->units()) leases.push_back(unit->leaseId);
    for (const auto& device : m_devices) {
        for (const std::string& lease : leases) device->runner->clearJob(lease);
    }
    m_sessions.erase(found);
    if (auto removed = m_journal->removeProject(projectId); !removed) noteStorage(removed.error());
    m_keys.remove(projectId);
    m_files.run(this, [folder]() -> core::Result<void> {
        std::error_code error;
        std::filesystem::remove_all(folder, error);
        if (error) return core::Error{core::ErrorCode::Io, "the files of a project that was left could not all be removed: " + error.message(), folder.string()};
        return {};
    }, [this](const core::Result<void>& result) {
        if (!result) m_log.add(QString::fromStdString(result.error().text()));
    });
    m_log.add(QStringLiteral("left ") + name);
    Q_EMIT contributionsChanged();
    reconsider();
}

// ---- decisions ------------------------------------------------------------------------------------------------------------------------

rules::Inputs Agent::inputs() const {
    rules::Inputs in;
    in.snapshot = m_hub.snapshot();
    in.settings = m_settings.settings();
    in.userOverride = m_override;
    in.utcOffset = platform::systemUtcOffset();
    for (const auto& device : m_devices) in.devices.push_back(device->info.id.toStdString());
    in.snapshot.usedDiskBytes = m_usedDisk ? rules::Reading<std::int64_t>::known(*m_usedDisk) : rules::Reading<std::int64_t>::unknown(rules::UnknownReason::Starting);
    const bool work = std::any_of(m_sessions.begin(), m_sessions.end(), [](const auto& session) { return session->mayHaveWork(); });
    in.snapshot.workAvailable = rules::Reading<bool>::known(work);
    for (const auto& session : m_sessions) {
        const auto at = session->askedAgainAt();
        if (at && (!in.snapshot.workAskedAgainAt || *at < *in.snapshot.workAskedAgainAt)) in.snapshot.workAskedAgainAt = at;
    }
    return in;
}

void Agent::reconsiderSoon() {
    if (!m_soon.isActive()) m_soon.start(0);
}

void Agent::reconsider() {
    if (m_quitting) return;
    m_soon.stop();
    const core::UtcMs now = m_clock.utcNow();
    const rules::Decision before = m_decision;
    m_decision = rules::evaluate(inputs(), now, m_decided ? &before : nullptr);
    m_decided = true;
    permitSessions();
    assignJobs();
    followWorkers();
    if (m_override.kind != rules::UserOverride::Kind::None && !m_override.isActive(now)) {
        m_log.add(m_override.kind == rules::UserOverride::Kind::Pause ? QStringLiteral("the pause is over") : QStringLiteral("\"run now\" is over"));
        setOverride({}, {});
    }
    if (m_clock.monotonicNow() - m_usedDiskAt >= (m_wasComputing ? kDiskBusyMs : kDiskIdleMs)) measureDisk();
    core::UtcMs wait = kLongestWaitMs;
    if (m_decision.nextChange) wait = std::clamp<core::UtcMs>(*m_decision.nextChange - now, 1, kLongestWaitMs);
    for (const rules::Verdict& verdict : m_decision.verdicts) {
        if (verdict.nextChange) wait = std::min(wait, std::max<core::UtcMs>(*verdict.nextChange - now, 200));
    }
    m_later.start(static_cast<int>(wait));
    if (before.state != m_decision.state || before.deciding.rule != m_decision.deciding.rule) noteChange();
    m_stale = true;
}

/// A device may take new work when nothing but the lack of work stops it.
void Agent::permitSessions() {
    std::map<const ProjectSession*, std::set<std::string>> permits;
    for (const auto& device : m_devices) {
        const std::string id = device->info.id.toStdString();
        const auto decision = std::find_if(m_decision.devices.begin(), m_decision.devices.end(), [&](const rules::DeviceDecision& d) { return d.id == id; });
        if (decision == m_decision.devices.end() || decision->mode == rules::Mode::Never || device->runner->isOutOfService()) continue;
        if (!decision->run && decision->deciding != rules::RuleId::HasWork) continue;
        // One project at a time: who has work for this device keeps it, else they take turns, and who has none lets the next one ask.
        const auto holder = std::find_if(m_sessions.begin(), m_sessions.end(), [&](const auto& session) { return session->holdsWorkFor(id); });
        if (holder != m_sessions.end()) {
            device->turn = static_cast<std::size_t>(holder - m_sessions.begin()) + 1;
            permits[holder->get()].insert(id);
            continue;
        }
        const std::size_t count = m_sessions.size();
        const ProjectSession* chosen = nullptr;
        for (std::size_t i = 0; i < count && chosen == nullptr; ++i) {
            const auto& session = m_sessions[(device->turn + i) % count];
            if (session->mayHaveWork()) chosen = session.get();
        }
        if (chosen != nullptr) {
            permits[chosen].insert(id);
            continue;
        }
        for (const auto& session : m_sessions) permits[session.get()].insert(id);   // each asks again in its own time
    }
    for (const auto& session : m_sessions) session->permit(permits[session.get()], m_decision.uploadAllowed);
}

void Agent::assignJobs() {
    const auto wantedThreads = m_settings.settings().number(rules::keys::kCpuThreads);
    for (const auto& device : m_devices) {
        const std::string id = device->info.id.toStdString();
        DeviceRunner& runner = *device->runner;
        runner.setThreads(wantedThreads > 0 ? static_cast<int>(wantedThreads) : platform::automaticThreads(device->info));
        std::optional<DeviceRunner::Job> job;
        for (const auto& session : m_sessions) {
            if (!job) job = session->jobFor(id);
        }
        if (job && (!runner.job() || runner.job()->leaseId != job->leaseId)) runner.setJob(*job);
        else if (!job && runner.job()) runner.clearJob(runner.job()->leaseId);
        const auto decision = std::find_if(m_decision.devices.begin(), m_decision.devices.end(), [&](const rules::DeviceDecision& d) { return d.id == id; });
        const bool run = decision != m_decision.devices.end() && decision->run;
        runner.allow(run, run ? decision->throttlePercent : 100);
    }
}

void Agent::measureDisk() {
    m_usedDiskAt = m_clock.monotonicNow();
    auto bytes = std::make_shared<std::int64_t>(0);
    m_files.run(this, [bytes, folder = m_folder.path()]() -> core::Result<void> {
        *bytes = DataFolder::usedBytes(folder);
        return {};
    }, [this, bytes](const core::Result<void>&) {
        const bool first = !m_usedDisk;
        m_usedDisk = *bytes;
        if (first) reconsiderSoon();
    });
}

void Agent::goToSleep() {
    m_log.add(QStringLiteral("the system goes to sleep"));
    reconsider();   // the sleep rule stops the workers
    for (const auto& device : m_devices) device->runner->allow(false, 100);
    m_energy.flush();
    QTimer::singleShot(kQuietBeforeSleepMs, this, [this] { m_hub.readyToSleep(); });
}

// ---- the end --------------------------------------------------------------------------------------------------------------------------

void Agent::quit() {
    if (m_quitting) return;
    m_quitting = true;
    m_log.add(QStringLiteral("ending: the workers save their work"));
    m_soon.stop();
    m_later.stop();
    for (const auto& session : m_sessions) session->permit({}, false);
    for (const auto& device : m_devices) device->runner->shutDown();
    if (m_devices.empty()) QMetaObject::invokeMethod(this, &Agent::finishQuitting, Qt::QueuedConnection);
}

void Agent::quitAtOnce() {
    m_quitting = true;
    m_energy.flush();
    m_log.add(QStringLiteral("ended at once"));
    Q_EMIT finished();
}

void Agent::finishQuitting() {
    if (!m_quitting) return;
    const bool busy = std::any_of(m_devices.begin(), m_devices.end(), [](const auto& device) { return device->runner->hasProcess(); });
    if (busy) return;
    m_energy.setWorkers({});
    m_energy.flush();
    m_log.add(QStringLiteral("ended"));
    Q_EMIT finished();
}

void Agent::noteChange() {
    m_stale = true;
    if (m_tell.isActive()) return;
    const qint64 since = m_clock.monotonicNow() - m_toldAt;
    m_tell.start(static_cast<int>(std::clamp<qint64>(kTellEveryMs - since, 0, kTellEveryMs)));
}

void Agent::tellChange() {
    m_toldAt = m_clock.monotonicNow();
    m_stale = true;
    const State state = snapshot().state;
    if (state != m_toldState) {
        m_toldState = state;
        Q_EMIT stateChanged(state);
    }
    Q_EMIT changed();
}

}  // namespace sunloco::agent
