// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/exit_codes.h"
#include "engine/core/worker_messages.h"

#include <QObject>
#include <QProcess>
#include <QTimer>

#include <filesystem>

namespace sunloco::agent {

/// Where sunloco-worker is: SUNLOCO_WORKER, beside this program, ../libexec/sunloco, PATH. NotFound says where was looked.
core::Result<std::string> findWorkerProgram(const std::string& configured);

/// One running sunloco-worker: its frames, its log lines and the ladder that ends it (stop frame, grace, terminate, kill).
/// It gets its own process group and the lowest priority, and dies with this program. Thread: the main thread.
class WorkerProcess : public QObject {
    Q_OBJECT
public:
    struct Times {
        int helloMs = 60'000;        ///< from the start to the first frame; loading LibTorch from a slow disk takes its time
        int stopGraceMs = 30'000;    ///< stop frame → terminate
        int terminateMs = 5'000;     ///< terminate → kill
    };
    WorkerProcess(QString label, Times times, QObject* parent);
    /// Kills what is left.
    ~WorkerProcess() override;

    void start(const std::string& program);
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    [[nodiscard]] bool isReady() const { return m_ready; }
    [[nodiscard]] bool isEnding() const { return m_ending; }
    [[nodiscard]] qint64 pid() const { return m_process.processId(); }

    void send(const core::Frame& frame);
    /// Begins the ladder; `ended` comes when the process is gone.
    void end();
    /// At once, for a process that hangs.
    void kill();

Q_SIGNALS:
    void ready(const sunloco::core::HelloReplyMessage& hello);
    void progress(const sunloco::core::ProgressMessage& progress);
    void stopped(sunloco::core::StopLevel level);
    void finished(const sunloco::core::FinishedMessage& message);
    void failed(const sunloco::core::FailedMessage& message);
    /// Exit code, or no value when a signal ended it or it never said hello; `why` is a sentence.
    void ended(std::optional<int> exitCode, const QString& why);
    void logLine(const QString& line);

private:
    void readFrames();
    void readLog();
    void handle(const core::Frame& frame);
    void breakOff(const std::string& why);
    void onFinished(int exitCode, QProcess::ExitStatus status);
    void signalGroup(int signalNumber);

    QString m_label;
    Times m_times;
    QProcess m_process;
    core::FrameReader m_reader;
    QByteArray m_logRest;
    QTimer m_ladder;
    int m_ladderStep = 0;
    bool m_ready = false;
    bool m_ending = false;
    QString m_brokenOff;
};

}  // namespace sunloco::agent
