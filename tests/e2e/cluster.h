// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <functional>
#include <memory>
#include <vector>

/// A real project on loopback: the real server, real agents and real workers, each a process of its own in one temporary folder.
/// Every process dies with the test (PDEATHSIG), and every folder goes with the Cluster.
namespace sunloco::e2e {

/// A program's end: exit code and what it said.
struct Run {
    int exitCode = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
    [[nodiscard]] QByteArray all() const { return out + err; }
};

/// Starts a program of the build and waits for its end.
Run runProgram(const QString& program, const QStringList& arguments, int timeoutMs = 60'000);
/// Path of a program of the build.
QString programPath(const QString& name);

/// Process that dies when the test dies.
std::unique_ptr<QProcess> makeProcess();

struct Volunteer {
    QString name;
    QString configDir;
    QString dataDir;
    std::unique_ptr<QProcess> agent;
    [[nodiscard]] bool running() const { return agent && agent->state() == QProcess::Running; }
};

class Cluster {
public:
    Cluster();
    ~Cluster();

    /// `sunloco-server init` on the licence texts that every Debian and Ubuntu carries (real English, some 200 kB), tiny model.
    Run init(const QStringList& recipeOverrides = {});
    /// Serves on a free loopback port the first time, on the same port afterwards. False when the link did not come.
    bool startServer();
    void stopServer();
    void killServer();
    [[nodiscard]] bool serverRunning() const { return m_server && m_server->state() == QProcess::Running; }

    Volunteer& addVolunteer(const QString& name);
    /// Starts sunlocod and waits until its socket answers.
    bool startAgent(Volunteer& volunteer);
    void stopAgent(Volunteer& volunteer);
    static void killAgent(Volunteer& volunteer);
    /// Mode "always", then join.
    Run join(Volunteer& volunteer);
    Run ctl(const Volunteer& volunteer, QStringList arguments, int timeoutMs = 20'000) const;
    QJsonObject agentStatus(const Volunteer& volunteer) const;

    [[nodiscard]] QJsonObject serverStatus() const;
    [[nodiscard]] qint64 closedRounds() const;
    /// Waits until so many rounds are closed.
    bool waitForRounds(qint64 count, int timeoutMs);
    [[nodiscard]] Run replay() const;

    [[nodiscard]] QString projectDir() const { return m_dir.filePath(QStringLiteral("project")); }
    [[nodiscard]] QString path(const QString& name) const { return m_dir.filePath(name); }
    [[nodiscard]] QString link() const { return m_link; }
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QByteArray serverLog() const;
    [[nodiscard]] QByteArray agentLog(const Volunteer& volunteer) const;
    [[nodiscard]] QProcess* serverProcess() const { return m_server.get(); }
    [[nodiscard]] const std::vector<std::unique_ptr<Volunteer>>& volunteers() const { return m_volunteers; }

    /// Process ids of the workers that a process started.
    static QList<qint64> workersOf(qint64 pid);

private:
    QTemporaryDir m_dir;
    QString m_link;
    int m_port = 0;
    std::unique_ptr<QProcess> m_server;
    std::vector<std::unique_ptr<Volunteer>> m_volunteers;
};

/// Runs the event loop until `condition` holds or the time is over.
bool waitFor(const std::function<bool()>& condition, int timeoutMs, int stepMs = 100);

/// Checks the event log: every lease is merged at most once; returns what is wrong, empty when all is well.
QString doubleMerges(const QString& projectDir);

}  // namespace sunloco::e2e

/// main() of these tests: one function may take long (QtTest ends it after 5 minutes otherwise).
#define SUNLOCO_E2E_MAIN(Test)                                                                        \
    int main(int argc, char** argv) {                                                                 \
        if (!qEnvironmentVariableIsSet("QTEST_FUNCTION_TIMEOUT")) {                                   \
            qputenv("QTEST_FUNCTION_TIMEOUT", "3600000");                                             \
        }                                                                                             \
        QCoreApplication application(argc, argv);                                                     \
        Test test;                                                                                    \
        return QTest::qExec(&test, argc, argv);                                                       \
    }
