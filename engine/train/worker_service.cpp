// SPDX-License-Identifier: Apache-2.0
#include "engine/train/worker_service.h"

#include "engine/core/worker_messages.h"
#include "engine/model/parallel.h"
#include "engine/train/folder_claim.h"

#include <malloc.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>

namespace sunloco::train {

using core::ErrorCode;
using core::ExitCode;
using core::StopLevel;
using core::WorkerMessage;

namespace {

constexpr int kClaimWaitMs = 20'000;  ///< for the worker of an agent that was killed, which may still be saving
constexpr int kTickMs = 1000;  ///< progress goes out at least this often; the protocol asks for 2 s

void logLine(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

/// What the worker ends with after a job failed; the agent decides from it what becomes of the lease.
ExitCode exitForFailure(ErrorCode code) {
    switch (code) {
    case ErrorCode::OutOfMemory: return ExitCode::OutOfMemory;
    case ErrorCode::DeviceLost: return ExitCode::DeviceLost;
    case ErrorCode::Numeric: return ExitCode::NumericFailure;
    case ErrorCode::DiskFull: return ExitCode::DiskFull;
    case ErrorCode::InvalidArgument:
    case ErrorCode::InvalidData:
    case ErrorCode::LimitExceeded:
    case ErrorCode::NotFound:
    case ErrorCode::PermissionDenied:
    case ErrorCode::Unsupported:
    case ErrorCode::VersionTooNew:
    case ErrorCode::HashMismatch: return ExitCode::JobInvalid;
    default: return ExitCode::Failed;
    }
}

}  // namespace

/// A job and the thread that works on it.
struct WorkerService::Running {
    explicit Running(std::function<void()> poke)
        : gate([this, poke] {
              quietReached = true;
              poke();
          }) {}
    JobGate gate;
    ProgressBoard board;
    std::atomic<bool> quietReached{false};
    std::atomic<bool> done{false};
    JobOutcome outcome;                    // valid once `done`
    std::optional<core::JobResult> result; // valid once `done` and finished
    std::chrono::steady_clock::time_point lastProgress;
    std::thread thread;
};

WorkerService::WorkerService(FrameChannel channel, ServiceOptions options) : m_channel(std::move(channel)), m_options(options) {
    m_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);  // before any other thread exists, so that all inherit it
    m_signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

WorkerService::~WorkerService() {
    drainJob(StopLevel::Exit);
    close(m_wake);
    close(m_signals);
}

void WorkerService::poke() {
    const std::uint64_t one = 1;
    // A full counter means that a wake-up is pending already.
    [[maybe_unused]] const ssize_t ignored = write(m_wake, &one, sizeof one);
}

void WorkerService::send(const core::Frame& frame) {
    if (m_parentGone) return;
    if (auto sent = m_channel.send(frame); !sent) {
        logLine("the parent does not read any more: " + sent.error().text());
        m_parentGone = true;
    }
}

ExitCode WorkerService::run() {
    Flow flow = Flow::Go;
    while (flow == Flow::Go && !m_parentGone) {
        pollfd watched[] = {{m_channel.input(), POLLIN, 0}, {m_wake, POLLIN, 0}, {m_signals, POLLIN, 0}};
        if (poll(watched, std::size(watched), untilProgress()) < 0 && errno != EINTR) return ExitCode::Failed;
        if (watched[1].revents != 0) {
            std::uint64_t count = 0;
            [[maybe_unused]] const ssize_t ignored = read(m_wake, &count, sizeof count);
        }
        flow = workEvents();
        if (flow == Flow::Go && watched[2].revents != 0) flow = stop(StopLevel::Exit);
        if (flow == Flow::Go && watched[0].revents != 0) {
            auto got = m_channel.receive();
            const bool ended = !got || *got == FrameChannel::Read::End;
            while (flow == Flow::Go) {
                auto frame = m_channel.next();
                if (!frame) {
                    flow = protocolError(frame.error());
                } else if (*frame) {
                    flow = handle(**frame);
                } else {
                    break;
                }
            }
            if (ended && flow == Flow::Go) {
                if (m_channel.cut()) flow = protocolError({ErrorCode::InvalidData, "the input ended within a frame", {}});
                else m_parentGone = true;
            }
        }
    }
    if (m_parentGone && m_running) {
        drainJob(StopLevel::Exit);
        m_exit = ExitCode::Cancelled;
    }
    return m_exit;
}

WorkerService::Flow WorkerService::protocolError(const core::Error& error) {
    logLine("protocol error: " + error.text());
    drainJob(StopLevel::Exit);
    m_exit = ExitCode::ProtocolError;
    return Flow::End;
}

WorkerService::Flow WorkerService::handle(const core::Frame& frame) {
    const auto type = static_cast<WorkerMessage>(frame.type);
    if (!m_greeted && type != WorkerMessage::Hello) return protocolError({ErrorCode::InvalidData, "the first frame must be a hello", {}});
    switch (type) {
    case WorkerMessage::Hello: {
        auto hello = core::parseHello(frame);
        if (!hello) return protocolError(hello.error());
        core::HelloReplyMessage reply;
        reply.build = buildText();
        reply.devices = listDevices();
        send(core::toFrame(reply));
        if (hello->version != core::kWorkerProtocolVersion) {
            logLine("the parent speaks version " + std::to_string(hello->version) + " of the worker protocol, this worker " +
                    std::to_string(core::kWorkerProtocolVersion) + "; install both from one package");
            m_exit = ExitCode::ProtocolError;
            return Flow::End;
        }
        m_greeted = true;
        return Flow::Go;
    }
    case WorkerMessage::Start: {
        auto message = core::parseStart(frame);
        return message ? start(*message) : protocolError(message.error());
    }
    case WorkerMessage::Stop: {
        auto message = core::parseStop(frame);
        return message ? stop(message->level) : protocolError(message.error());
    }
    case WorkerMessage::Resume:
        if (m_running) {
            m_stopAsked.reset();
            m_running->gate.resume();
        }
        return Flow::Go;
    case WorkerMessage::Throttle: {
        auto message = core::parseThrottle(frame);
        if (!message) return protocolError(message.error());
        if (m_running) m_running->gate.setDutyPercent(message->percent);
        return Flow::Go;
    }
    default: return protocolError({ErrorCode::InvalidData, "unknown frame type " + std::to_string(frame.type), {}});
    }
}

WorkerService::Flow WorkerService::start(const core::StartMessage& message) {
    if (m_running) return protocolError({ErrorCode::Conflict, "a start came while a job runs", {}});
    m_stopAsked.reset();
    m_running = std::make_unique<Running>([this] { poke(); });
    Running& running = *m_running;
    running.gate.setDutyPercent(message.throttlePercent);
    running.lastProgress = std::chrono::steady_clock::now();
    running.thread = std::thread([this, &running, message] {
        running.outcome = [&]() -> JobOutcome {
            if (auto usable = checkDevice(message.device); !usable) return {std::nullopt, {usable.error(), -1}};
            const std::filesystem::path folder = message.folder;
            const auto claim = FolderClaim::take(folder, kClaimWaitMs, [&running] { return running.gate.stopLevel().value_or(StopLevel::Quiet) == StopLevel::Quiet; });
            if (!claim) return {std::nullopt, {claim.error(), -1}};
            auto job = readJob(folder);
            if (!job) return {std::nullopt, {job.error(), -1}};
            running.board.begin(0, job->first.steps, 0, 0);
            // This thread and those it starts see only what this job needs; the next job gets a new thread.
            if (m_options.confinement == Confinement::On)
                for (const std::string& line : confineThread(filesOf(folder, job->first))) logLine(line);
            model::setThreadCount(std::max(1, message.threads));
            running.result = finishedResult(folder, job->second);
            if (running.result) return {JobEnd::Finished, {}};
            JobContext context{folder, job->first, job->second, running.gate, running.board, model::bestKernels(), m_options.checkpointSeconds, nullptr};
            JobOutcome outcome = runJob(context);
            if (outcome.end == JobEnd::Finished) running.result = finishedResult(folder, job->second);
            return outcome;
        }();
        running.done = true;
        poke();
    });
    sendProgress();
    return Flow::Go;
}

WorkerService::Flow WorkerService::stop(StopLevel level) {
    if (m_running) {
        m_stopAsked = level;
        m_running->quietReached = false;
        m_running->gate.stop(level);
        // Quiet already: the working thread does not pass its gate again, so the answer comes from here.
        if (level == StopLevel::Quiet && m_running->gate.isQuiet()) m_running->quietReached = true;
        return workEvents();
    }
    send(core::toFrame(WorkerMessage::Stopped, core::StopMessage{level}));
    return level == StopLevel::Exit ? Flow::End : Flow::Go;
}

WorkerService::Flow WorkerService::workEvents() {
    if (!m_running) return Flow::Go;
    if (m_running->done) return finishJob();
    if (m_running->quietReached.exchange(false)) {
        sendProgress();
        send(core::toFrame(WorkerMessage::Stopped, core::StopMessage{StopLevel::Quiet}));
    } else if (std::chrono::steady_clock::now() - m_running->lastProgress >= std::chrono::milliseconds(kTickMs)) {
        sendProgress();
    }
    return Flow::Go;
}

WorkerService::Flow WorkerService::finishJob() {
    m_running->thread.join();
    sendProgress();
    const std::unique_ptr<Running> ended = std::move(m_running);
    malloc_trim(0);
    const auto asked = std::exchange(m_stopAsked, std::nullopt);
    if (!ended->outcome.end || (ended->outcome.end == JobEnd::Finished && !ended->result)) {
        const JobFailure failure = ended->outcome.end ? JobFailure{{ErrorCode::Io, "the result could not be read back", {}}, -1} : ended->outcome.failure;
        logLine("the job failed: " + failure.error.text());
        send(core::toFrame(core::FailedMessage{std::string(core::errorName(failure.error.code)), failure.error.text(), failure.step}));
        m_exit = exitForFailure(failure.error.code);
        return Flow::End;
    }
    if (ended->outcome.end == JobEnd::Finished) {
        send(core::toFrame(core::FinishedMessage{core::toJsonText(*ended->result)}));
        if (!asked || *asked == StopLevel::Quiet) return Flow::Go;
    } else {
        m_exit = ExitCode::Cancelled;
    }
    const StopLevel reached = asked.value_or(StopLevel::Release);
    send(core::toFrame(WorkerMessage::Stopped, core::StopMessage{reached}));
    if (reached == StopLevel::Exit) return Flow::End;
    m_exit = ExitCode::Ok;
    return Flow::Go;
}

int WorkerService::untilProgress() const {
    if (!m_running) return kTickMs;
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - m_running->lastProgress).count();
    return std::clamp<int>(kTickMs - static_cast<int>(std::min<std::int64_t>(since, kTickMs)), 1, kTickMs);
}

void WorkerService::sendProgress() {
    core::ProgressMessage progress = m_running->board.read();
    progress.activeSeconds = std::max(progress.activeSeconds, 0.0);
    progress.quiet = m_running->gate.isQuiet();
    send(core::toFrame(progress));
    m_running->lastProgress = std::chrono::steady_clock::now();
}

void WorkerService::drainJob(StopLevel level) {
    if (!m_running) return;
    m_running->gate.stop(level);
    if (m_running->thread.joinable()) m_running->thread.join();
    if (!m_running->outcome.end) logLine("the job failed: " + m_running->outcome.failure.error.text());
    m_running.reset();
}

}  // namespace sunloco::train
