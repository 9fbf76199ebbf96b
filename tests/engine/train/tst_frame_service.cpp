// SPDX-License-Identifier: Apache-2.0
// The frame service in this process, over pipes: broken streams of every kind, and output of libraries.
#include "engine/core/worker_messages.h"
#include "engine/train/worker_service.h"

#include <QTest>

#include <cstdio>
#include <fcntl.h>
#include <iostream>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

using namespace sunloco;
using core::ExitCode;
using core::WorkerMessage;

namespace {

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        int ends[2] = {-1, -1};
        if (pipe2(ends, O_CLOEXEC) == 0) read = ends[0], write = ends[1];
        fcntl(write, F_SETPIPE_SZ, 1 << 20);  // the streams here fit: nobody has to read while another writes
    }
    ~Pipe() {
        closeRead();
        closeWrite();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void closeRead() {
        if (read >= 0) close(read);
        read = -1;
    }
    void closeWrite() {
        if (write >= 0) close(write);
        write = -1;
    }
};

core::Bytes drain(int file) {
    core::Bytes all;
    std::uint8_t buffer[4096];
    for (ssize_t n = 0; (n = read(file, buffer, sizeof buffer)) > 0;) all.insert(all.end(), buffer, buffer + n);
    return all;
}

void append(core::Bytes& stream, const core::Frame& frame) {
    const core::Bytes bytes = core::encodeFrame(frame).value();
    stream.insert(stream.end(), bytes.begin(), bytes.end());
}

struct Answer {
    ExitCode exit = ExitCode::Ok;
    core::Bytes output;
};

/// A service that gets this stream and then the end of its input.
Answer serve(const core::Bytes& stream) {
    Pipe input, output;
    if (write(input.write, stream.data(), stream.size()) != static_cast<ssize_t>(stream.size())) return {ExitCode::Failed, {}};
    input.closeWrite();
    Answer answer;
    {
        train::WorkerService service(train::FrameChannel(input.read, output.write), {60, train::Confinement::Off});
        answer.exit = service.run();
    }
    output.closeWrite();
    answer.output = drain(output.read);
    return answer;
}

/// What the protocol says about a stream without a Start, by a second, simpler reading of it.
ExitCode wanted(core::ByteView stream) {
    bool greeted = false;
    while (!stream.empty()) {
        if (stream.size() < core::kFrameHeader) return ExitCode::ProtocolError;
        const std::uint32_t length = core::readU32(stream.data());
        if (length > core::kMaxFrameBody || stream.size() < core::kFrameHeader + length) return ExitCode::ProtocolError;
        const core::Frame frame{core::readU16(stream.data() + 4), std::string(stream.begin() + core::kFrameHeader, stream.begin() + core::kFrameHeader + length)};
        stream = stream.subspan(core::kFrameHeader + length);
        if (frame.type == static_cast<std::uint16_t>(WorkerMessage::Hello)) {
            const auto hello = core::parseHello(frame);
            if (!hello || hello->version != core::kWorkerProtocolVersion) return ExitCode::ProtocolError;
            greeted = true;
            continue;
        }
        if (!greeted) return ExitCode::ProtocolError;
        if (frame.type == static_cast<std::uint16_t>(WorkerMessage::Stop)) {
            const auto stop = core::parseStop(frame);
            if (!stop) return ExitCode::ProtocolError;
            if (stop->level == core::StopLevel::Exit) return ExitCode::Ok;
            continue;
        }
        if (frame.type == static_cast<std::uint16_t>(WorkerMessage::Throttle) ? !core::parseThrottle(frame).has_value()
                                                                            : frame.type != static_cast<std::uint16_t>(WorkerMessage::Resume))
            return ExitCode::ProtocolError;
    }
    return ExitCode::Ok;
}

bool holdsStart(const core::Bytes& stream) {
    core::FrameReader reader;
    reader.feed(stream);
    while (true) {
        const auto frame = reader.next();
        if (!frame || !*frame) return false;
        if ((*frame)->type == static_cast<std::uint16_t>(WorkerMessage::Start)) return true;
    }
}

}  // namespace

