// SPDX-License-Identifier: Apache-2.0
#include "app/agent/device_runner.h"

#include <algorithm>
#include <utility>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using core::ExitCode;
using core::StopLevel;
using core::WorkerMessage;

constexpr int kBackOffBaseMs = 2'000;
constexpr int kBackOffCapMs = 5 * 60'000;
constexpr int kDeviceLostMs = 30'000;
constexpr int kDiskFullMs = 60'000;

ErrorCode codeFromName(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
        if (core::errorName(static_cast<ErrorCode>(i)) == name) return static_cast<ErrorCode>(i);
    }
    return ErrorCode::Internal;
}

}  // namespace

DeviceRunner::DeviceRunner(Options options, const core::Clock& clock, QObject* parent)
    : QObject(parent), m_options(std::move(options)), m_clock(clock), m_worker(QStringLiteral("worker ") + QString::fromStdString(m_options.device), m_options.times, nullptr),
      m_name(QString::fromStdString(m_options.device)) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &DeviceRunner::reconcile);
    connect(&m_worker, &WorkerProcess::ready, this, &DeviceRunner::onReady);
    connect(&m_worker, &WorkerProcess::finished, this, &DeviceRunner::onFinished);
    connect(&m_worker, &WorkerProcess::failed, this, &DeviceRunner::onFailed);
    connect(&m_worker, &WorkerProcess::ended, this, &DeviceRunner::onEnded, Qt::QueuedConnection);
    connect(&m_worker, &WorkerProcess::logLine, this, &DeviceRunner::logLine);
    connect(&m_worker, &WorkerProcess::stopped, this, [this](StopLevel level) {
        m_lastFrame = m_clock.monotonicNow();
        if (level == StopLevel::Quiet) m_quiet = true;
    });
    connect(&m_worker, &WorkerProcess::progress, this, [this](const core::ProgressMessage& message) {
        m_lastFrame = m_clock.monotonicNow();
        if (!m_running) return;
        m_progress = message;
        m_problem.clear();
        if (message.step > 0) m_failures = 0;
        Q_EMIT progressChanged();
    });
}

void DeviceRunner::setJob(Job job) {
    m_job = std::move(job);
    reconcile();
}

void DeviceRunner::clearJob(const std::string& leaseId) {
    if (!m_job || m_job->leaseId != leaseId) return;
    m_job.reset();
    m_progress.reset();
    reconcile();
}

void DeviceRunner::allow(bool run, int throttlePercent) {
    if (m_allowed == run && m_throttle == throttlePercent) return;
    m_allowed = run;
    m_throttle = throttlePercent;
    reconcile();
}

void DeviceRunner::shutDown() {
    m_shuttingDown = true;
    m_timer.stop();
    if (!m_worker.isRunning()) {
        QMetaObject::invokeMethod(this, &DeviceRunner::idle, Qt::QueuedConnection);
        return;
    }
    m_worker.end();
}

void DeviceRunner::retryNow() {
    m_notBefore = 0;
    m_failures = 0;
    if (std::exchange(m_outOfService, false)) m_problem.clear();
    reconcile();
}

std::optional<core::UtcMs> DeviceRunner::nextStart() const {
    const core::MonotonicMs left = m_notBefore - m_clock.monotonicNow();
    if (left <= 0 || !m_job) return std::nullopt;
    return m_clock.utcNow() + left;
}

