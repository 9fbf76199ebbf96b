// SPDX-License-Identifier: Apache-2.0
// sunloco-ctl with a real agent: every command, its JSON document, its text for people and its exit codes.
#include "engine/core/exit_codes.h"
#include "tests/e2e/cluster.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace sunloco;
using namespace sunloco::e2e;
using core::ExitCode;

namespace {

QStringList words(const QString& line) { return line.split(QLatin1Char(' '), Qt::SkipEmptyParts); }

Run forPeople(const Volunteer& volunteer, const QString& line) {
    return runProgram(QStringLiteral("sunloco-ctl"), QStringList{QStringLiteral("--data-dir"), volunteer.dataDir} + words(line));
}

/// One JSON object, one line, nothing else.
bool isOneDocument(const QByteArray& out) {
    QJsonParseError error{};
    return QJsonDocument::fromJson(out, &error).isObject() && error.error == QJsonParseError::NoError && out.count('\n') == 1 && out.endsWith('\n');
}

}  // namespace

class TestCtl : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        m_ada = &m_cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY2(m_cluster.startAgent(*m_ada), m_cluster.agentLog(*m_ada).constData());
    }
    void everyQueryIsOneDocument_data();
    void everyQueryIsOneDocument();
    void exitCodes_data();
    void exitCodes();
    void helpNamesEveryCommand();
    void settingsThereAndBack();
    void aPauseSurvivesARestart();
    void runNowAndResume();
    void modePerDevice();
    void logFollows();
    void replaysADay();
    void bugReport();
    void whoIsThere();
    void quitEndsTheAgent();

private:
    Run ctl(const QString& line) const { return m_cluster.ctl(*m_ada, words(line)); }
    bool isPaused() const {   // by the person, whatever else there is to say
        const QJsonArray rules = ctl(QStringLiteral("why")).json().value(QStringLiteral("rules")).toArray();
        return std::any_of(rules.begin(), rules.end(), [](const QJsonValue& rule) { return rule[QStringLiteral("rule")] == QStringLiteral("user_pause") && rule[QStringLiteral("stops")].toBool(); });
    }
    QString reason() const { return m_cluster.agentStatus(*m_ada).value(QStringLiteral("code")).toString(); }

    Cluster m_cluster;
    Volunteer* m_ada = nullptr;
};

void TestCtl::everyQueryIsOneDocument_data() {
    QTest::addColumn<QStringList>("keys");
    QTest::newRow("status") << QStringList{QStringLiteral("state"), QStringLiteral("code"), QStringLiteral("reason"), QStringLiteral("next_change"), QStringLiteral("devices")};
    QTest::newRow("why") << QStringList{QStringLiteral("state"), QStringLiteral("reason"), QStringLiteral("rules")};
    QTest::newRow("devices") << QStringList{QStringLiteral("devices")};
    QTest::newRow("projects") << QStringList{QStringLiteral("projects")};
    QTest::newRow("config list") << QStringList{QStringLiteral("settings")};
    QTest::newRow("config get idle.minutes") << QStringList{QStringLiteral("key"), QStringLiteral("value"), QStringLiteral("default"), QStringLiteral("min"), QStringLiteral("max")};
    QTest::newRow("energy") << QStringList{QStringLiteral("watt_hours"), QStringLiteral("is_estimate"), QStringLiteral("buckets")};
    QTest::newRow("energy --from 2025-03-30 --to 2025-03-31") << QStringList{QStringLiteral("buckets")};
    QTest::newRow("history") << QStringList{QStringLiteral("contributions"), QStringLiteral("rounds")};
    QTest::newRow("log") << QStringList{QStringLiteral("lines")};
    QTest::newRow("test") << QStringList{QStringLiteral("sensors")};
}

void TestCtl::everyQueryIsOneDocument() {
    QFETCH(QStringList, keys);
    const QString line = QString::fromUtf8(QTest::currentDataTag());
    const Run run = ctl(line);
    QVERIFY2(run.exitCode == 0 && run.err.isEmpty(), run.all().constData());
    QVERIFY2(isOneDocument(run.out), run.out.constData());
    for (const QString& key : keys) { QVERIFY2(run.json().contains(key), qPrintable(key + QLatin1Char(' ') + QString::fromUtf8(run.out))); }
    // For people: words, not braces.
    const Run text = forPeople(*m_ada, line);
    QVERIFY2(text.exitCode == 0 && !text.out.trimmed().isEmpty() && !text.out.contains("{\""), text.all().constData());
}

