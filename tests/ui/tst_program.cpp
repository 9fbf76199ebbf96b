// SPDX-License-Identifier: Apache-2.0
// The real program on a real X server: one window per data folder, the second start raises it, SIGTERM saves and ends.
#include "tests/support/display.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace sunloco;

namespace {
constexpr int kLimitMs = 30'000;
}

class TestProgram : public QObject {
    Q_OBJECT

public:
    explicit TestProgram(const testing::Display& display) : m_display(display) {}

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
    }

    void helpAndWrongArguments()
    {
        QProcess program;
        start(program, {QStringLiteral("--help")});
        QVERIFY(program.waitForFinished(kLimitMs));
        QCOMPARE(program.exitCode(), 0);
        QVERIFY(program.readAllStandardOutput().contains("--minimized"));
        start(program, {QStringLiteral("--sideways")});
        QVERIFY(program.waitForFinished(kLimitMs));
        QCOMPARE(program.exitCode(), 2);
    }

    void secondStartRaisesTheFirst()
    {
        QProcess first;
        start(first, folders() << QStringLiteral("--minimized"));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder->filePath(QStringLiteral("data/agent.sock.window"))) || first.state() == QProcess::NotRunning, kLimitMs);
        QVERIFY2(first.state() == QProcess::Running, first.readAllStandardError().constData());
        QProcess second;
        start(second, folders());
        QVERIFY(second.waitForFinished(kLimitMs));
        QCOMPARE(second.exitCode(), 0);
        QCOMPARE(first.state(), QProcess::Running);
        // The window is there: the first run has no project, its window can be seen on the display.
        if (m_display.isReal() && !QStandardPaths::findExecutable(QStringLiteral("xwininfo")).isEmpty())
            QTRY_VERIFY_WITH_TIMEOUT(windowIsMapped(), kLimitMs);
        first.terminate();
        QVERIFY(first.waitForFinished(kLimitMs));
        QCOMPARE(first.exitStatus(), QProcess::NormalExit);
        QCOMPARE(first.exitCode(), 0);
    }

    void anotherFolderIsAnotherInstance()
    {
        QProcess one;
        start(one, folders() << QStringLiteral("--minimized"));
        QTemporaryDir other;
        QProcess two;
        start(two, {QStringLiteral("--data-dir"), other.filePath(QStringLiteral("data")), QStringLiteral("--config-dir"), other.filePath(QStringLiteral("config")),
                    QStringLiteral("--minimized")});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(other.filePath(QStringLiteral("data/agent.sock.window"))), kLimitMs);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_folder->filePath(QStringLiteral("data/agent.sock.window"))), kLimitMs);
        QCOMPARE(one.state(), QProcess::Running);
        QCOMPARE(two.state(), QProcess::Running);
        for (QProcess* each : {&one, &two}) {
            each->terminate();
            QVERIFY(each->waitForFinished(kLimitMs));
            QCOMPARE(each->exitCode(), 0);
        }
    }

private:
    QStringList folders() const
    {
        return {QStringLiteral("--data-dir"), m_folder->filePath(QStringLiteral("data")), QStringLiteral("--config-dir"), m_folder->filePath(QStringLiteral("config"))};
    }

    static void start(QProcess& program, const QStringList& arguments)
    {
        program.start(QStringLiteral(SUNLOCO_BINARY_DIR "/sunloco"), arguments);
        QVERIFY(program.waitForStarted(kLimitMs));
    }

    static bool windowIsMapped()
    {
        QProcess info;
        info.start(QStringLiteral("xwininfo"), {QStringLiteral("-root"), QStringLiteral("-tree")});
        return info.waitForFinished(kLimitMs) && info.readAllStandardOutput().contains("\"SunLoCo\"");
    }

    const testing::Display& m_display;
    std::unique_ptr<QTemporaryDir> m_folder;
};

int main(int argc, char** argv)
{
    const testing::Display display;
    QCoreApplication app(argc, argv);
    TestProgram test(display);
    return QTest::qExec(&test, argc, argv);
}
#include "tst_program.moc"
