// SPDX-License-Identifier: Apache-2.0
#include "net/server/worker_client.h"

#include "engine/core/worker_messages.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <utility>
#include <thread>

extern char** environ;

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;
using core::WorkerMessage;

namespace {

using Steady = std::chrono::steady_clock;
constexpr int kPollMs = 250;
constexpr int kEndMs = 2'000;         ///< to end by itself, and then again after SIGTERM
constexpr int kLowPriority = 10;

Error systemError(const char* what, int number, const std::filesystem::path& where) {
    return {ErrorCode::Io, std::string(what) + ": " + std::strerror(number), where.string()};
}

ErrorCode codeNamed(std::string_view name) {
    for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code) {
        if (core::errorName(static_cast<ErrorCode>(code)) == name) { return static_cast<ErrorCode>(code); }
    }
    return ErrorCode::Crash;
}

/// A worker process and its two channels. Its input is a socket, so that writing to a dead worker is an error and not a signal.
class WorkerChild {
public:
    ~WorkerChild() { end(); }
    WorkerChild() = default;
    WorkerChild(const WorkerChild&) = delete;
    WorkerChild& operator=(const WorkerChild&) = delete;

    Result<void> start(const std::filesystem::path& program) {
        std::array<int, 2> in{};
        std::array<int, 2> out{};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in.data()) != 0) { return systemError("no socket for the worker", errno, program); }
        if (::pipe2(out.data(), O_CLOEXEC) != 0) {
            const int number = errno;
            ::close(in[0]);
            ::close(in[1]);
            return systemError("no pipe for the worker", number, program);
        }
        m_in = in[0];
        m_out = out[0];
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        // Nothing else of the server's may live on in the worker: no listening socket, no connection, no database.
        posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
        posix_spawnattr_t attributes;
        posix_spawnattr_init(&attributes);
        // Its own session and group: Ctrl+C at the server's terminal reaches only the server, and the worker can make its session nice. The usual signals
        // again, which the server blocks.
        posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        sigset_t usual;
        sigemptyset(&usual);
        for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) { sigaddset(&usual, number); }
        posix_spawnattr_setsigdefault(&attributes, &usual);
        std::string name = program.string();
        std::string command = "serve";
        std::array<char*, 3> arguments = {name.data(), command.data(), nullptr};
        const int failed = ::posix_spawn(&m_pid, program.c_str(), &actions, &attributes, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
        ::close(in[1]);
        ::close(out[1]);
        if (failed != 0) {
            m_pid = -1;
            return systemError("the worker could not be started", failed, program);
        }
        ::setpriority(PRIO_PROCESS, static_cast<id_t>(m_pid), kLowPriority);
        return {};
    }

    Result<void> send(const core::Frame& frame) {
        const auto bytes = core::encodeFrame(frame);
        if (!bytes) { return bytes.error(); }
        std::size_t sent = 0;
        while (sent < bytes->size()) {
            const auto n = ::send(m_in, bytes->data() + sent, bytes->size() - sent, MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) { continue; }
            if (n < 0) { return Error{ErrorCode::Crash, "the worker no longer takes orders", {}}; }
            sent += static_cast<std::size_t>(n);
        }
        return {};
    }

    enum class Got { Bytes, Nothing, End };
    Got receive(core::FrameReader& reader) {
        pollfd wait{m_out, POLLIN, 0};
        const int ready = ::poll(&wait, 1, kPollMs);
        if (ready <= 0) { return Got::Nothing; }
        std::array<std::uint8_t, 16'384> buffer{};
        const auto n = ::read(m_out, buffer.data(), buffer.size());
        if (n < 0) { return errno == EINTR || errno == EAGAIN ? Got::Nothing : Got::End; }
        if (n == 0) { return Got::End; }
        reader.feed(core::ByteView(buffer.data(), static_cast<std::size_t>(n)));
        return Got::Bytes;
    }

    /// Ends the process: end of its input, then the hard way. Returns how it ended.
    std::string end() {
        if (m_in >= 0) { ::close(std::exchange(m_in, -1)); }
        std::string how;
        if (m_pid > 0) {
            int status = 0;
            bool ended = false;
            for (const int signal : {0, SIGTERM, SIGKILL}) {
                if (signal != 0) { ::kill(-m_pid, signal); }   // with what it started itself
                const auto until = Steady::now() + std::chrono::milliseconds(kEndMs);
                while (!ended && (signal == SIGKILL || Steady::now() < until)) {
                    const pid_t done = ::waitpid(m_pid, &status, WNOHANG);
                    ended = done == m_pid || (done < 0 && errno != EINTR);
                    if (!ended) { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }
                }
                if (ended) { break; }
            }
            m_pid = -1;
            how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit code " + std::to_string(WEXITSTATUS(status));
        }
        if (m_out >= 0) { ::close(std::exchange(m_out, -1)); }
        return how;
    }