class TestFrameService : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void helloSaysVersions() {
        core::Bytes stream;
        append(stream, core::toFrame(WorkerMessage::Hello, core::HelloMessage{}));
        const Answer answer = serve(stream);
        QCOMPARE(answer.exit, ExitCode::Ok);
        core::FrameReader reader;
        reader.feed(answer.output);
        const auto frame = reader.next();
        QVERIFY(frame && *frame);
        const auto reply = core::parseHelloReply(**frame);
        QVERIFY(reply);
        QCOMPARE(reply->version, core::kWorkerProtocolVersion);
        QVERIFY2(reply->build.find("LibTorch") != std::string::npos, reply->build.c_str());
        QVERIFY(!reply->devices.empty());
    }

    /// Another version is answered, so that both sides can say what they are, and then it is over.
    void anotherVersion() {
        core::Bytes stream;
        append(stream, core::toFrame(WorkerMessage::Hello, core::HelloMessage{core::kWorkerProtocolVersion + 1}));
        append(stream, core::resumeFrame());
        const Answer answer = serve(stream);
        QCOMPARE(answer.exit, ExitCode::ProtocolError);
        QVERIFY(answer.output.size() > core::kFrameHeader);
    }

    void largestFrame() {
        for (const std::uint32_t length : {core::kMaxFrameBody, core::kMaxFrameBody + 1}) {
            core::Bytes stream;
            append(stream, core::toFrame(WorkerMessage::Hello, core::HelloMessage{}));
            core::Bytes head(core::kFrameHeader);
            core::writeU32(head.data(), length);
            core::writeU16(head.data() + 4, static_cast<std::uint16_t>(WorkerMessage::Throttle));
            stream.insert(stream.end(), head.begin(), head.end());
            // Of an oversized frame the head alone ends the service; the largest one allowed is waited for, and here cut.
            QCOMPARE(serve(stream).exit, ExitCode::ProtocolError);
        }
    }

    /// Streams of valid frames with random damage: the exit code is always the one that the protocol asks for, and what was written are whole frames.
    void damagedStreams() {
        std::mt19937 random(20);
        const auto below = [&random](std::size_t n) { return random() % n; };
        const std::vector<core::Frame> frames = {core::toFrame(WorkerMessage::Hello, core::HelloMessage{}),
                                                 core::toFrame(core::ThrottleMessage{50}),
                                                 core::toFrame(WorkerMessage::Stop, core::StopMessage{core::StopLevel::Quiet}),
                                                 core::toFrame(WorkerMessage::Stop, core::StopMessage{core::StopLevel::Release}),
                                                 core::resumeFrame(),
                                                 core::toFrame(WorkerMessage::Stop, core::StopMessage{core::StopLevel::Exit}),
                                                 core::toFrame(core::ProgressMessage{}),
                                                 {77, "{}"}};
        int ok = 0, refused = 0;
        for (int i = 0; i < 3000; ++i) {
            core::Bytes stream;
            append(stream, frames[0]);
            for (std::size_t n = below(5); n > 0; --n) append(stream, frames[below(i % 2 == 0 ? 5 : frames.size())]);
            switch (i % 6) {
            case 0: break;
            case 1: stream[below(stream.size())] ^= static_cast<std::uint8_t>(1u << below(8)); break;
            case 2: stream.resize(below(stream.size())); break;
            case 3: stream.insert(stream.begin() + static_cast<std::ptrdiff_t>(below(stream.size() + 1)), static_cast<std::uint8_t>(below(256))); break;
            case 4: stream.erase(stream.begin() + static_cast<std::ptrdiff_t>(below(stream.size()))); break;
            default:
                for (std::size_t n = below(200); n > 0; --n) stream.push_back(static_cast<std::uint8_t>(below(256)));
            }
            if (holdsStart(stream)) continue;
            const Answer answer = serve(stream);
            const ExitCode right = wanted(stream);
            QVERIFY2(answer.exit == right, qPrintable(QStringLiteral("%1 instead of %2 for %3").arg(static_cast<int>(answer.exit)).arg(static_cast<int>(right)).arg(
                                               QString::fromLatin1(QByteArray(reinterpret_cast<const char*>(stream.data()), static_cast<qsizetype>(stream.size())).toHex()))));
            ++(right == ExitCode::Ok ? ok : refused);
            core::FrameReader reader;
            reader.feed(answer.output);
            while (true) {
                const auto frame = reader.next();
                QVERIFY(frame);
                if (!*frame) break;
                QVERIFY((*frame)->type > 100);
            }
            QCOMPARE(reader.pending(), std::size_t{0});
        }
        QVERIFY2(ok > 300 && refused > 1000, qPrintable(QStringLiteral("%1 ok, %2 refused").arg(ok).arg(refused)));
    }

    /// Whatever is printed to stdout in the worker's process, by any means, goes to stderr; the pipe holds the frame and nothing else.
    void printingDoesNotReachTheFrames() {
        Pipe output, errors;
        const pid_t child = fork();
        if (child == 0) {
            dup2(output.write, STDOUT_FILENO);
            dup2(errors.write, STDERR_FILENO);
            std::printf("before ");  // in the buffer when the streams are claimed
            auto channel = train::FrameChannel::claimStandardStreams();
            std::printf("by printf ");
            std::fflush(stdout);
            std::cout << "by a stream " << std::flush;
            const bool written = write(STDOUT_FILENO, "by write ", 9) == 9;
            const bool shell = std::system("echo by a child") == 0;
            const bool sent = channel && channel->send(core::resumeFrame());
            _exit(written && shell && sent ? 0 : 1);
        }
        output.closeWrite();
        errors.closeWrite();
        const core::Bytes got = drain(output.read), told = drain(errors.read);
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        core::Bytes expected;
        append(expected, core::resumeFrame());
        QVERIFY2(got == expected, QByteArray(reinterpret_cast<const char*>(got.data()), static_cast<qsizetype>(got.size())).constData());
        const std::string text(told.begin(), told.end());
        for (const char* part : {"before", "by printf", "by a stream", "by write", "by a child"}) QVERIFY2(text.find(part) != std::string::npos, text.c_str());
    }
};

QTEST_GUILESS_MAIN(TestFrameService)
#include "tst_frame_service.moc"
