// SPDX-License-Identifier: Apache-2.0
#include "app/agent/worker_process.h"

#include "app/platform/process_courtesy.h"

#include <QCoreApplication>
#include <QStandardPaths>

#include <signal.h>
#include <unistd.h>

#include <utility>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;
using core::WorkerMessage;

}  // namespace

core::Result<std::string> findWorkerProgram(const std::string& configured) {
    namespace fs = std::filesystem;
    const auto runnable = [](const fs::path& path) { return ::access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path); };
    std::string wanted = configured;
    if (wanted.empty()) wanted = qgetenv("SUNLOCO_WORKER").toStdString();
    if (!wanted.empty()) {
        if (runnable(wanted)) return wanted;
        return Error{ErrorCode::NotFound, "the worker program that was named is not there or cannot be run", wanted};
    }
    const fs::path beside = QCoreApplication::applicationDirPath().toStdString();
    for (const fs::path& path : {beside / "sunloco-worker", beside / "../libexec/sunloco/sunloco-worker"}) {
        if (runnable(path)) return path.lexically_normal().string();
    }
    const QString inPath = QStandardPaths::findExecutable(QStringLiteral("sunloco-worker"));
    if (!inPath.isEmpty()) return inPath.toStdString();
    return Error{ErrorCode::NotFound,
                 "sunloco-worker was not found beside this program, in ../libexec/sunloco or in PATH; install it, or name it in the environment variable SUNLOCO_WORKER",
                 beside.string()};
}

WorkerProcess::WorkerProcess(QString label, Times times, QObject* parent) : QObject(parent), m_label(std::move(label)), m_times(times) {
    m_process.setChildProcessModifier([] {
        // Runs in the child between fork and exec: nothing here may allocate or fail loudly.
        platform::giveWayToOthers();   // a process group of its own, among others
    });
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &WorkerProcess::readFrames);
    connect(&m_process, &QProcess::readyReadStandardError, this, &WorkerProcess::readLog);
    connect(&m_process, &QProcess::finished, this, &WorkerProcess::onFinished);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) Q_EMIT ended(std::nullopt, QStringLiteral("the worker could not be started: ") + m_process.errorString());
    });
    m_ladder.setSingleShot(true);
    connect(&m_ladder, &QTimer::timeout, this, [this] {
        if (!m_ending) {
            breakOff("the worker did not say hello in time");
            return;
        }
        ++m_ladderStep;
        signalGroup(m_ladderStep == 1 ? SIGTERM : SIGKILL);
        m_ladder.start(m_times.terminateMs);
    });
}

WorkerProcess::~WorkerProcess() {
    m_process.disconnect(this);
    if (!isRunning()) return;
    signalGroup(SIGKILL);
    constexpr int kWaitMs = 2'000;
    m_process.waitForFinished(kWaitMs);
}

void WorkerProcess::start(const std::string& program) {
    m_reader = core::FrameReader();
    m_ready = false;
    m_ending = false;
    m_ladderStep = 0;
    m_brokenOff.clear();
    m_process.start(QString::fromStdString(program), {QStringLiteral("serve")});
    m_ladder.start(m_times.helloMs);
    send(core::toFrame(WorkerMessage::Hello, core::HelloMessage{}));
}

void WorkerProcess::send(const core::Frame& frame) {
    const auto bytes = core::encodeFrame(frame);
    if (!bytes || !isRunning()) return;
    m_process.write(reinterpret_cast<const char*>(bytes->data()), static_cast<qint64>(bytes->size()));
}

void WorkerProcess::end() {
    if (!isRunning() || m_ending) return;
    m_ending = true;
    m_ladderStep = 0;
    send(core::toFrame(WorkerMessage::Stop, core::StopMessage{core::StopLevel::Exit}));
    m_process.closeWriteChannel();  // even a worker that is busy elsewhere sees the end of its input
    m_ladder.start(m_times.stopGraceMs);
}

void WorkerProcess::kill() {
    if (!isRunning()) return;
    m_ending = true;
    m_ladderStep = 1;
    signalGroup(SIGKILL);
    m_ladder.start(m_times.terminateMs);
}

void WorkerProcess::signalGroup(int signalNumber) {
    const qint64 id = m_process.processId();
    if (id <= 1) return;
    ::kill(-static_cast<pid_t>(id), signalNumber);
    ::kill(static_cast<pid_t>(id), signalNumber);  // in case it died before it had its own group
}