private:
    pid_t m_pid = -1;
    int m_in = -1;
    int m_out = -1;
};

}  // namespace

Result<core::JobResult> runWorkerJob(const WorkerCall& call, const std::atomic<bool>& cancel) {
    WorkerChild worker;
    if (const auto started = worker.start(call.program); !started) { return started.error(); }
    // Seen at its end of either pipe, whichever is looked at first.
    const auto endedEarly = [&] { return Error{ErrorCode::Crash, "the worker ended early (" + worker.end() + ")", call.folder.string()}; };
    if (const auto sent = worker.send(core::toFrame(WorkerMessage::Hello, core::HelloMessage{})); !sent) { return sent.error().code == ErrorCode::Crash ? endedEarly() : sent.error(); }
    core::FrameReader reader;
    const auto start = Steady::now();
    auto heard = start;
    bool greeted = false;
    for (;;) {
        if (cancel.load()) { return Error{ErrorCode::Cancelled, "the measurement was stopped", {}}; }
        const auto now = Steady::now();
        if (now - heard > std::chrono::seconds(greeted ? call.silenceSeconds : call.helloSeconds) || now - start > std::chrono::seconds(call.totalSeconds)) {
            return Error{ErrorCode::Timeout, "the worker did not answer in time", call.folder.string()};
        }
        const auto got = worker.receive(reader);
        if (got == WorkerChild::Got::End) { return endedEarly(); }
        if (got == WorkerChild::Got::Nothing) { continue; }
        heard = now;
        for (;;) {
            const auto next = reader.next();
            if (!next) { return next.error(); }
            if (!*next) { break; }
            const core::Frame& frame = **next;
            switch (static_cast<WorkerMessage>(frame.type)) {
            case WorkerMessage::HelloReply: {
                const auto hello = core::parseHelloReply(frame);
                if (!hello) { return hello.error(); }
                if (hello->version != core::kWorkerProtocolVersion) {
                    return Error{ErrorCode::Unsupported, "the worker speaks version " + std::to_string(hello->version) + " of the worker protocol; install both programs from one package",
                                 call.program.string()};
                }
                greeted = true;
                core::StartMessage job;
                job.folder = call.folder.string();
                job.device = call.device;
                job.threads = call.threads;
                if (const auto sent = worker.send(core::toFrame(job)); !sent) { return sent.error().code == ErrorCode::Crash ? endedEarly() : sent.error(); }
                break;
            }
            case WorkerMessage::Finished: {
                const auto finished = core::parseFinished(frame);
                if (!finished) { return finished.error(); }
                return core::parseJobResult(finished->result);
            }
            case WorkerMessage::Failed: {
                const auto failed = core::parseFailed(frame);
                if (!failed) { return failed.error(); }
                return Error{codeNamed(failed->code), failed->message, call.folder.string()};
            }
            default: break;   // progress
            }
        }
    }
}

}  // namespace sunloco::server
