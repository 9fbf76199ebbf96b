// SPDX-License-Identifier: Apache-2.0
#include "tests/e2e/cluster.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <signal.h>
#include <sys/prctl.h>

namespace sunloco::e2e {

QString programPath(const QString& name) {
    return QStringLiteral(SUNLOCO_BINARY_DIR "/") + name;
}

std::unique_ptr<QProcess> makeProcess() {
    auto process = std::make_unique<QProcess>();
    process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
    return process;
}

Run runProgram(const QString& program, const QStringList& arguments, int timeoutMs) {
    auto process = makeProcess();
    process->start(programPath(program), arguments);
    Run run;
    if (!process->waitForFinished(timeoutMs)) {
        run.err = "no end within " + QByteArray::number(timeoutMs) + " ms: " + process->errorString().toUtf8() + "\n" + process->readAllStandardError();
        process->kill();
        process->waitForFinished();
        return run;
    }
    run.exitCode = process->exitStatus() == QProcess::NormalExit ? process->exitCode() : -2;
    run.out = process->readAllStandardOutput();
    run.err = process->readAllStandardError();
    return run;
}

bool waitFor(const std::function<bool()>& condition, int timeoutMs, int stepMs) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > timeoutMs) { return false; }
        QTest::qWait(stepMs);
    }
    return true;
}

Cluster::Cluster() = default;

Cluster::~Cluster() {
    for (auto& volunteer : m_volunteers) { killAgent(*volunteer); }
    killServer();
}