void TestCtl::exitCodes_data() {
    QTest::addColumn<ExitCode>("code");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* line, ExitCode code, const char* says) { QTest::newRow(line) << code << QByteArray(says); };
    row("", ExitCode::Usage, "subcommand");
    row("dance", ExitCode::Usage, "dance");
    row("mode sometimes", ExitCode::Usage, "sometimes");
    row("log --lines 0", ExitCode::Usage, "0");
    row("config", ExitCode::Usage, "subcommand");
    row("run-now soon", ExitCode::Usage, "soon");
    row("pause never", ExitCode::BadInput, "never");
    row("pause 0m", ExitCode::BadInput, "0m");
    row("pause -5m", ExitCode::BadInput, "-5m");
    row("run-now -1", ExitCode::BadInput, "-1");
    row("config get idle.seconds", ExitCode::BadInput, "idle.seconds");
    row("config set idle.minutes ten", ExitCode::BadInput, "1 to 240");
    row("config set idle.minutes 0", ExitCode::BadInput, "1 to 240");
    row("config reset nothing", ExitCode::BadInput, "nothing");
    row("mode never --device gpu-of-nobody", ExitCode::BadInput, "gpu-of-nobody");
    row("leave 0123456789abcdef", ExitCode::BadInput, "0123456789abcdef");
    row("receipt no-such-lease", ExitCode::BadInput, "no-such-lease");
    row("energy --from yesterday", ExitCode::BadInput, "yesterday");
    row("test no-such-sensor", ExitCode::BadInput, "no-such-sensor");
    row("join https://127.0.0.1:1/", ExitCode::BadInput, "link");
    row("replay /nowhere/day.csv", ExitCode::BadInput, "/nowhere/day.csv");
}

void TestCtl::exitCodes() {
    QFETCH(ExitCode, code);
    QFETCH(QByteArray, says);
    const Run run = ctl(QString::fromUtf8(QTest::currentDataTag()));
    QVERIFY2(run.exitCode == static_cast<int>(code), run.all().prepend(QByteArray::number(run.exitCode).append(": ")).constData());
    QVERIFY2(run.err.contains(says), run.all().constData());
    // What the agent or a file refused is a document too; a wrong command line is answered by its usage.
    if (code != ExitCode::Usage) {
        QVERIFY2(isOneDocument(run.out), run.out.constData());
        QVERIFY(run.json().value(QStringLiteral("error")).toObject().contains(QStringLiteral("message")));
    }
}

void TestCtl::helpNamesEveryCommand() {
    const Run help = forPeople(*m_ada, QStringLiteral("--help"));
    QCOMPARE(help.exitCode, 0);
    for (const char* command : {"join", "show", "leave", "projects", "status", "why", "devices", "pause", "resume", "run-now", "mode", "quit", "config", "energy", "history", "receipt", "log", "test", "bug-report", "replay"}) {
        QVERIFY2(help.out.contains(command), command);
        const Run one = forPeople(*m_ada, QString::fromLatin1(command) + QStringLiteral(" --help"));
        QVERIFY2(one.exitCode == 0 && one.out.contains("--json"), command);
    }
    QVERIFY(forPeople(*m_ada, QStringLiteral("--version")).out.contains("sunloco-ctl 0."));
}

