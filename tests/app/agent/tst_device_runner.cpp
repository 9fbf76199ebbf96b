// SPDX-License-Identifier: Apache-2.0
// One device with the real worker program, and with programs that are none.
#include "app/agent/device_runner.h"
#include "app/agent/job_folder.h"
#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "tests/app/platform/test_clock.h"
#include "tests/engine/train/job_fixture.h"

#include <QFile>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

using namespace sunloco;
using namespace sunloco::agent;
namespace fs = std::filesystem;

namespace {

constexpr int kLongMs = 60'000;
const QString kWorker = QStringLiteral(SUNLOCO_BINARY_DIR "/sunloco-worker");

/// A runner and what it told.
struct Watched {
    DeviceRunner runner;
    QList<QPair<QString, core::JobResult>> finished;
    QStringList crashes;     ///< the reasons
    QStringList crashedLeases;
    QList<core::Error> refused;
    QStringList log;
    int idle = 0;
    std::int64_t step = -1;

    Watched(const DeviceRunner::Options& options, const core::Clock& clock) : runner(options, clock, nullptr) {
        QObject::connect(&runner, &DeviceRunner::jobFinished, &runner, [this](const QString& lease, const core::JobResult& result) { finished.append({lease, result}); });
        QObject::connect(&runner, &DeviceRunner::jobCrashed, &runner, [this](const QString& lease, const QString& why) {
            crashes << why;
            crashedLeases << lease;
        });
        QObject::connect(&runner, &DeviceRunner::jobRefused, &runner, [this](const QString&, const core::Error& error) { refused << error; });
        QObject::connect(&runner, &DeviceRunner::logLine, &runner, [this](const QString& line) { log << line; });
        QObject::connect(&runner, &DeviceRunner::idle, &runner, [this] { ++idle; });
        QObject::connect(&runner, &DeviceRunner::progressChanged, &runner, [this] {
            if (runner.progress()) step = runner.progress()->step;
        });
    }
    [[nodiscard]] std::string told() const { return log.join(u'\n').toStdString(); }
};

bool alive(qint64 pid) { return pid > 0 && ::kill(static_cast<pid_t>(pid), 0) == 0; }

}  // namespace

class TestDeviceRunner : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    // the real worker
    void runsToTheEnd();
    void quietAndOn();
    void killedAndResumed();
    void clearedJobEnds();
    void anotherJobTakesOver();
    void shutDownGivesIdle();
    void longQuietGivesMemoryBack();
    void withoutAJobItEnds();
    void brokenJobIsRefused();
    void senselessValuesStopTheDevice();
    // others
    void notAllowedNothingStarts();
    void programThatIsNotThere();
    void startsAreSpaced_data();
    void startsAreSpaced();
    void backOffGrowsToACeiling();
    void silentWorkerIsEnded();
    void ladderEndsTheStubborn();
    void helloTooLate();

