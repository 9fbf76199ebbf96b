// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"
#include "engine/core/worker_messages.h"

#include <QProcess>

#include <filesystem>

namespace sunloco::test {

/// A real sunloco-worker and the frames that came from it.
class WorkerClient {
public:
    explicit WorkerClient(QStringList arguments = {});
    ~WorkerClient();

    /// Hello and its answer.
    bool greet();
    void send(const core::Frame& frame);
    void sendBytes(const QByteArray& bytes);
    void start(const std::filesystem::path& folder, int threads = 1, int throttlePercent = 100);
    void stop(core::StopLevel level);
    void closeInput() { m_process.closeWriteChannel(); }
    void kill();

    /// Waits for the next frame of a type, skipping progress; no value when another one, or the end of the worker, came first.
    std::optional<core::Frame> waitFor(core::WorkerMessage type);
    /// Result of the job in hand, or the failure's text in `lastError`.
    std::optional<core::JobResult> waitForResult();
    /// Waits for the end; -1 when a signal ended it.
    int exitCode();

    QString lastError;
    QByteArray log;

private:
    std::optional<core::Frame> nextFrame();
    QProcess m_process;
    core::FrameReader m_reader;
};

}  // namespace sunloco::test