void TestCtl::settingsThereAndBack() {
    QCOMPARE(ctl(QStringLiteral("config set idle.minutes 25")).exitCode, 0);
    QJsonObject row = ctl(QStringLiteral("config get idle.minutes")).json();
    QCOMPARE(row.value(QStringLiteral("value")).toInt(), 25);
    QCOMPARE(row.value(QStringLiteral("is_default")).toBool(), false);
    QVERIFY(forPeople(*m_ada, QStringLiteral("config list")).out.contains("* idle.minutes"));
    QFile file(m_ada->configDir + QStringLiteral("/settings.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QJsonDocument::fromJson(file.readAll()).object().value(QStringLiteral("idle.minutes")).toInt(), 25);
    QCOMPARE(ctl(QStringLiteral("config reset idle.minutes")).exitCode, 0);
    row = ctl(QStringLiteral("config get idle.minutes")).json();
    QCOMPARE(row.value(QStringLiteral("value")).toInt(), 10);
    QCOMPARE(row.value(QStringLiteral("is_default")).toBool(), true);
}

void TestCtl::aPauseSurvivesARestart() {
    QCOMPARE(ctl(QStringLiteral("pause 1h")).exitCode, 0);
    const qint64 until = m_cluster.agentStatus(*m_ada).value(QStringLiteral("paused_until")).toInteger();
    const qint64 inAnHour = QDateTime::currentMSecsSinceEpoch() + 3'600'000;
    QVERIFY(std::abs(until - inAnHour) < 60'000);
    m_cluster.killAgent(*m_ada);   // not even a chance to save
    QVERIFY(m_cluster.startAgent(*m_ada));
    QCOMPARE(m_cluster.agentStatus(*m_ada).value(QStringLiteral("paused_until")).toInteger(), until);
    QVERIFY(isPaused());
    QCOMPARE(ctl(QStringLiteral("resume")).exitCode, 0);
    QVERIFY(m_cluster.agentStatus(*m_ada).value(QStringLiteral("paused_until")).isNull());
    QVERIFY(!isPaused());
    // Without an end.
    QCOMPARE(ctl(QStringLiteral("pause")).exitCode, 0);
    m_cluster.stopAgent(*m_ada);
    QVERIFY(m_cluster.startAgent(*m_ada));
    QVERIFY(isPaused());
    QCOMPARE(ctl(QStringLiteral("resume")).exitCode, 0);
}

void TestCtl::runNowAndResume() {
    const QString before = reason();
    QCOMPARE(ctl(QStringLiteral("run-now 5")).exitCode, 0);
    const QJsonArray rules = ctl(QStringLiteral("why")).json().value(QStringLiteral("rules")).toArray();
    QVERIFY(std::any_of(rules.begin(), rules.end(), [](const QJsonValue& rule) { return QJsonDocument(rule.toObject()).toJson().contains("run_now"); }));
    QCOMPARE(ctl(QStringLiteral("resume")).exitCode, 0);
    QCOMPARE(reason(), before);
}

void TestCtl::modePerDevice() {
    const QString device = ctl(QStringLiteral("devices")).json().value(QStringLiteral("devices")).toArray().at(0).toObject().value(QStringLiteral("id")).toString();
    QVERIFY(!device.isEmpty());
    QCOMPARE(ctl(QStringLiteral("mode never --device ") + device).exitCode, 0);
    QCOMPARE(ctl(QStringLiteral("devices")).json().value(QStringLiteral("devices")).toArray().at(0).toObject().value(QStringLiteral("mode")).toString(), QStringLiteral("never"));
    QCOMPARE(ctl(QStringLiteral("config get mode")).json().value(QStringLiteral("value")).toString(), QStringLiteral("rules"));
    QCOMPARE(ctl(QStringLiteral("config reset device.%1.mode").arg(device)).exitCode, 0);
}

void TestCtl::logFollows() {
    const auto follower = makeProcess();
    follower->start(programPath(QStringLiteral("sunloco-ctl")), {QStringLiteral("--data-dir"), m_ada->dataDir, QStringLiteral("log"), QStringLiteral("--follow"), QStringLiteral("--lines"), QStringLiteral("1")});
    QVERIFY(follower->waitForStarted());
    QByteArray seen;
    QVERIFY(waitFor([&] { seen += follower->readAllStandardOutput(); return !seen.isEmpty(); }, 20'000, 20));
    QVERIFY(waitFor([&] {   // the follower may need a moment to subscribe
        const bool ok = ctl(QStringLiteral("pause 15m")).exitCode == 0 && ctl(QStringLiteral("resume")).exitCode == 0;
        seen += follower->readAllStandardOutput();
        return ok && seen.count('\n') >= 3;
    }, 30'000));
    follower->terminate();
    QVERIFY(follower->waitForFinished(10'000));
    QCOMPARE(follower->exitStatus(), QProcess::NormalExit);   // Ctrl+C is how it ends
}

void TestCtl::replaysADay() {
    const QString day = m_cluster.path(QStringLiteral("day.csv"));
    QFile file(day);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("t_utc,idle_s\n");
    const qint64 midnight = QDateTime::fromString(QStringLiteral("2025-03-30T00:00:00Z"), Qt::ISODate).toMSecsSinceEpoch();
    for (int minute = 0; minute < 60; ++minute) {   // away from minute 0 to 39, then back at the keyboard
        file.write(QByteArray::number(midnight / 1000 + minute * 60) + "," + QByteArray::number(minute < 40 ? minute * 60 : 0) + "\n");
    }
    file.close();
    const Run run = runProgram(QStringLiteral("sunloco-ctl"), {QStringLiteral("--data-dir"), QStringLiteral("/nobody/needs/an/agent"), QStringLiteral("--json"), QStringLiteral("replay"), day});
    QVERIFY2(run.exitCode == 0 && isOneDocument(run.out), run.all().constData());
    const QJsonObject totals = run.json().value(QStringLiteral("totals")).toObject();
    QCOMPARE(totals.value(QStringLiteral("starts")).toInt(), 1);
    const double hours = totals.value(QStringLiteral("hours")).toDouble();
    QVERIFY2(hours > 0.4 && hours < 0.6, QByteArray::number(hours).constData());   // from minute 10 to minute 40
    QVERIFY(!run.json().value(QStringLiteral("transitions")).toArray().isEmpty());
}

void TestCtl::bugReport() {
    QVERIFY(ctl(QStringLiteral("join https://127.0.0.1:1/#root=%1 --invite secret-code-1").arg(QString(64, QLatin1Char('0')))).exitCode != 0);
    const QString zip = m_cluster.path(QStringLiteral("report.zip"));
    const auto unzip = [&zip](const QStringList& arguments) {
        QProcess process;
        process.start(QStringLiteral("unzip"), QStringList{QStringLiteral("-p"), zip} + arguments);
        return process.waitForFinished() && process.exitCode() == 0 ? process.readAllStandardOutput() : QByteArray();
    };
    const Run run = ctl(QStringLiteral("bug-report ") + zip);
    QVERIFY2(run.exitCode == 0 && isOneDocument(run.out), run.all().constData());
    QCOMPARE(run.json().value(QStringLiteral("contents")).toArray().size(), 9);
    QVERIFY(QJsonDocument::fromJson(unzip({QStringLiteral("status.json")})).object().contains(QStringLiteral("state")));
    QVERIFY(QJsonDocument::fromJson(unzip({QStringLiteral("settings.json")})).object().contains(QStringLiteral("settings")));
    QVERIFY(unzip({QStringLiteral("agent.log")}).count('\n') > 2);
    QVERIFY(!unzip({QStringLiteral("selftest.json")}).isEmpty());
    const QByteArray everything = unzip({});
    QVERIFY(!everything.contains("secret-code-1"));
    // A second one does not overwrite the first, and a folder that is not there is named.
    const Run again = ctl(QStringLiteral("bug-report ") + zip);
    QVERIFY2(again.exitCode == static_cast<int>(ExitCode::BadInput) && again.err.contains("report.zip"), again.all().constData());
    const Run nowhere = ctl(QStringLiteral("bug-report /nowhere/report.zip"));
    QVERIFY2(nowhere.exitCode != 0 && nowhere.err.contains("/nowhere/report.zip"), nowhere.all().constData());
    // Without an agent there is still a report, which says so.
    const QString lonely = m_cluster.path(QStringLiteral("lonely.zip"));
    const Run alone = runProgram(QStringLiteral("sunloco-ctl"), {QStringLiteral("--data-dir"), m_cluster.path(QStringLiteral("nobody")), QStringLiteral("bug-report"), lonely}, 150'000);
    QVERIFY2(alone.exitCode == 0 && QFile::exists(lonely), alone.all().constData());
}

void TestCtl::whoIsThere() {
    const Run nobody = runProgram(QStringLiteral("sunloco-ctl"), {QStringLiteral("--data-dir"), m_cluster.path(QStringLiteral("nobody")), QStringLiteral("status")});
    QVERIFY2(nobody.exitCode == static_cast<int>(ExitCode::NotReachable) && nobody.err.contains("sunlocod") && nobody.err.contains("nobody"), nobody.all().constData());
    const Run twin = runProgram(QStringLiteral("sunlocod"), {QStringLiteral("--config-dir"), m_ada->configDir, QStringLiteral("--data-dir"), m_ada->dataDir}, 20'000);
    QVERIFY2(twin.exitCode == static_cast<int>(ExitCode::Busy), twin.all().constData());
}

void TestCtl::quitEndsTheAgent() {
    const Run quit = ctl(QStringLiteral("quit"));
    QVERIFY2(quit.exitCode == 0 && isOneDocument(quit.out), quit.all().constData());
    QVERIFY(m_ada->agent->waitForFinished(30'000));
    QCOMPARE(m_ada->agent->exitCode(), 0);
    QCOMPARE(ctl(QStringLiteral("status")).exitCode, static_cast<int>(ExitCode::NotReachable));
}

SUNLOCO_E2E_MAIN(TestCtl)
#include "tst_ctl.moc"