/// Brings the process to what job and rules want now; called after every change and when a time is up.
void DeviceRunner::reconcile() {
    if (m_shuttingDown) return;
    const core::MonotonicMs now = m_clock.monotonicNow();
    m_timer.stop();
    const auto later = [this](std::int64_t ms) { m_timer.start(static_cast<int>(std::clamp<std::int64_t>(ms, 1, 24 * 3'600'000))); };

    if (!m_worker.isRunning()) {
        if (!m_job || !m_allowed || m_outOfService) return;
        if (now < m_notBefore) return later(m_notBefore - now);
        launch();
        return;
    }
    if (m_worker.isEnding() || !m_worker.isReady()) return;  // onEnded or onReady goes on

    if (m_running && (!m_job || m_job->leaseId != m_startedLease)) {
        // The present work is of no use any more; a fresh process takes the next.
        m_running = false;
        m_worker.end();
        return;
    }
    if (!m_job) {
        if (now - m_lastFrame >= m_options.idleMs) return m_worker.end();
        return later(m_options.idleMs - (now - m_lastFrame));
    }
    if (!m_running) {
        if (!m_allowed) {
            if (now - m_lastFrame >= m_options.idleMs) return m_worker.end();
            return later(m_options.idleMs - (now - m_lastFrame));
        }
        if (now < m_notBefore) return later(m_notBefore - now);
        startJob();
        return later(m_options.silenceMs);
    }
    if (!m_allowed) {
        if (!m_quiet) {
            m_worker.send(core::toFrame(WorkerMessage::Stop, core::StopMessage{StopLevel::Quiet}));
            m_quiet = true;
            m_quietSince = now;
            Q_EMIT progressChanged();
        } else if (now - m_quietSince >= m_options.quietMs) {
            m_worker.end();
            return;
        }
        return later(m_options.quietMs - (now - m_quietSince) + 1);
    }
    if (m_quiet) {
        m_worker.send(core::resumeFrame());
        m_quiet = false;
        m_lastFrame = now;
        Q_EMIT progressChanged();
    }
    if (m_sentThrottle != m_throttle) {
        m_worker.send(core::toFrame(core::ThrottleMessage{m_throttle}));
        m_sentThrottle = m_throttle;
    }
    if (now - m_lastFrame >= m_options.silenceMs) {
        Q_EMIT logLine(QStringLiteral("worker %1: silent for %2 s; it is ended").arg(m_name).arg((now - m_lastFrame) / 1000));
        m_worker.kill();
        return;
    }
    later(m_options.silenceMs - (now - m_lastFrame) + 1);
}

void DeviceRunner::launch() {
    m_running = false;
    m_quiet = false;
    m_startedLease.clear();
    if (m_options.program.empty()) {
        auto program = findWorkerProgram({});
        if (!program) {
            waitThenRetry(QString::fromStdString(program.error().message), kDeviceLostMs);
            return;
        }
        m_worker.start(*program);
        return;
    }
    m_worker.start(m_options.program);
}

void DeviceRunner::startJob() {
    core::StartMessage start;
    start.folder = m_job->folder;
    start.device = m_options.device;
    start.threads = m_threads;
    start.throttlePercent = m_throttle;
    m_startedLease = m_job->leaseId;
    m_sentThrottle = m_throttle;
    m_running = true;
    m_quiet = false;
    m_lastFrame = m_clock.monotonicNow();
    m_progress.reset();
    m_worker.send(core::toFrame(start));
    Q_EMIT progressChanged();
}

void DeviceRunner::onReady(const core::HelloReplyMessage& hello) {
    m_lastFrame = m_clock.monotonicNow();
    for (const core::DeviceInfo& info : hello.devices) {
        if (info.id == m_options.device && !info.name.empty()) m_name = QString::fromStdString(info.name);
    }
    if (m_shuttingDown) return;
    reconcile();
}

void DeviceRunner::onFinished(const core::FinishedMessage& message) {
    if (!m_running) return;
    m_running = false;
    m_quiet = false;
    m_lastFrame = m_clock.monotonicNow();
    auto result = core::parseJobResult(message.result);
    const std::string lease = m_startedLease;
    if (!result) {
        crash(QStringLiteral("the worker's result cannot be read: ") + QString::fromStdString(result.error().text()));
        return;
    }
    m_failures = 0;
    if (m_job && m_job->leaseId == lease) m_job.reset();
    m_progress.reset();
    Q_EMIT jobFinished(QString::fromStdString(lease), *result);
    reconcile();
}