private:
    [[nodiscard]] DeviceRunner::Options options(const QString& program) const {
        DeviceRunner::Options o;
        o.program = program.toStdString();
        return o;
    }
    /// A shell script in place of the worker; each start is a line in starts().
    QString script(const QString& body) {
        const QString path = m_dir->filePath(QStringLiteral("worker.sh"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(QStringLiteral("#!/bin/sh\necho $$ >> %1\n%2\n").arg(m_dir->filePath(QStringLiteral("starts")), body).toUtf8());
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    [[nodiscard]] int starts() const {
        QFile file(m_dir->filePath(QStringLiteral("starts")));
        return file.open(QIODevice::ReadOnly) ? static_cast<int>(file.readAll().count('\n')) : 0;
    }
    DeviceRunner::Job job(const std::string& lease, std::int64_t steps) {
        return {lease, m_project->trainFolder(lease, steps).string(), 1};
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<test::JobFixture> m_project;
    core::SystemClock m_clock;
};

#define NEEDS_WORKER() \
    if (!QFile::exists(kWorker)) QSKIP("sunloco-worker was not built (no LibTorch)")

void TestDeviceRunner::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_project = std::make_unique<test::JobFixture>(m_dir->path().toStdString());
}

void TestDeviceRunner::runsToTheEnd() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    const auto first = job("lease-1", 12);
    w.runner.allow(true, 100);
    w.runner.setJob(first);
    QVERIFY(w.runner.hasProcess());
    QTRY_VERIFY2_WITH_TIMEOUT(!w.finished.isEmpty(), w.told().c_str(), kLongMs);
    QCOMPARE(w.finished[0].first, QStringLiteral("lease-1"));
    const core::JobResult& result = w.finished[0].second;
    QCOMPARE(result.stepsDone, std::int64_t{12});
    QCOMPARE(result.tokens, std::int64_t{12 * 8 * 32});
    QVERIFY(result.exitLoss < result.entryLoss);
    QVERIFY(checkParts(first.folder, result).has_value());   // what is sent is what lies on the disk
    QVERIFY(!w.runner.job().has_value());
    QVERIFY(!w.runner.isComputing());
    QVERIFY(w.crashes.isEmpty() && w.refused.isEmpty());
    QVERIFY(w.runner.problem().isEmpty());
    // The next job takes the same process.
    const qint64 pid = w.runner.workerPid();
    w.runner.setJob(job("lease-2", 3));
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 2, kLongMs);
    QCOMPARE(w.finished[1].first, QStringLiteral("lease-2"));
    QCOMPARE(w.runner.workerPid(), pid);
}