void WorkerProcess::breakOff(const std::string& why) {
    if (m_brokenOff.isEmpty()) m_brokenOff = QString::fromStdString(why);
    if (!isRunning()) return;
    // Not kill(): this end was not asked for, and counts as a crash.
    m_ready = false;
    m_ladderStep = 1;
    signalGroup(SIGKILL);
    m_ladder.start(m_times.terminateMs);
}

void WorkerProcess::readFrames() {
    const QByteArray data = m_process.readAllStandardOutput();
    if (!m_brokenOff.isEmpty()) return;
    m_reader.feed(core::asBytes(std::string_view(data.constData(), static_cast<std::size_t>(data.size()))));
    while (m_brokenOff.isEmpty()) {
        auto frame = m_reader.next();
        if (!frame) {
            breakOff("the worker broke the frame protocol: " + frame.error().text());
            return;
        }
        if (!*frame) return;
        handle(**frame);
    }
}

void WorkerProcess::handle(const core::Frame& frame) {
    const auto bad = [this](const Error& error) { breakOff("the worker sent a malformed message: " + error.text()); };
    switch (static_cast<WorkerMessage>(frame.type)) {
    case WorkerMessage::HelloReply: {
        auto hello = core::parseHelloReply(frame);
        if (!hello) return bad(hello.error());
        if (hello->version != core::kWorkerProtocolVersion) {
            return breakOff("the worker speaks protocol version " + std::to_string(hello->version) + ", this program " + std::to_string(core::kWorkerProtocolVersion) + "; install both from one package");
        }
        if (!m_ending) m_ladder.stop();
        m_ready = true;
        Q_EMIT ready(*hello);
        return;
    }
    case WorkerMessage::Progress: {
        auto message = core::parseProgress(frame);
        if (!message) return bad(message.error());
        Q_EMIT progress(*message);
        return;
    }
    case WorkerMessage::Stopped: {
        auto message = core::parseStop(frame);
        if (!message) return bad(message.error());
        Q_EMIT stopped(message->level);
        return;
    }
    case WorkerMessage::Finished: {
        auto message = core::parseFinished(frame);
        if (!message) return bad(message.error());
        Q_EMIT finished(*message);
        return;
    }
    case WorkerMessage::Failed: {
        auto message = core::parseFailed(frame);
        if (!message) return bad(message.error());
        Q_EMIT failed(*message);
        return;
    }
    case WorkerMessage::Hello:
    case WorkerMessage::Start:
    case WorkerMessage::Stop:
    case WorkerMessage::Resume:
    case WorkerMessage::Throttle: break;
    }
    breakOff("the worker sent a message of unknown type " + std::to_string(frame.type));
}

void WorkerProcess::readLog() {
    m_logRest += m_process.readAllStandardError();
    constexpr qsizetype kLongestLine = 4'000;
    while (true) {
        qsizetype end = m_logRest.indexOf('\n');
        if (end < 0 && m_logRest.size() > kLongestLine) end = kLongestLine;
        if (end < 0) return;
        const QString line = QString::fromUtf8(m_logRest.left(end)).trimmed();
        m_logRest.remove(0, std::min(end + 1, m_logRest.size()));
        if (!line.isEmpty()) Q_EMIT logLine(m_label % u": " % line);
    }
}

void WorkerProcess::onFinished(int exitCode, QProcess::ExitStatus status) {
    m_ladder.stop();
    readFrames();
    readLog();
    const bool spoke = std::exchange(m_ready, false);
    bool normal = status == QProcess::NormalExit;
    QString why = m_brokenOff;
    if (normal && exitCode == 0 && !spoke && !m_ending) {
        // Whatever this program is, it is no worker; its "all is well" must not start it again at once.
        normal = false;
        if (why.isEmpty()) why = QStringLiteral("the worker ended before it said hello");
    }
    if (why.isEmpty()) {
        why = normal ? QStringLiteral("the worker ended with code %1").arg(exitCode) : QStringLiteral("the worker was ended by signal %1").arg(exitCode);
    }
    Q_EMIT ended(normal ? std::optional<int>(exitCode) : std::nullopt, why);
}

}  // namespace sunloco::agent
