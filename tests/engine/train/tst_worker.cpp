// SPDX-License-Identifier: Apache-2.0
// The real program over its frames: jobs, interruptions of every kind, and what it refuses.
#include "engine/core/exit_codes.h"
#include "engine/core/files.h"
#include "engine/model/transformer.h"
#include "engine/train/folder_claim.h"
#include "engine/train/sandbox.h"
#include "tests/engine/train/job_fixture.h"
#include "tests/engine/train/worker_client.h"

#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sunloco;
using core::ExitCode;
using core::StopLevel;
using core::WorkerMessage;
using test::WorkerClient;

namespace {

constexpr std::int64_t kSteps = 400;
constexpr int kSlow = 25;  ///< throttle of the runs that are interrupted: the job must not be over before the interruption comes
constexpr int code(ExitCode exit) { return static_cast<int>(exit); }

void pause(unsigned milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

QString partsOf(const core::JobResult& result) {
    QString text;
    for (const core::PayloadPart& part : result.parts) text += QString::fromStdString(part.sha256.hex()) + QLatin1Char(' ');
    return text;
}


}  // namespace

class TestWorker : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_dir;
    std::unique_ptr<test::JobFixture> m_fixture;
    QString m_wanted;         ///< part hashes of the uninterrupted run
    core::Digest m_moments;   ///< hash of its moments file

    /// Goes on with the job until it is finished; true when every bit is that of the uninterrupted run.
    void finishesEqually(const std::filesystem::path& folder, int threads = 1) {
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder, threads);
        const auto result = worker.waitForResult();
        QVERIFY2(result, qPrintable(worker.lastError + QString::fromUtf8(worker.log)));
        QCOMPARE(partsOf(*result), m_wanted);
        QCOMPARE(result->stepsDone, kSteps);
        QCOMPARE(core::sha256File(folder / "moments.safetensors").value(), m_moments);
    }