void TestDeviceRunner::quietAndOn() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob(job("lease-1", 100'000));
    QTRY_VERIFY2_WITH_TIMEOUT(w.step > 2, w.told().c_str(), kLongMs);
    QVERIFY(w.runner.isComputing());
    const qint64 pid = w.runner.workerPid();
    // It gives way: nice 19 for itself and, where there are such, for its session; first to go when memory runs out.
    QCOMPARE(::getpriority(PRIO_PROCESS, static_cast<id_t>(pid)), 19);
    QCOMPARE(::getsid(static_cast<pid_t>(pid)), static_cast<pid_t>(pid));
    const auto told = [pid](const char* name) {
        QFile file(QStringLiteral("/proc/%1/%2").arg(pid).arg(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed() : QByteArray();
    };
    const QByteArray session = told("autogroup");
    QVERIFY2(session.isEmpty() || session.endsWith("nice 19"), session.constData());
    QVERIFY(told("oom_score_adj").toInt() >= 800);
    w.runner.allow(false, 100);
    QVERIFY(!w.runner.isComputing());
    // Two progress frames in quiet with the same step: it stands still.
    QTRY_VERIFY_WITH_TIMEOUT(w.runner.progress()->quiet, kLongMs);
    const std::int64_t stood = w.step;
    QSignalSpy frames(&w.runner, &DeviceRunner::progressChanged);
    QTRY_VERIFY_WITH_TIMEOUT(frames.size() >= 2, kLongMs);
    QCOMPARE(w.step, stood);
    QVERIFY(w.runner.progress()->quiet);
    QCOMPARE(w.runner.workerPid(), pid);   // its memory stays
    w.runner.allow(true, 100);
    QVERIFY(w.runner.isComputing());
    QTRY_VERIFY_WITH_TIMEOUT(w.step > stood + 2, kLongMs);
    QCOMPARE(w.runner.workerPid(), pid);
    // Fast changes end in the last wish.
    for (int i = 0; i < 20; ++i) w.runner.allow(i % 2 == 0, 50 + i);
    w.runner.allow(true, 50);
    const std::int64_t before = w.step;
    QTRY_VERIFY_WITH_TIMEOUT(w.step > before + 2, kLongMs);
    QVERIFY(w.crashes.isEmpty());
}

void TestDeviceRunner::killedAndResumed() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    w.runner.allow(true, 100);
    const auto work = job("lease-1", 400);
    w.runner.setJob(work);
    QTRY_VERIFY2_WITH_TIMEOUT(w.step > 20, w.told().c_str(), kLongMs);
    const qint64 pid = w.runner.workerPid();
    QVERIFY(::kill(static_cast<pid_t>(pid), SIGKILL) == 0);
    QTRY_COMPARE_WITH_TIMEOUT(w.crashes.size(), 1, kLongMs);
    QCOMPARE(w.crashedLeases[0], QStringLiteral("lease-1"));
    QVERIFY2(w.crashes[0].contains(QStringLiteral("signal 9")), qPrintable(w.crashes[0]));
    QVERIFY(!w.runner.hasProcess());
    QVERIFY(!w.runner.problem().isEmpty());
    QVERIFY(w.runner.nextStart().has_value());
    w.runner.setJob(work);   // what the agent does after a crash
    w.runner.retryNow();     // and a person who does not want to wait
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 1, kLongMs);
    QCOMPARE(w.finished[0].second.stepsDone, std::int64_t{400});
    QVERIFY(checkParts(work.folder, w.finished[0].second).has_value());
    QCOMPARE(w.crashes.size(), 1);
    QVERIFY(w.runner.problem().isEmpty());
}

void TestDeviceRunner::clearedJobEnds() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob(job("lease-1", 100'000));
    QTRY_VERIFY2_WITH_TIMEOUT(w.step > 0, w.told().c_str(), kLongMs);
    const qint64 pid = w.runner.workerPid();
    w.runner.clearJob("another");
    QVERIFY(w.runner.job().has_value());
    w.runner.clearJob("lease-1");
    QVERIFY(!w.runner.job().has_value());
    QVERIFY(!w.runner.isComputing());
    QTRY_VERIFY_WITH_TIMEOUT(!w.runner.hasProcess(), kLongMs);
    QVERIFY(!alive(pid));
    QVERIFY2(w.crashes.isEmpty(), qPrintable(w.crashes.join(u'\n')));   // it was asked to
    QVERIFY(w.finished.isEmpty());
}

void TestDeviceRunner::anotherJobTakesOver() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob(job("lease-1", 100'000));
    QTRY_VERIFY2_WITH_TIMEOUT(w.step > 0, w.told().c_str(), kLongMs);
    w.runner.setJob(job("lease-2", 5));
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 1, kLongMs);
    QCOMPARE(w.finished[0].first, QStringLiteral("lease-2"));
    QCOMPARE(w.finished[0].second.stepsDone, std::int64_t{5});
    QVERIFY(w.crashes.isEmpty());
}

void TestDeviceRunner::shutDownGivesIdle() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    w.runner.allow(true, 100);
    const auto work = job("lease-1", 100'000);
    w.runner.setJob(work);
    QTRY_VERIFY2_WITH_TIMEOUT(w.step > 5, w.told().c_str(), kLongMs);
    const std::int64_t reached = w.step;
    const qint64 pid = w.runner.workerPid();
    w.runner.shutDown();
    QTRY_COMPARE_WITH_TIMEOUT(w.idle, 1, kLongMs);
    QVERIFY(!w.runner.hasProcess());
    QVERIFY(!alive(pid));
    QVERIFY(w.crashes.isEmpty());
    w.runner.allow(false, 100);
    w.runner.allow(true, 100);
    QVERIFY(!w.runner.hasProcess());   // for good
    // Its steps were saved: the next program goes on behind them.
    Watched next(options(kWorker), m_clock);
    next.runner.allow(true, 100);
    next.runner.setJob(work);
    const QRegularExpression goesOn(QStringLiteral("going on from the checkpoint at step (\\d+)"));
    const auto resumedAt = [&] { return goesOn.match(next.log.join(u'\n')).captured(1).toLongLong(); };
    QTRY_VERIFY2_WITH_TIMEOUT(resumedAt() > 0, next.told().c_str(), kLongMs);
    QVERIFY2(resumedAt() >= reached, (std::to_string(resumedAt()) + " after " + std::to_string(reached)).c_str());
}

void TestDeviceRunner::longQuietGivesMemoryBack() {
    NEEDS_WORKER();
    DeviceRunner::Options o = options(kWorker);
    o.quietMs = 100;
    Watched w(o, m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob(job("lease-1", 100'000));
    QTRY_VERIFY2_WITH_TIMEOUT(w.step > 5, w.told().c_str(), kLongMs);
    const std::int64_t reached = w.step;
    w.runner.allow(false, 100);
    QTRY_VERIFY_WITH_TIMEOUT(!w.runner.hasProcess(), kLongMs);
    QVERIFY(w.crashes.isEmpty());
    QVERIFY(w.runner.job().has_value());   // the work is only put aside
    w.step = -1;
    w.runner.allow(true, 100);
    QTRY_VERIFY_WITH_TIMEOUT(w.step >= reached, kLongMs);
    QVERIFY(w.crashes.isEmpty());
}

void TestDeviceRunner::withoutAJobItEnds() {
    NEEDS_WORKER();
    DeviceRunner::Options o = options(kWorker);
    o.idleMs = 100;
    Watched w(o, m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob(job("lease-1", 2));
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 1, kLongMs);
    QTRY_VERIFY_WITH_TIMEOUT(!w.runner.hasProcess(), kLongMs);
    QVERIFY(w.crashes.isEmpty());
    w.runner.setJob(job("lease-2", 2));
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 2, kLongMs);
}

void TestDeviceRunner::brokenJobIsRefused() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    auto work = job("lease-1", 5);
    std::ofstream(fs::path(work.folder) / "job.json") << "{\"kind\":\"train\"}";
    w.runner.allow(true, 100);
    w.runner.setJob(work);
    QTRY_COMPARE_WITH_TIMEOUT(w.refused.size(), 1, kLongMs);
    QVERIFY(w.crashes.isEmpty());   // trying again would not help
    QVERIFY(!w.runner.job().has_value());
    QVERIFY(!w.runner.problem().isEmpty());
    // The device is as good as before for other work.
    w.runner.setJob(job("lease-2", 2));
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 1, kLongMs);
}

void TestDeviceRunner::senselessValuesStopTheDevice() {
    NEEDS_WORKER();
    Watched w(options(kWorker), m_clock);
    auto work = job("lease-1", 50);
    // A base whose first step has no number for a loss.
    core::Job wild = core::parseJob(core::readTextFile(fs::path(work.folder) / "job.json", 1 << 20).value()).value();
    std::vector<float> base = m_project->base();
    for (float& weight : base) weight *= 1e20f;
    wild.basePath = m_dir->filePath(QStringLiteral("wild.safetensors")).toStdString();
    wild.baseHash = core::arenaHash(base);
    QVERIFY(core::saveArena(wild.basePath, base, core::makeLayout(m_project->config())));
    m_project->writeJob(work.folder, wild);
    w.runner.allow(true, 100);
    w.runner.setJob(work);
    QTRY_COMPARE_WITH_TIMEOUT(w.refused.size(), 1, kLongMs);
    QCOMPARE(w.refused[0].code, core::ErrorCode::Numeric);
    QVERIFY2(w.runner.problem().contains(QStringLiteral("3 times")), qPrintable(w.runner.problem()));
    QVERIFY(w.runner.isOutOfService() && w.runner.needsAttention());
    QVERIFY2(w.told().find("1 of 3 times") != std::string::npos && w.told().find("2 of 3 times") != std::string::npos, w.told().c_str());
    // No other work either, until a person says so.
    w.runner.setJob(job("lease-2", 2));
    QTRY_VERIFY_WITH_TIMEOUT(!w.runner.hasProcess(), kLongMs);
    w.runner.allow(true, 90);
    QVERIFY(!w.runner.hasProcess());
    w.runner.retryNow();
    QVERIFY(!w.runner.isOutOfService() && w.runner.problem().isEmpty());
    QTRY_COMPARE_WITH_TIMEOUT(w.finished.size(), 1, kLongMs);
}

void TestDeviceRunner::notAllowedNothingStarts() {
    Watched w(options(script(QStringLiteral("sleep 60"))), m_clock);
    w.runner.setJob({"lease-1", m_dir->path().toStdString(), 1});
    QVERIFY(!w.runner.hasProcess());
    w.runner.allow(false, 50);
    w.runner.retryNow();
    QVERIFY(!w.runner.hasProcess());
    Watched noJob(options(script(QStringLiteral("sleep 60"))), m_clock);
    noJob.runner.allow(true, 100);
    QVERIFY(!noJob.runner.hasProcess());
    noJob.runner.shutDown();
    QTRY_COMPARE(noJob.idle, 1);   // there was nothing to end
    QCOMPARE(starts(), 0);
}

void TestDeviceRunner::programThatIsNotThere() {
    TestClock clock;
    Watched w(options(m_dir->filePath(QStringLiteral("no-such-worker"))), clock);
    w.runner.allow(true, 100);
    w.runner.setJob({"lease-1", m_dir->path().toStdString(), 1});
    QTRY_COMPARE(w.crashes.size(), 1);
    QVERIFY2(w.crashes[0].contains(QStringLiteral("could not be started")), qPrintable(w.crashes[0]));
    QVERIFY(w.runner.needsAttention() || w.runner.nextStart().has_value());
    QTest::qWait(100);
    QCOMPARE(w.crashes.size(), 1);   // time stands still, so nothing is tried
    w.runner.retryNow();
    QTRY_COMPARE(w.crashes.size(), 2);
}

/// Programs that end or are ended before they took the job; none of them may be started in a tight loop.
void TestDeviceRunner::startsAreSpaced_data() {
    QTest::addColumn<QString>("body");
    QTest::newRow("fails at once") << QStringLiteral("exit 1");
    QTest::newRow("ends well at once") << QStringLiteral("exit 0");
    QTest::newRow("says nothing and stops") << QStringLiteral("exit 16");
    QTest::newRow("says that the job is wrong before it had one") << QStringLiteral("exit 11");
    QTest::newRow("dies") << QStringLiteral("kill -9 $$");
    QTest::newRow("writes text") << QStringLiteral("while :; do echo 'this is not a frame, it never was and never will be'; done");
    QTest::newRow("writes noise") << QStringLiteral("head -c 100000 /dev/urandom; sleep 60");
    QTest::newRow("writes zeros") << QStringLiteral("head -c 100000 /dev/zero; sleep 60");
    QTest::newRow("repeats what it reads") << QStringLiteral("exec cat");
    QTest::newRow("asks for 4 GB") << QStringLiteral("printf '\\377\\377\\377\\377\\377\\377\\377\\377'; sleep 60");
    QTest::newRow("complains without end") << QStringLiteral("head -c 3000000 /dev/zero | tr '\\0' x >&2; exit 1");
}

void TestDeviceRunner::startsAreSpaced() {
    QFETCH(QString, body);
    TestClock clock;
    Watched w(options(script(body)), clock);
    w.runner.allow(true, 100);
    w.runner.setJob({"lease-1", m_dir->path().toStdString(), 1});
    for (int round = 1; round <= 3; ++round) {
        QTRY_VERIFY2_WITH_TIMEOUT(w.crashes.size() == round || starts() > round, w.told().c_str(), 20'000);
        QTest::qWait(150);   // a tight loop would show here
        QCOMPARE(starts(), round);
        QCOMPARE(w.crashes.size(), round);
        QCOMPARE(w.crashedLeases.last(), QStringLiteral("lease-1"));
        QVERIFY(!w.runner.problem().isEmpty());
        QVERIFY(w.runner.job().has_value());
        const auto next = w.runner.nextStart();
        QVERIFY(next.has_value());
        QVERIFY(*next >= clock.utc + 1'000);
        clock.advance(*next - clock.utc - 1);
        w.runner.allow(true, 99 - round);   // asks it to look at the clock
        QVERIFY(!w.runner.hasProcess());
        clock.advance(1);
        w.runner.allow(true, 50 + round);
        QVERIFY(w.runner.hasProcess());
    }
}

void TestDeviceRunner::backOffGrowsToACeiling() {
    TestClock clock;
    Watched w(options(script(QStringLiteral("exit 1"))), clock);
    w.runner.allow(true, 100);
    w.runner.setJob({"lease-1", m_dir->path().toStdString(), 1});
    std::int64_t ceiling = 2'000;
    for (int round = 1; round <= 11; ++round) {
        QTRY_COMPARE_WITH_TIMEOUT(w.crashes.size(), round, 20'000);
        const std::int64_t wait = *w.runner.nextStart() - clock.utc;
        QVERIFY2(wait >= ceiling / 2 && wait <= ceiling, (std::to_string(wait) + " of " + std::to_string(ceiling)).c_str());
        ceiling = std::min<std::int64_t>(ceiling * 2, 300'000);
        clock.advance(wait);
        w.runner.allow(true, 25 + round);
    }
    QTRY_COMPARE_WITH_TIMEOUT(w.crashes.size(), 12, 20'000);
    QVERIFY(w.runner.needsAttention());
    w.runner.retryNow();   // a person asked: the waits begin anew
    QTRY_COMPARE_WITH_TIMEOUT(w.crashes.size(), 13, 20'000);
    QVERIFY(*w.runner.nextStart() - clock.utc <= 2'000);
}

void TestDeviceRunner::silentWorkerIsEnded() {
    NEEDS_WORKER();
    DeviceRunner::Options o = options(kWorker);
    o.silenceMs = 700;   // progress comes more seldom than that from one that is stopped
    Watched w(o, m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob(job("lease-1", 100'000));
    QTRY_VERIFY2_WITH_TIMEOUT(w.runner.isComputing(), w.told().c_str(), kLongMs);
    const qint64 pid = w.runner.workerPid();
    QVERIFY(::kill(static_cast<pid_t>(pid), SIGSTOP) == 0);   // it hangs
    QTRY_VERIFY2_WITH_TIMEOUT(!w.crashes.isEmpty(), w.told().c_str(), kLongMs);
    QVERIFY(!alive(pid));
    QVERIFY(w.told().find("silent for") != std::string::npos);
    QVERIFY(w.runner.nextStart().has_value());
}

void TestDeviceRunner::ladderEndsTheStubborn() {
    const QString terms = m_dir->filePath(QStringLiteral("terms"));
    DeviceRunner::Options o = options(script(QStringLiteral("trap 'echo term >> %1' TERM\necho ready > %2\nwhile :; do sleep 1; done").arg(terms, m_dir->filePath(QStringLiteral("ready")))));
    o.times.stopGraceMs = 200;
    o.times.terminateMs = 2'000;
    Watched w(o, m_clock);
    w.runner.allow(true, 100);
    w.runner.setJob({"lease-1", m_dir->path().toStdString(), 1});
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_dir->filePath(QStringLiteral("ready"))), 20'000);
    const qint64 pid = w.runner.workerPid();
    QVERIFY(alive(pid));
    w.runner.shutDown();
    QTRY_COMPARE_WITH_TIMEOUT(w.idle, 1, 20'000);
    QVERIFY(!alive(pid));
    QVERIFY(QFile::exists(terms));   // it was asked before it was killed
    QVERIFY(w.crashes.isEmpty());
    // Nobody of its group is left either.
    QTRY_VERIFY_WITH_TIMEOUT(::kill(-static_cast<pid_t>(pid), 0) != 0, 20'000);   // once init has buried them
}

void TestDeviceRunner::helloTooLate() {
    TestClock clock;
    DeviceRunner::Options o = options(script(QStringLiteral("exec sleep 60")));
    o.times.helloMs = 200;
    Watched w(o, clock);
    w.runner.allow(true, 100);
    w.runner.setJob({"lease-1", m_dir->path().toStdString(), 1});
    QTRY_VERIFY_WITH_TIMEOUT(!w.crashes.isEmpty() || starts() > 1, 20'000);
    QCOMPARE(w.crashes.size(), 1);
    QVERIFY2(w.crashes[0].contains(QStringLiteral("hello")), qPrintable(w.crashes[0]));
    QTest::qWait(500);
    QCOMPARE(starts(), 1);
    QVERIFY(!w.runner.hasProcess());
}

QTEST_GUILESS_MAIN(TestDeviceRunner)
#include "tst_device_runner.moc"