Run Cluster::init(const QStringList& recipeOverrides) {
    QStringList arguments{QStringLiteral("init"), projectDir(), QStringLiteral("--text"), QStringLiteral("/usr/share/common-licenses"),
                          QStringLiteral("--model"), QStringLiteral(SUNLOCO_SOURCE_DIR "/tests/data/models/tiny.json"),
                          QStringLiteral("--name"), QStringLiteral("Test meadow"), QStringLiteral("--licence"), QStringLiteral("as each text says")};
    QStringList settings{QStringLiteral("batch_sequences=4"), QStringLiteral("sequence_length=32"), QStringLiteral("inner_steps=20"),
                         QStringLiteral("min_inner_steps=4"), QStringLiteral("quorum=2"), QStringLiteral("warmup_steps=10"),
                         QStringLiteral("learning_rate=0.01"), QStringLiteral("round_deadline_seconds=60"), QStringLiteral("lease_seconds=60")};
    settings += recipeOverrides;
    for (const QString& setting : std::as_const(settings)) { arguments << QStringLiteral("--set") << setting; }
    return runProgram(QStringLiteral("sunloco-server"), arguments, 120'000);
}

bool Cluster::startServer() {
    m_server = makeProcess();
    m_server->setStandardErrorFile(path(QStringLiteral("server.log")), QIODevice::Append);
    m_server->start(programPath(QStringLiteral("sunloco-server")),
                    {QStringLiteral("serve"), projectDir(), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:%1").arg(m_port)});
    QByteArray output;
    const bool ready = waitFor([&] {
        output += m_server->readAllStandardOutput();
        return output.contains("#root=") && output.endsWith('\n');
    }, 30'000, 20);
    if (!ready) { return false; }
    static const QRegularExpression pattern(QStringLiteral("https://[^\\s\"]*:(\\d+)/[^\\s\"]*"));
    const QRegularExpressionMatch match = pattern.match(QString::fromUtf8(output));
    m_link = match.captured(0);
    m_port = match.captured(1).toInt();
    return m_port != 0;
}

void Cluster::stopServer() {
    if (!m_server) { return; }
    m_server->terminate();
    if (!m_server->waitForFinished(20'000)) { m_server->kill(); }
    m_server.reset();
}

void Cluster::killServer() {
    if (!m_server) { return; }
    m_server->kill();
    m_server->waitForFinished();
    m_server.reset();
}

Volunteer& Cluster::addVolunteer(const QString& name) {
    auto volunteer = std::make_unique<Volunteer>();
    volunteer->name = name;
    volunteer->configDir = path(name + QStringLiteral("-config"));
    volunteer->dataDir = path(name);
    m_volunteers.push_back(std::move(volunteer));
    return *m_volunteers.back();
}

bool Cluster::startAgent(Volunteer& volunteer) {
    volunteer.agent = makeProcess();
    volunteer.agent->setStandardErrorFile(path(volunteer.name + QStringLiteral(".log")), QIODevice::Append);
    volunteer.agent->setStandardOutputFile(QProcess::nullDevice());
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("OMP_NUM_THREADS"), QStringLiteral("1"));
    environment.insert(QStringLiteral("OMP_WAIT_POLICY"), QStringLiteral("PASSIVE"));
    volunteer.agent->setProcessEnvironment(environment);
    volunteer.agent->start(programPath(QStringLiteral("sunlocod")),
                           {QStringLiteral("--config-dir"), volunteer.configDir, QStringLiteral("--data-dir"), volunteer.dataDir});
    if (!volunteer.agent->waitForStarted()) { return false; }
    return waitFor([&] { return ctl(volunteer, {QStringLiteral("status")}).exitCode == 0; }, 20'000, 100);
}

void Cluster::stopAgent(Volunteer& volunteer) {
    if (!volunteer.agent) { return; }
    volunteer.agent->terminate();
    if (!volunteer.agent->waitForFinished(30'000)) { volunteer.agent->kill(); }
    volunteer.agent.reset();
}

void Cluster::killAgent(Volunteer& volunteer) {
    if (!volunteer.agent) { return; }
    volunteer.agent->kill();
    volunteer.agent->waitForFinished();
    volunteer.agent.reset();
}

Run Cluster::ctl(const Volunteer& volunteer, QStringList arguments, int timeoutMs) const {
    arguments = QStringList{QStringLiteral("--data-dir"), volunteer.dataDir, QStringLiteral("--json")} + arguments;
    return runProgram(QStringLiteral("sunloco-ctl"), arguments, timeoutMs);
}

Run Cluster::join(Volunteer& volunteer) {
    Run mode = ctl(volunteer, {QStringLiteral("mode"), QStringLiteral("always")});
    if (mode.exitCode != 0) { return mode; }
    return ctl(volunteer, {QStringLiteral("join"), m_link}, 60'000);
}

QJsonObject Cluster::agentStatus(const Volunteer& volunteer) const {
    return ctl(volunteer, {QStringLiteral("status")}).json();
}

QJsonObject Cluster::serverStatus() const {
    return runProgram(QStringLiteral("sunloco-server"), {QStringLiteral("status"), projectDir(), QStringLiteral("--json")}).json();
}

qint64 Cluster::closedRounds() const {
    return serverStatus().value(QStringLiteral("history")).toArray().size();
}

bool Cluster::waitForRounds(qint64 count, int timeoutMs) {
    return waitFor([&] { return closedRounds() >= count; }, timeoutMs, 300);
}

Run Cluster::replay() const {
    return runProgram(QStringLiteral("sunloco-server"), {QStringLiteral("replay"), projectDir(), QStringLiteral("--json")}, 120'000);
}

QByteArray Cluster::serverLog() const {
    QFile file(path(QStringLiteral("server.log")));
    return file.open(QIODevice::ReadOnly) ? file.readAll().right(8000) : QByteArray();
}

QByteArray Cluster::agentLog(const Volunteer& volunteer) const {
    QFile file(path(volunteer.name + QStringLiteral(".log")));
    return file.open(QIODevice::ReadOnly) ? file.readAll().right(8000) : QByteArray();
}

QList<qint64> Cluster::workersOf(qint64 pid) {
    QList<qint64> workers;
    const QStringList tasks = QDir(QStringLiteral("/proc/%1/task").arg(pid)).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    for (const QString& task : tasks) {
        QFile file(QStringLiteral("/proc/%1/task/%2/children").arg(QString::number(pid), task));
        if (!file.open(QIODevice::ReadOnly)) { continue; }
        for (const QByteArray& child : file.readAll().simplified().split(' ')) {
            QFile comm(QStringLiteral("/proc/%1/comm").arg(QString::fromLatin1(child)));
            if (!child.isEmpty() && comm.open(QIODevice::ReadOnly) && comm.readAll().startsWith("sunloco-worker")) { workers << child.toLongLong(); }
        }
    }
    return workers;
}

QString doubleMerges(const QString& projectDir) {
    QFile file(projectDir + QStringLiteral("/events.jsonl"));
    if (!file.open(QIODevice::ReadOnly)) { return QStringLiteral("no event log in ") + projectDir; }
    QSet<QString> seen;
    while (!file.atEnd()) {
        const QJsonObject event = QJsonDocument::fromJson(file.readLine()).object();
        const QJsonArray contributions = event.value(QStringLiteral("contributions")).toArray();
        for (const QJsonValue& contribution : contributions) {
            const QString id = contribution.toObject().value(QStringLiteral("id")).toString();
            if (id.isEmpty()) { return QStringLiteral("a merged contribution has no id"); }
            if (seen.contains(id)) { return QStringLiteral("contribution %1 was merged twice").arg(id); }
            seen.insert(id);
        }
    }
    return seen.isEmpty() ? QStringLiteral("the event log holds no merged contribution") : QString();
}

}  // namespace sunloco::e2e
