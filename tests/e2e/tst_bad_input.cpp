// SPDX-License-Identifier: Apache-2.0
// Bad input by a person: each ends with a sentence that names what, where and what to do, the right exit code, and nothing half-written.
#include "tests/e2e/cluster.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QTcpServer>
#include <QTest>

using namespace sunloco::e2e;

namespace {
QString write(const QString& path, const QByteArray& content) {
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) { qFatal("cannot write %s", qPrintable(path)); }
    file.write(content);
    return path;
}
QByteArray tinyConfig() {
    QFile file(QStringLiteral(SUNLOCO_SOURCE_DIR "/tests/data/models/tiny.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
Run init(const QString& dir, const QString& text, const QString& model) {
    return runProgram(QStringLiteral("sunloco-server"), {QStringLiteral("init"), dir, QStringLiteral("--text"), text, QStringLiteral("--model"), model,
                                                          QStringLiteral("--set"), QStringLiteral("inner_steps=20"), QStringLiteral("--set"), QStringLiteral("batch_sequences=4")}, 120'000);
}
}  // namespace

class TstBadInput : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initRefusesAndLeavesNothing_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QByteArrayList>("words");
        const QByteArray words = QByteArray("A plain sentence about the weather and the sea. ").repeated(4000);
        QTest::newRow("folder without text") << QByteArray() << tinyConfig() << QByteArrayList{"text"};
        QTest::newRow("unknown key") << words << QByteArray(tinyConfig()).replace("\"hidden_size\"", "\"sliding_window\": 32, \"hidden_size\"") << QByteArrayList{"sliding_window"};
        QTest::newRow("impossible heads") << words << QByteArray(tinyConfig()).replace("\"num_attention_heads\": 2", "\"num_attention_heads\": 5") << QByteArrayList{"heads"};
        QTest::newRow("negative layers") << words << QByteArray(tinyConfig()).replace("\"num_hidden_layers\": 2", "\"num_hidden_layers\": -1") << QByteArrayList{"num_hidden_layers"};
        QTest::newRow("not JSON") << words << QByteArray("{ \"model_type\": \"llama\", ") << QByteArrayList{"JSON"};
        QTest::newRow("not UTF-8") << QByteArray("good text \xff\xfe bad").repeated(2000) << tinyConfig() << QByteArrayList{"UTF-8", "text.txt"};
    }
    void initRefusesAndLeavesNothing() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, config);
        QFETCH(QByteArrayList, words);
        QTemporaryDir dir;
        QDir().mkpath(dir.filePath(QStringLiteral("texts")));
        if (!text.isEmpty()) { write(dir.filePath(QStringLiteral("texts/text.txt")), text); }
        const QString model = write(dir.filePath(QStringLiteral("config.json")), config);
        const QString project = dir.filePath(QStringLiteral("project"));
        const Run run = init(project, dir.filePath(QStringLiteral("texts")), model);
        QVERIFY2(run.exitCode == 3, run.all().constData());
        for (const QByteArray& word : words) { QVERIFY2(run.err.contains(word), run.err.constData()); }
        QVERIFY2(run.err.count('\n') <= 4, run.err.constData());
        QVERIFY2(!QDir(project).exists() || QDir(project).isEmpty(), "init left files behind");
        // The same folder works once the input is right.
        write(dir.filePath(QStringLiteral("texts/text.txt")), "");
        QDir(dir.filePath(QStringLiteral("texts"))).removeRecursively();
        const Run good = init(project, QStringLiteral("/usr/share/common-licenses"), write(model, tinyConfig()));
        QVERIFY2(good.exitCode == 0, good.all().constData());
    }

    void initRefusesAFullFolder() {
        QTemporaryDir dir;
        write(dir.filePath(QStringLiteral("project/precious.txt")), "mine");
        const Run run = init(dir.filePath(QStringLiteral("project")), QStringLiteral("/usr/share/common-licenses"), QStringLiteral(SUNLOCO_SOURCE_DIR "/tests/data/models/tiny.json"));
        QVERIFY2(run.exitCode == 3 && run.err.contains("project"), run.all().constData());
        QCOMPARE(QDir(dir.filePath(QStringLiteral("project"))).entryList(QDir::Files), QStringList{QStringLiteral("precious.txt")});
    }

    void linkPortFolderAndNewerData() {
        Cluster cluster;
        QVERIFY(cluster.init().exitCode == 0);
        QVERIFY(cluster.startServer());

        // A second server on the same folder.
        const Run second = runProgram(QStringLiteral("sunloco-server"), {QStringLiteral("serve"), cluster.projectDir(), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0")}, 20'000);
        QVERIFY2(second.exitCode == 5 && second.err.contains("project"), second.all().constData());

        // A busy port.
        QTcpServer squatter;
        QVERIFY(squatter.listen(QHostAddress::LocalHost));
        Cluster other;
        QVERIFY(other.init().exitCode == 0);
        const QString address = QStringLiteral("127.0.0.1:%1").arg(squatter.serverPort());
        const Run busy = runProgram(QStringLiteral("sunloco-server"), {QStringLiteral("serve"), other.projectDir(), QStringLiteral("--listen"), address}, 20'000);
        QVERIFY2(busy.exitCode == 5 && busy.err.contains(address.toUtf8()), busy.all().constData());

        // A link with a wrong hash, a wrong pin, and no link at all: nothing is joined.
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY2(cluster.startAgent(ada), cluster.agentLog(ada).constData());
        QString wrongRoot = cluster.link();
        const qsizetype at = wrongRoot.indexOf(QStringLiteral("#root=")) + 6;
        wrongRoot[at] = wrongRoot[at] == QLatin1Char('0') ? QLatin1Char('1') : QLatin1Char('0');
        const Run hash = cluster.ctl(ada, {QStringLiteral("join"), wrongRoot}, 60'000);
        QVERIFY2(hash.exitCode != 0 && (hash.all().contains("hash") || hash.all().contains("fingerprint")), hash.all().constData());
        QString wrongPin = cluster.link();
        const qsizetype pin = wrongPin.indexOf(QStringLiteral("pin=")) + 4;
        QVERIFY(pin > 4);
        wrongPin[pin] = wrongPin[pin] == QLatin1Char('A') ? QLatin1Char('B') : QLatin1Char('A');
        const Run pinned = cluster.ctl(ada, {QStringLiteral("join"), wrongPin}, 60'000);
        QVERIFY2(pinned.exitCode != 0, pinned.all().constData());
        const Run nonsense = cluster.ctl(ada, {QStringLiteral("join"), QStringLiteral("http://example.org/")}, 60'000);
        QVERIFY2(nonsense.exitCode == 3, nonsense.all().constData());
        QVERIFY(cluster.agentStatus(ada).value(QStringLiteral("projects")).toArray().isEmpty());

        // A proxy that is not one, and one that nobody runs: the sentence leads to the setting.
        const QStringList setProxy{QStringLiteral("config"), QStringLiteral("set"), QStringLiteral("network.proxy")};
        const Run noProxy = cluster.ctl(ada, setProxy + QStringList{QStringLiteral("proxy.home")}, 20'000);
        QVERIFY2(noProxy.exitCode == 3 && noProxy.all().contains("http://proxy.home:3128"), noProxy.all().constData());
        QVERIFY(cluster.ctl(ada, setProxy + QStringList{QStringLiteral("http://127.0.0.1:1")}, 20'000).exitCode == 0);
        const Run throughProxy = cluster.ctl(ada, {QStringLiteral("join"), cluster.link()}, 60'000);
        QVERIFY2(throughProxy.exitCode != 0 && throughProxy.all().contains("proxy"), throughProxy.all().constData());
        QVERIFY(cluster.ctl(ada, setProxy + QStringList{QStringLiteral("none")}, 20'000).exitCode == 0);
        QVERIFY(cluster.agentStatus(ada).value(QStringLiteral("projects")).toArray().isEmpty());

        // A second agent on the same data folder.
        const Run twin = runProgram(QStringLiteral("sunlocod"), {QStringLiteral("--config-dir"), ada.configDir, QStringLiteral("--data-dir"), ada.dataDir}, 20'000);
        QVERIFY2(twin.exitCode == 5 && twin.err.contains(ada.dataDir.toUtf8()), twin.all().constData());

        // No agent for a folder.
        const Run nobody = runProgram(QStringLiteral("sunloco-ctl"), {QStringLiteral("--data-dir"), cluster.path(QStringLiteral("nobody")), QStringLiteral("status")}, 20'000);
        QVERIFY2(nobody.exitCode == 4 && nobody.err.contains("sunlocod"), nobody.all().constData());
    }

    void dataOfANewerVersionIsRefused() {
        Cluster cluster;
        QVERIFY(cluster.init().exitCode == 0);
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY(cluster.startAgent(ada));
        cluster.stopAgent(ada);
        const auto makeNewer = [](const QString& database) {
            QProcess sqlite;
            sqlite.start(QStringLiteral("sqlite3"), {database, QStringLiteral("PRAGMA user_version = 999;")});
            return sqlite.waitForFinished() && sqlite.exitCode() == 0;
        };
        QVERIFY(makeNewer(ada.dataDir + QStringLiteral("/journal.db")));
        const Run agent = runProgram(QStringLiteral("sunlocod"), {QStringLiteral("--config-dir"), ada.configDir, QStringLiteral("--data-dir"), ada.dataDir}, 20'000);
        QVERIFY2(agent.exitCode == 7 && agent.err.contains("newer"), agent.all().constData());
        QVERIFY(makeNewer(cluster.projectDir() + QStringLiteral("/server.db")));
        const Run server = runProgram(QStringLiteral("sunloco-server"), {QStringLiteral("serve"), cluster.projectDir(), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0")}, 20'000);
        QVERIFY2(server.exitCode == 7 && server.err.contains("newer"), server.all().constData());
    }
};

SUNLOCO_E2E_MAIN(TstBadInput)
#include "tst_bad_input.moc"
