// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/worker_process.h"
#include "engine/core/clock.h"
#include "engine/core/job.h"

#include <QObject>
#include <QTimer>

#include <optional>
#include <random>

namespace sunloco::agent {

/// What became of a job.
enum class JobEnd { Finished, Crashed, Refused };

/// Keeps one device busy with one job as long as the rules allow: starts the worker, quiets it, ends it when it is long idle,
/// counts its crashes and waits between them. Thread: the main thread.
class DeviceRunner : public QObject {
    Q_OBJECT
public:
    struct Options {
        std::string device = "cpu";
        std::string program;             ///< sunloco-worker
        WorkerProcess::Times times;
        int quietMs = 60'000;            ///< after so long in quiet the worker ends and gives its memory back
        int idleMs = 20'000;             ///< a worker without a job ends after this
        int silenceMs = 60'000;          ///< no frame for so long while it should work: it hangs
    };
    DeviceRunner(Options options, const core::Clock& clock, QObject* parent);

    struct Job {
        std::string leaseId;
        std::string folder;
        int threads = 1;
    };
    /// Gives a new job, or the same again after a crash. Another job than the present one stops that first.
    void setJob(Job job);
    void clearJob(const std::string& leaseId);
    [[nodiscard]] const std::optional<Job>& job() const { return m_job; }
    void allow(bool run, int throttlePercent);
    void setThreads(int threads) { m_threads = threads; }
    [[nodiscard]] int threads() const { return m_threads; }

    /// Ends the worker gracefully; `idle` comes when no process is left.
    void shutDown();
    [[nodiscard]] bool hasProcess() const { return m_worker.isRunning(); }
    [[nodiscard]] bool isComputing() const { return m_running && !m_quiet; }
    [[nodiscard]] qint64 workerPid() const { return m_worker.pid(); }
    [[nodiscard]] const std::optional<core::ProgressMessage>& progress() const { return m_progress; }
    [[nodiscard]] const QString& name() const { return m_name; }
    [[nodiscard]] const std::string& device() const { return m_options.device; }
    /// Why it does not run though it should, in plain English; empty when well.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    /// Its worker met senseless values again and again: it computes wrongly, or the model is bad. No work until a person says retryNow().
    [[nodiscard]] bool isOutOfService() const { return m_outOfService; }
    /// It is down and another try alone has not helped.
    [[nodiscard]] bool needsAttention() const { return !m_problem.isEmpty() && !isComputing() && m_failures != 1; }
    [[nodiscard]] std::optional<core::UtcMs> nextStart() const;
    /// A person asked: forget the wait after a crash.
    void retryNow();

Q_SIGNALS:
    void jobFinished(const QString& leaseId, const sunloco::core::JobResult& result);
    void jobCrashed(const QString& leaseId, const QString& why);
    void jobRefused(const QString& leaseId, const sunloco::core::Error& error);
    void progressChanged();
    void idle();
    void logLine(const QString& line);

private:
    void reconcile();
    void launch();
    void startJob();
    void onReady(const core::HelloReplyMessage& hello);
    void onFinished(const core::FinishedMessage& message);
    void onFailed(const core::FailedMessage& message);
    void onEnded(std::optional<int> exitCode, const QString& why);
    void crash(const QString& why);
    void refuse(const core::Error& error);
    void waitThenRetry(const QString& why, int atLeastMs);

    Options m_options;
    const core::Clock& m_clock;
    WorkerProcess m_worker;
    std::optional<Job> m_job;
    std::string m_startedLease;          ///< the job that the worker has been given
    bool m_allowed = false;
    int m_throttle = 100;
    int m_sentThrottle = 100;
    int m_threads = 1;
    bool m_running = false;              ///< a Start was sent and neither Finished nor Failed came
    bool m_quiet = false;
    bool m_shuttingDown = false;
    bool m_outOfService = false;
    int m_failures = 0;                  ///< in a row, for the wait
    core::MonotonicMs m_notBefore = 0;
    core::MonotonicMs m_lastFrame = 0;
    core::MonotonicMs m_quietSince = 0;
    QTimer m_timer;                      ///< quiet, idle, back-off and silence, whichever is next
    std::optional<core::ProgressMessage> m_progress;
    QString m_name;
    QString m_problem;
    std::mt19937_64 m_random{std::random_device{}()};
};

}  // namespace sunloco::agent