private Q_SLOTS:
    void initTestCase() {
        m_fixture = std::make_unique<test::JobFixture>(std::filesystem::path(m_dir.path().toStdString()));
        const auto folder = m_fixture->trainFolder("uninterrupted", kSteps);
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder);
        const auto result = worker.waitForResult();
        QVERIFY2(result, qPrintable(worker.lastError + QString::fromUtf8(worker.log)));
        QCOMPARE(result->stepsDone, kSteps);
        QCOMPARE(result->tokens, kSteps * 8 * 32);
        QVERIFY2(std::abs(result->entryLoss - std::log(97.0)) < 0.1, qPrintable(QString::number(result->entryLoss)));
        QVERIFY2(result->exitLoss < result->entryLoss - 1, qPrintable(QString::number(result->exitLoss)));
        QVERIFY(result->deltaNorm > 0);
        QVERIFY(!result->parts.empty());
        std::int64_t next = 0;
        for (const core::PayloadPart& part : result->parts) {
            QCOMPARE(part.firstElement, next);
            next += part.elements;
            QCOMPARE(core::sha256File(folder / part.file).value(), part.sha256);
            QCOMPARE(std::filesystem::file_size(folder / part.file), part.bytes);
        }
        QCOMPARE(next, static_cast<std::int64_t>(m_fixture->base().size()));
        QVERIFY(!std::filesystem::exists(folder / "checkpoint-a.json"));
        m_wanted = partsOf(*result);
        m_moments = core::sha256File(folder / "moments.safetensors").value();

        // A finished job is answered at once, by a new process as well.
        worker.start(folder);
        QCOMPARE(partsOf(worker.waitForResult().value()), m_wanted);
        worker.closeInput();
        QCOMPARE(worker.exitCode(), code(ExitCode::Ok));
    }

    void killedAtRandomMoments() {
        std::mt19937 generator(7);
        const auto folder = m_fixture->trainFolder("killed", kSteps);
        for (int kill = 0; kill < 4; ++kill) {
            WorkerClient worker({QStringLiteral("--checkpoint-seconds"), QStringLiteral("0")});
            QVERIFY(worker.greet());
            worker.start(folder, 1, kSlow);
            QVERIFY(worker.waitFor(WorkerMessage::Progress));
            pause(generator() % 800);
            worker.kill();
            QVERIFY(!std::filesystem::exists(folder / "result.json"));
        }
        QVERIFY2(std::filesystem::exists(folder / "checkpoint-a.json"), "no kill came after a checkpoint");
        finishesEqually(folder);
    }

    /// After an agent was killed, its worker may still hold the folder when the next one starts.
    void twoWorkersNeverShareAFolder() {
        const auto folder = m_fixture->trainFolder("shared", kSteps);
        {
            const auto first = train::FolderClaim::take(folder, 0, [] { return true; });
            QVERIFY(first.has_value());
            const auto second = train::FolderClaim::take(folder, 0, [] { return true; });
            QVERIFY(!second);
            QCOMPARE(second.error().code, core::ErrorCode::Busy);
        }
        WorkerClient first({QStringLiteral("--checkpoint-seconds"), QStringLiteral("0")});
        QVERIFY(first.greet());
        first.start(folder, 1, kSlow);
        QVERIFY(first.waitFor(WorkerMessage::Progress));
        pause(500);
        WorkerClient second;
        QVERIFY(second.greet());
        second.start(folder);
        pause(500);
        const auto waiting = second.waitFor(WorkerMessage::Progress);
        QVERIFY(waiting);
        QCOMPARE(core::parseProgress(*waiting)->step, 0);
        QVERIFY(!std::filesystem::exists(folder / "result.json"));
        first.kill();
        const auto result = second.waitForResult();
        QVERIFY2(result, qPrintable(second.lastError + QString::fromUtf8(second.log)));
        QCOMPARE(partsOf(*result), m_wanted);
    }

    void releasedAndTakenUpAgain() {
        const auto folder = m_fixture->trainFolder("released", kSteps);
        WorkerClient worker;
        QVERIFY(worker.greet());
        for (int i = 0; i < 3; ++i) {
            worker.start(folder, 1, kSlow);
            QVERIFY(worker.waitFor(WorkerMessage::Progress));
            pause(static_cast<unsigned>(i) * 300);
            worker.stop(StopLevel::Release);
            const auto stopped = worker.waitFor(WorkerMessage::Stopped);
            QVERIFY(stopped);
            QCOMPARE(core::parseStop(*stopped)->level, StopLevel::Release);
        }
        worker.stop(StopLevel::Exit);
        QVERIFY(worker.waitFor(WorkerMessage::Stopped));
        QCOMPARE(worker.exitCode(), code(ExitCode::Ok));
        finishesEqually(folder);
    }

    void quietAndOn() {
        const auto folder = m_fixture->trainFolder("quiet", kSteps);
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder, 1, kSlow);
        QVERIFY(worker.waitFor(WorkerMessage::Progress));
        pause(500);
        worker.stop(StopLevel::Quiet);
        const auto stopped = worker.waitFor(WorkerMessage::Stopped);
        QVERIFY(stopped);
        QCOMPARE(core::parseStop(*stopped)->level, StopLevel::Quiet);
        // Progress goes on coming, but nothing moves.
        const auto first = core::parseProgress(worker.waitFor(WorkerMessage::Progress).value()).value();
        const auto second = core::parseProgress(worker.waitFor(WorkerMessage::Progress).value()).value();
        QVERIFY(first.quiet && second.quiet);
        QCOMPARE(second.step, first.step);
        QCOMPARE(second.tokens, first.tokens);
        worker.stop(StopLevel::Quiet);  // asking twice is answered twice
        QVERIFY(worker.waitFor(WorkerMessage::Stopped));
        worker.send(core::toFrame(core::ThrottleMessage{100}));
        worker.send(core::resumeFrame());
        QCOMPARE(partsOf(worker.waitForResult().value()), m_wanted);
    }

    void exitWhileQuiet() {
        const auto folder = m_fixture->trainFolder("quiet-exit", kSteps);
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder, 1, kSlow);
        QVERIFY(worker.waitFor(WorkerMessage::Progress));
        worker.stop(StopLevel::Quiet);
        QVERIFY(worker.waitFor(WorkerMessage::Stopped));
        worker.stop(StopLevel::Exit);
        const auto stopped = worker.waitFor(WorkerMessage::Stopped);
        QVERIFY(stopped);
        QCOMPARE(core::parseStop(*stopped)->level, StopLevel::Exit);
        QCOMPARE(worker.exitCode(), code(ExitCode::Cancelled));
        finishesEqually(folder);
    }

    void parentGoneSavesTheJob() {
        const auto folder = m_fixture->trainFolder("orphan", kSteps);
        {
            WorkerClient worker;
            QVERIFY(worker.greet());
            worker.start(folder, 1, kSlow);
            QVERIFY(worker.waitFor(WorkerMessage::Progress));
            pause(300);
            worker.closeInput();
            QCOMPARE(worker.exitCode(), code(ExitCode::Cancelled));
            QVERIFY(std::filesystem::exists(folder / "checkpoint-b.json"));
        }
        finishesEqually(folder);
    }

    void evaluate() {
        const auto folder = m_fixture->evaluateFolder("evaluate");
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder);
        const auto result = worker.waitForResult();
        QVERIFY2(result, qPrintable(worker.lastError));
        // By hand: every T + 1 tokens of each shard, T apart.
        auto lm = model::Transformer::create(m_fixture->config()).value();
        model::OpenGate gate;
        model::Compute compute(model::bestKernels(), gate);
        double sum = 0;
        std::int64_t tokens = 0;
        for (const auto& shard : m_fixture->tokens())
            for (std::size_t first = 0; first + 33 <= shard.size(); first += 32) {
                const std::vector<std::int32_t> row(shard.begin() + static_cast<std::ptrdiff_t>(first), shard.begin() + static_cast<std::ptrdiff_t>(first + 33));
                const model::Batch batch{row.data(), 1, 32};
                QVERIFY(lm->prepare(batch, false));
                sum += lm->lossSum(compute, batch, m_fixture->base().data());
                tokens += 32;
            }
        QCOMPARE(result->heldOutTokens, tokens);
        QVERIFY(std::abs(result->heldOutLoss - sum / static_cast<double>(tokens)) < 1e-6);
    }

    void badJobs_data() {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("says");
        QTest::newRow("no job.json") << 0 << QStringLiteral("not-found");
        QTest::newRow("other base") << 1 << QStringLiteral("hash-mismatch");
        QTest::newRow("no shard") << 2 << QStringLiteral("not-found");
        QTest::newRow("changed shard") << 3 << QStringLiteral("hash-mismatch");
        QTest::newRow("too few examples") << 4 << QStringLiteral("invalid-data");
        QTest::newRow("unknown feature") << 5 << QStringLiteral("unsupported");
        QTest::newRow("long sequences") << 6 << QStringLiteral("invalid-data");
    }
    void badJobs() {
        QFETCH(int, which);
        QFETCH(QString, says);
        const auto folder = m_fixture->trainFolder("bad-" + std::to_string(which), 3);
        core::Job job = core::parseJob(core::readTextFile(folder / "job.json", 1 << 20).value()).value();
        if (which == 0) std::filesystem::remove(folder / "job.json");
        if (which == 1) job.baseHash = core::sha256(core::asBytes("other"));
        if (which == 2) job.shards[1].path = (folder / "nothing").string();
        if (which == 3) {
            auto bytes = core::readFile(job.shards[0].path, 1 << 20).value();
            bytes[100] ^= 1;
            QVERIFY(core::writeFileAtomically(folder / "changed", bytes));
            job.shards[0].path = "changed";
        }
        if (which == 4) job.examples.count = 3;
        if (which == 5) job.modelConfigJson.replace(job.modelConfigJson.find("\"silu\""), 6, "\"relu\"");
        if (which == 6) job.recipe.sequenceLength = 65;
        if (which != 0) m_fixture->writeJob(folder, job);
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder);
        QVERIFY(!worker.waitForResult());
        QVERIFY2(worker.lastError.startsWith(QString(says + QLatin1Char(':'))), qPrintable(worker.lastError));
        QCOMPARE(worker.exitCode(), code(ExitCode::JobInvalid));
    }

    void timeBoxEndsEarly() {
        const auto folder = m_fixture->trainFolder("boxed", kSteps);
        core::Job job = core::parseJob(core::readTextFile(folder / "job.json", 1 << 20).value()).value();
        job.timeBoxSeconds = 1;
        job.steps = 20'000;
        job.examples.count = job.steps * job.recipe.batchSequences;
        m_fixture->writeJob(folder, job);
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.start(folder);
        const auto result = worker.waitForResult();
        QVERIFY2(result, qPrintable(worker.lastError));
        QVERIFY(result->stepsDone >= job.recipe.minInnerSteps && result->stepsDone < job.steps);
        QVERIFY(!result->parts.empty());
    }

    void malformedFrames_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto framed = [](int type, const QByteArray& body) -> QByteArray {
            QByteArray bytes;
            for (int i = 0; i < 4; ++i) bytes += static_cast<char>(body.size() >> (8 * i));
            bytes += static_cast<char>(type & 255);
            bytes += static_cast<char>(type >> 8);
            return bytes + body;
        };
        QTest::newRow("garbage") << QByteArray("GET / HTTP/1.1\r\n\r\n and so on, far more than a header");
        QTest::newRow("oversize") << QByteArray("\xff\xff\xff\x7f\x01\x00", 6);
        QTest::newRow("unknown type") << framed(77, "{}");
        QTest::newRow("a message of ours") << framed(102, "{}");
        QTest::newRow("not JSON") << framed(2, "{folder");
        QTest::newRow("missing member") << framed(2, "{}");
        QTest::newRow("stop level") << framed(3, R"({"level":9})");
        QTest::newRow("cut") << framed(2, "{}").chopped(1);
    }
    void malformedFrames() {
        QFETCH(QByteArray, bytes);
        WorkerClient worker;
        QVERIFY(worker.greet());
        worker.sendBytes(bytes);
        worker.closeInput();
        QCOMPARE(worker.exitCode(), code(ExitCode::ProtocolError));
        WorkerClient unasked;  // before the hello
        unasked.sendBytes(bytes);
        unasked.closeInput();
        QCOMPARE(unasked.exitCode(), code(ExitCode::ProtocolError));
    }

    /// A parent that goes mad loses its worker, not its work.
    void malformedFrameWhileAJobRuns() {
        const auto folder = m_fixture->trainFolder("mad-parent", kSteps);
        {
            WorkerClient worker;
            QVERIFY(worker.greet());
            worker.start(folder, 1, kSlow);
            QVERIFY(worker.waitFor(WorkerMessage::Progress));
            worker.sendBytes(QByteArray("\xff\xff\xff\x7f\x01\x00", 6));
            QCOMPARE(worker.exitCode(), code(ExitCode::ProtocolError));
            QVERIFY(std::filesystem::exists(folder / "checkpoint-b.json"));
        }
        finishesEqually(folder);
    }

    void sandboxKeepsFilesAway() {
        if (train::sandboxSupport().landlockVersion == 0) QSKIP("this kernel has no Landlock");
        const auto folder = m_fixture->trainFolder("landlock", 1);
        const auto outside = std::filesystem::path(m_dir.path().toStdString()) / "outside.txt";
        QVERIFY(core::writeFileAtomically(outside, core::asBytes("secret")));
        int readOutside = 0, writeOutside = 0, writeInside = -1;
        std::vector<std::string> missing;
        std::thread confined([&] {
            missing = train::confineThread(train::filesOf(folder, m_fixture->job()));
            const auto error = [](int file) {
                const int result = file < 0 ? errno : 0;
                if (file >= 0) close(file);
                return result;
            };
            readOutside = error(open(outside.c_str(), O_RDONLY));
            writeOutside = error(open((outside.string() + "2").c_str(), O_WRONLY | O_CREAT, 0600));
            writeInside = error(open((folder / "inside").c_str(), O_WRONLY | O_CREAT, 0600));
        });
        confined.join();
        QVERIFY2(missing.empty(), missing.empty() ? "" : missing.front().c_str());
        QCOMPARE(readOutside, EACCES);
        QCOMPARE(writeOutside, EACCES);
        QCOMPARE(writeInside, 0);
        QVERIFY(core::readFile(outside, 100));  // other threads are free
    }

    void sandboxKeepsProgramsAway() {
        if (!train::sandboxSupport().seccomp) QSKIP("built without seccomp, or the kernel lacks it");
        const pid_t child = fork();
        if (child == 0) {
            const bool complete = train::confineProcess().empty();
            char* const arguments[] = {nullptr};
            const bool refused = execv("/bin/true", arguments) < 0 && errno == EPERM;
            _exit(complete && refused ? 0 : 1);
        }
        int status = -1;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
};

QTEST_GUILESS_MAIN(TestWorker)
#include "tst_worker.moc"
