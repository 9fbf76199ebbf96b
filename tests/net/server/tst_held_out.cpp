// SPDX-License-Identifier: Apache-2.0
// The held-out loss by a worker process: the real one where it is built, and programs that are no worker.
#include "net/server/worker_client.h"
#include "server_fixture.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QTest>

#include <cmath>

using namespace sunloco;
using test::ServedProject;

namespace {

/// A program that takes the worker's place.
std::filesystem::path makeScript(const std::filesystem::path& path, const std::string& commands) {
    test::writeFile(path, "#!/bin/sh\n" + commands + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

}  // namespace

class TestHeldOut : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void realWorker();
    void failingWorkersDoNotHoldUpARound_data();
    void failingWorkersDoNotHoldUpARound();
    void callErrors();
};

void TestHeldOut::realWorker() {
    const QString worker = QStringLiteral(SUNLOCO_BINARY_DIR "/sunloco-worker");
    if (!QFileInfo::exists(worker)) { QSKIP("sunloco-worker was not built (no LibTorch)"); }
    ServedProject project;
    QCOMPARE(project.make({"quorum=1"}), std::string());
    test::writeFile(project.folder() / "server.toml", "worker = \"" + worker.toStdString() + "\"\n");
    QCOMPARE(project.start(), std::string());
    QTRY_VERIFY_WITH_TIMEOUT(project.status().initialHeldOutLoss.has_value(), 120'000);
    // Fresh weights know nothing: the loss is that of a guess among 400 pieces.
    const double initial = *project.status().initialHeldOutLoss;
    QVERIFY2(std::fabs(initial - std::log(400.0)) < 0.1, qPrintable(QString::number(initial)));
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QVERIFY(project.waitForRounds(1));
    QTRY_VERIFY_WITH_TIMEOUT(project.status().history[0].heldOutLoss.has_value(), 120'000);
    QVERIFY(std::fabs(*project.status().history[0].heldOutLoss - initial) < 0.1);
    QVERIFY(*project.status().history[0].heldOutLoss != initial);
}

void TestHeldOut::failingWorkersDoNotHoldUpARound_data() {
    QTest::addColumn<QString>("script");
    QTest::newRow("missing") << QString();
    QTest::newRow("ends at once") << "exit 3";
    QTest::newRow("echoes") << "exec cat";
    QTest::newRow("prints text") << "echo this is no frame at all";
    QTest::newRow("says nothing") << "exec sleep 1000";
}

void TestHeldOut::failingWorkersDoNotHoldUpARound() {
    QFETCH(QString, script);
    ServedProject project;
    QCOMPARE(project.make({"quorum=1"}), std::string());
    const auto worker = script.isEmpty() ? std::filesystem::path("/nonexistent/worker") : makeScript(project.folder() / "worker.sh", script.toStdString());
    test::writeFile(project.folder() / "server.toml", "worker = \"" + worker.string() + "\"\n");
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    for (unsigned round = 1; round <= 2; ++round) {
        QVERIFY(ada->doOneRound(project.elements(), round));
        QVERIFY(project.waitForRounds(round));
    }
    QVERIFY(!project.status().history[0].heldOutLoss.has_value());
    QVERIFY(!project.status().initialHeldOutLoss.has_value());
    QElapsedTimer timer;
    timer.start();
    project.stop();
    QVERIFY(timer.elapsed() < 20'000);   // far below the worker's own time limits
    std::error_code ec;
    QVERIFY(!std::filesystem::exists(project.folder() / "run" / "held-out", ec));
}

void TestHeldOut::callErrors() {
    const QTemporaryDir folder;
    server::WorkerCall call;
    call.folder = folder.path().toStdString();
    std::atomic<bool> cancel{false};
    call.program = "/nonexistent/worker";
    QVERIFY(!server::runWorkerJob(call, cancel));
    call.program = makeScript(call.folder / "ends.sh", "exit 3");
    const auto ended = server::runWorkerJob(call, cancel);
    QVERIFY(!ended);
    QCOMPARE(ended.error().code, core::ErrorCode::Crash);
    QVERIFY2(ended.error().message.find("exit code 3") != std::string::npos, ended.error().message.c_str());
    call.program = makeScript(call.folder / "noise.sh", "head -c 100000 /dev/zero | tr '\\0' 'x'; exec sleep 1000");
    QCOMPARE(server::runWorkerJob(call, cancel).error().code, core::ErrorCode::LimitExceeded);   // a frame of 2 GB is announced
    call.program = makeScript(call.folder / "silent.sh", "exec sleep 1000");
    call.helloSeconds = 1;
    QCOMPARE(server::runWorkerJob(call, cancel).error().code, core::ErrorCode::Timeout);
    call.helloSeconds = 60;
    cancel.store(true);
    QCOMPARE(server::runWorkerJob(call, cancel).error().code, core::ErrorCode::Cancelled);
}

QTEST_GUILESS_MAIN(TestHeldOut)
#include "tst_held_out.moc"