void DeviceRunner::onFailed(const core::FailedMessage& message) {
    if (!m_running) return;
    m_running = false;
    m_quiet = false;
    m_lastFrame = m_clock.monotonicNow();
    // A worker that failed ends by itself. The next job waits for a fresh one: given to this one, it would be charged with the old job's exit code.
    m_worker.end();
    const Error error{codeFromName(message.code), message.message, "step " + std::to_string(message.step)};
    const QString text = QString::fromStdString(message.message);
    switch (error.code) {
    case ErrorCode::Cancelled: break;
    case ErrorCode::DeviceLost: waitThenRetry(text, kDeviceLostMs); break;
    case ErrorCode::DiskFull: waitThenRetry(text, kDiskFullMs); break;
    case ErrorCode::Io:
    case ErrorCode::Crash:
    case ErrorCode::Internal: crash(text); break;
    default: refuse(error); break;
    }
}

void DeviceRunner::onEnded(std::optional<int> exitCode, const QString& why) {
    const bool wasRunning = m_running;
    const bool asked = m_worker.isEnding();
    m_running = false;
    m_quiet = false;
    if (m_shuttingDown) {
        Q_EMIT idle();
        return;
    }
    if (!wasRunning) {
        if (!asked && (!exitCode || *exitCode != static_cast<int>(ExitCode::Ok)) && m_startedLease.empty() && m_job) {
            crash(why);  // it died before it took the job
            return;
        }
        reconcile();
        return;
    }
    // DESIGN section 10, exit-code map.
    if (!exitCode) {
        crash(why);
        return;
    }
    switch (static_cast<ExitCode>(*exitCode)) {
    case ExitCode::Ok:
    case ExitCode::Cancelled:
        if (asked) reconcile();
        else crash(QStringLiteral("the worker ended before its work was done"));
        return;
    case ExitCode::JobInvalid: refuse({ErrorCode::InvalidData, why.toStdString(), "worker"}); return;
    case ExitCode::OutOfMemory: refuse({ErrorCode::OutOfMemory, "there is not enough memory for this project's model", "worker"}); return;
    case ExitCode::NumericFailure: refuse({ErrorCode::Numeric, "training ran into values that are not numbers", "worker"}); return;
    case ExitCode::DeviceLost: waitThenRetry(QStringLiteral("the device is gone"), kDeviceLostMs); return;
    case ExitCode::DiskFull: waitThenRetry(QStringLiteral("the disk is full"), kDiskFullMs); return;
    default: crash(why); return;
    }
}

void DeviceRunner::waitThenRetry(const QString& why, int atLeastMs) {
    m_problem = why;
    m_notBefore = m_clock.monotonicNow() + atLeastMs;
    Q_EMIT logLine(QStringLiteral("worker %1: %2; next try in %3 s").arg(m_name, why).arg(atLeastMs / 1000));
    Q_EMIT progressChanged();
    reconcile();
}

void DeviceRunner::crash(const QString& why) {
    const std::int64_t ceiling = std::min<std::int64_t>(kBackOffCapMs, std::int64_t{kBackOffBaseMs} << std::min(m_failures, 10));
    ++m_failures;
    m_problem = why;
    // Half the ceiling at least: a worker that dies at once must not be started in a tight loop.
    m_notBefore = m_clock.monotonicNow() + ceiling / 2 + std::uniform_int_distribution<std::int64_t>(0, ceiling / 2)(m_random);
    const std::string lease = m_job ? m_job->leaseId : m_startedLease;
    Q_EMIT logLine(QStringLiteral("worker %1: %2").arg(m_name, why));
    if (!lease.empty()) Q_EMIT jobCrashed(QString::fromStdString(lease), why);
    reconcile();
}

void DeviceRunner::refuse(const Error& error) {
    const std::string lease = m_startedLease;
    m_problem = QString::fromStdString(error.message);
    m_outOfService = error.code == ErrorCode::Numeric;
    Q_EMIT logLine(QStringLiteral("worker %1: %2").arg(m_name, QString::fromStdString(error.text())));
    if (m_job && m_job->leaseId == lease) m_job.reset();
    Q_EMIT jobRefused(QString::fromStdString(lease), error);
    reconcile();
}

}  // namespace sunloco::agent
