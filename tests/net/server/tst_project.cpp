// SPDX-License-Identifier: Apache-2.0
// What a person can do wrong when making and running a project: each a sentence with what, where and what to do. The real program is used where it matters.
#include "net/server/folder_lock.h"
#include "net/server/model_export.h"
#include "net/server/project.h"
#include "server_fixture.h"

#include "engine/core/safetensors.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include <csignal>
#include <fstream>

using namespace sunloco;
using test::ServedProject;
using test::writeFile;

namespace {

struct Ran {
    int code = -1;
    QString out;
    QString err;
};

QString programPath() { return QStringLiteral(SUNLOCO_BINARY_DIR "/sunloco-server"); }

Ran runProgram(const QStringList& arguments, int timeoutMs = 60'000) {
    QProcess process;
    process.start(programPath(), arguments);
    Ran ran;
    if (!process.waitForFinished(timeoutMs)) {
        process.kill();
        process.waitForFinished();
        return ran;
    }
    ran.code = process.exitCode();
    ran.out = QString::fromUtf8(process.readAllStandardOutput());
    ran.err = QString::fromUtf8(process.readAllStandardError());
    return ran;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

class TestProject : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void makesAProject();
    void badInput_data();
    void badInput();
    void badTextLeavesNothingBehind();
    void settingsFile_data();
    void settingsFile();
    void secondServerOnTheFolder();
    void newerFolderIsRefused();
    void noProject();
    void readableKeyIsRefused();
    void exportLoadsAgain();
    void programServesAndStops();
    void programErrors();
    void ownCertificate();

private:
    QTemporaryDir m_temporary;
    std::filesystem::path fresh(const char* name) const { return std::filesystem::path(m_temporary.path().toStdString()) / name; }
};

void TestProject::makesAProject() {
    const auto folder = fresh("init");
    std::filesystem::create_directories(folder);
    const auto options = test::tinyProject(folder);
    const core::SystemClock clock;
    const auto report = server::initProject(options, clock);
    QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->vocabulary, std::int64_t{400});
    QVERIFY(report->trainingTokens > 20'000);
    QVERIFY(report->heldOutTokens > 500 && report->heldOutTokens <= report->trainingTokens / 8);
    const auto project = server::openProject(options.folder);
    QVERIFY(project);
    QCOMPARE(project->root.keys.size(), std::size_t{4});
    QCOMPARE(project->rootHash.hex(), report->rootHash);
    QCOMPARE(server::epochExamples(project->targets.manifest), report->examples);
    for (const char* secret : {"offline/root.key", "offline/targets.key", "keys/rounds.key", "keys/timestamp.key", "keys/bearer.secret", "tls/key.pem"}) {
        const auto mode = std::filesystem::status(options.folder / secret).permissions();
        QCOMPARE(static_cast<unsigned>(mode) & 0777U, 0600U);
    }
    // Twice the same input: another project (keys, name), the same data and weights.
    const auto other = fresh("init2");
    std::filesystem::create_directories(other);
    const auto second = test::tinyProject(other);
    QVERIFY(server::initProject(second, clock));
    const auto again = server::openProject(second.folder);
    QVERIFY(again->rootHash != project->rootHash);
    QCOMPARE(again->targets.manifest.initial.object, project->targets.manifest.initial.object);
    QCOMPARE(again->targets.manifest.shards, project->targets.manifest.shards);
    QCOMPARE(again->targets.manifest.tokenizer, project->targets.manifest.tokenizer);
}

void TestProject::badInput_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("words");
    QTest::newRow("no text in the folder") << "empty-folder" << "no text|textless";
    QTest::newRow("no such folder") << "missing-folder" << "no file or folder|nowhere";
    QTest::newRow("unknown recipe key") << "set:inner_stepz=3" << "inner_stepz|inner_steps";
    QTest::newRow("no value") << "set:inner_steps" << "KEY=VALUE|inner_steps";
    QTest::newRow("impossible value") << "set:inner_steps=-4" << "inner_steps";
    QTest::newRow("value of the wrong kind") << "set:learning_rate=fast" << "learning_rate";
    QTest::newRow("sequence longer than the model") << "set:sequence_length=64" << "sequence_length|32|max_position_embeddings";
    QTest::newRow("too little text") << "set:inner_steps=900000" << "training examples|quorum|--set";
    QTest::newRow("unknown model key") << "model:\"made_up_feature\":true," << "made_up_feature|model.json";
    QTest::newRow("impossible model") << "model:\"hidden_size\":0," << "hidden_size";
    QTest::newRow("other family") << "family" << "model_type|mamba";
    QTest::newRow("broken json") << "broken" << "model.json";
    QTest::newRow("no config") << "noconfig" << "gone.json";
    QTest::newRow("not UTF-8") << "latin1" << "UTF-8|byte 5|latin.txt|iconv";
    QTest::newRow("folder not empty") << "notempty" << "not empty";
}

void TestProject::badInput() {
    QFETCH(QString, what);
    QFETCH(QString, words);
    const auto folder = fresh(QTest::currentDataTag());
    std::filesystem::create_directories(folder);
    auto options = test::tinyProject(folder);
    const std::string kind = what.toStdString();
    if (kind == "empty-folder") {
        std::filesystem::create_directories(folder / "textless");
        writeFile(folder / "textless" / ".hidden", "not meant to be read");
        writeFile(folder / "textless" / "blank.txt", " \n\n");
        options.texts = {folder / "textless"};
    } else if (kind == "missing-folder") {
        options.texts = {folder / "nowhere"};
    } else if (kind.rfind("set:", 0) == 0) {
        options.settings.push_back(kind.substr(4));
    } else if (kind.rfind("model:", 0) == 0) {
        std::string model = test::tinyModel();
        const auto hidden = model.find("\"hidden_size\":32,");
        if (contains(kind, "hidden_size")) { model.erase(hidden, 17); }
        model.insert(1, kind.substr(6));
        writeFile(options.model, model);
    } else if (kind == "family") {
        std::string model = test::tinyModel();
        model.replace(model.find("\"llama\""), 7, "\"mamba\"");
        writeFile(options.model, model);
    } else if (kind == "broken") {
        writeFile(options.model, "{\"model_type\": ");
    } else if (kind == "noconfig") {
        options.model = folder / "gone.json";
    } else if (kind == "latin1") {
        writeFile(folder / "latin.txt", "Stra\n\xDF" "e und mehr");
        options.texts = {folder / "latin.txt"};
    } else if (kind == "notempty") {
        std::filesystem::create_directories(options.folder);
        writeFile(options.folder / "precious", "mine");
    }
    const core::SystemClock clock;
    const auto report = server::initProject(options, clock);
    QVERIFY(!report);
    const std::string text = report.error().text();
    for (const QString& word : words.split(QLatin1Char('|'))) { QVERIFY2(contains(text, word.toStdString()), text.c_str()); }
    if (kind == "notempty") {
        QVERIFY(std::filesystem::exists(options.folder / "precious"));
    } else {
        QVERIFY2(!std::filesystem::exists(options.folder), "the failed making left a folder behind");
    }
}

void TestProject::badTextLeavesNothingBehind() {
    const auto folder = fresh("small");
    std::filesystem::create_directories(folder / "project");
    auto options = test::tinyProject(folder);
    writeFile(folder / "small.txt", "Too little.\n");
    options.texts = {folder / "small.txt"};
    const core::SystemClock clock;
    QVERIFY(!server::initProject(options, clock));
    QVERIFY(std::filesystem::is_empty(options.folder));   // the folder was there before; what was written is gone
    options.texts = test::licenceTexts();
    QVERIFY(server::initProject(options, clock));
    const auto again = server::initProject(options, clock);
    QVERIFY(!again);
    QVERIFY(contains(again.error().text(), "already"));
}

void TestProject::settingsFile_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("unknown key") << "listen = \"127.0.0.1:0\"\nlisen = \"x\"\n" << "lisen|line 2";
    QTest::newRow("unknown table key") << "[limits]\nconnection = 3\n" << "limits.connection|line 2";
    QTest::newRow("unknown table") << "[extras]\na = 1\n" << "extras";
    QTest::newRow("wrong kind") << "require_invite = \"yes\"\n" << "require_invite|true or false";
    QTest::newRow("out of range") << "[limits]\nthreads = 0\n" << "limits.threads";
    QTest::newRow("not toml") << "listen = \n" << "TOML|line 1";
    QTest::newRow("half a certificate") << "[tls]\nkey = \"k.pem\"\n" << "tls.certificate|tls.key";
    QTest::newRow("plain http") << "public_url = \"http://example.org\"\n" << "https://";
}

void TestProject::settingsFile() {
    QFETCH(QString, text);
    QFETCH(QString, words);
    const auto config = server::parseServerConfig(text.toStdString(), "server.toml");
    QVERIFY(!config);
    for (const QString& word : words.split(QLatin1Char('|'))) { QVERIFY2(contains(config.error().text(), word.toStdString()), config.error().text().c_str()); }
    // The file that init writes is itself valid, also with all its comments taken away.
    std::string all;
    for (QString line : QString::fromStdString(server::defaultServerToml()).split(QLatin1Char('\n'))) {
        if (line.startsWith(QStringLiteral("# ")) && (line.contains(QStringLiteral(" = ")) || line.startsWith(QStringLiteral("# [")))) { line.remove(0, 2); }
        all += line.toStdString() + "\n";
    }
    const auto uncommented = server::parseServerConfig(all, "all");
    QVERIFY2(uncommented.has_value(), uncommented ? "" : uncommented.error().text().c_str());
    QVERIFY(server::parseServerConfig(server::defaultServerToml(), "default"));
}

void TestProject::secondServerOnTheFolder() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ran = runProgram({QStringLiteral("serve"), QString::fromStdString(project.folder().string()), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0")});
    QCOMPARE(ran.code, 5);
    QVERIFY2(ran.err.contains(QStringLiteral("another sunloco-server")) && ran.err.contains(QString::number(QCoreApplication::applicationPid())), qPrintable(ran.err));
    QVERIFY(ran.out.isEmpty());
    QCOMPARE(test::statusOf(test::request(project.port(), "GET", "/v1/status")), 200);   // the first one is not disturbed
    project.stop();
    QVERIFY(server::FolderLock::take(server::ProjectFolder{project.folder()}));
}

void TestProject::newerFolderIsRefused() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    QFile file(QString::fromStdString((project.folder() / "project.json").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    file.close();
    QVERIFY(text.contains("\"format\": 1"));
    text.replace("\"format\": 1", "\"format\": 2");
    writeFile(project.folder() / "project.json", text.toStdString());
    const std::string refused = project.start();
    QVERIFY2(contains(refused, "newer sunloco-server") && contains(refused, "project.json"), refused.c_str());
    const auto ran = runProgram({QStringLiteral("status"), QString::fromStdString(project.folder().string())});
    QCOMPARE(ran.code, 7);
}

void TestProject::noProject() {
    const auto folder = fresh("nothing");
    std::filesystem::create_directories(folder);
    const auto opened = server::openProject(folder);
    QVERIFY(!opened);
    QVERIFY(contains(opened.error().text(), "not a SunLoCo project") && contains(opened.error().text(), "init"));
}

void TestProject::readableKeyIsRefused() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    std::filesystem::permissions(project.folder() / "keys" / "rounds.key", std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    const std::string refused = project.start();
    QVERIFY2(contains(refused, "chmod 600") && contains(refused, "rounds.key"), refused.c_str());
}

void TestProject::exportLoadsAgain() {
    ServedProject project;
    QCOMPARE(project.make({"quorum=1"}), std::string());
    QCOMPARE(project.start(), std::string());
    const auto ada = project.volunteer();
    QVERIFY(ada->doOneRound(project.elements(), 1));
    QVERIFY(project.waitForRounds(1));
    const auto out = fresh("export");
    const auto report = server::exportHuggingFace(project.folder(), out);   // while the server runs
    QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
    QCOMPARE(report->round, std::int64_t{1});
    QFile config(QString::fromStdString((out / "config.json").string()));
    QVERIFY(config.open(QIODevice::ReadOnly));
    const QByteArray configText = config.readAll();
    const auto model = core::parseModelConfig(configText.toStdString());
    QVERIFY(model);
    QCOMPARE(QJsonDocument::fromJson(configText).object().value(QStringLiteral("architectures")).toArray().at(0).toString(), QStringLiteral("LlamaForCausalLM"));
    const auto arena = core::loadArena(out / "model.safetensors", core::makeLayout(*model));
    QVERIFY(arena);
    QCOMPARE(core::arenaHash(*arena).hex(), report->baseHash);
    const auto opened = server::openProject(project.folder());
    QCOMPARE(*core::sha256File(out / "tokenizer.model"), opened->targets.manifest.tokenizer.sha256);
    for (const char* name : {"tokenizer_config.json", "special_tokens_map.json", "generation_config.json"}) {
        QFile file(QString::fromStdString((out / name).string()));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(QJsonDocument::fromJson(file.readAll()).isObject());
    }
    const auto again = server::exportHuggingFace(project.folder(), out);
    QVERIFY(!again);
    QVERIFY(contains(again.error().text(), "not empty"));
    const auto gguf = server::exportGguf(project.folder(), out / "model.gguf", data::GgufType::Q8_0);
    QVERIFY2(gguf.has_value(), gguf ? "" : gguf.error().text().c_str());
    QCOMPARE(gguf->baseHash, report->baseHash);
    QVERIFY(std::filesystem::file_size(out / "model.gguf") > 10'000);
}

void TestProject::programServesAndStops() {
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    const QString folder = QString::fromStdString(project.folder().string());
    for (const int number : {SIGTERM, SIGINT}) {
        QProcess process;
        process.start(programPath(), {QStringLiteral("serve"), folder, QStringLiteral("--listen"), QStringLiteral("127.0.0.1:0"), QStringLiteral("--json")});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(process.canReadLine(), 30'000);
        const QJsonObject ready = QJsonDocument::fromJson(process.readLine()).object();
        QVERIFY(ready.value(QStringLiteral("link")).toString().startsWith(QStringLiteral("https://127.0.0.1:")));
        QCOMPARE(ready.value(QStringLiteral("pid")).toInteger(), process.processId());
        const auto port = static_cast<std::uint16_t>(ready.value(QStringLiteral("listen")).toString().section(QLatin1Char(':'), 1).toUInt());
        QCOMPARE(test::statusOf(test::request(port, "GET", "/v1/status")), 200);
        // Another project on the same port.
        ServedProject second;
        QCOMPARE(second.make(), std::string());
        const auto busy = runProgram({QStringLiteral("serve"), QString::fromStdString(second.folder().string()), QStringLiteral("--listen"), QStringLiteral("127.0.0.1:%1").arg(port)});
        QCOMPARE(busy.code, 5);
        QVERIFY2(busy.err.contains(QStringLiteral("another program is using the port")) && busy.err.contains(QStringLiteral("--listen")), qPrintable(busy.err));
        ::kill(static_cast<pid_t>(process.processId()), number);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        QVERIFY(process.readAllStandardOutput().isEmpty());
    }
}

void TestProject::programErrors() {
    QCOMPARE(runProgram({}).code, 2);
    QCOMPARE(runProgram({QStringLiteral("frobnicate")}).code, 2);
    const auto help = runProgram({QStringLiteral("--help")});
    QCOMPARE(help.code, 0);
    for (const char* command : {"init", "serve", "link", "status", "invite", "close-round", "rollback", "export", "replay"}) { QVERIFY2(help.out.contains(QLatin1String(command)), command); }
    const auto ran = runProgram({QStringLiteral("serve"), QString::fromStdString(fresh("nothing-there").string())});
    QVERIFY(ran.code != 0);
    QVERIFY(ran.err.contains(QStringLiteral("not a SunLoCo project")));
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    const QString folder = QString::fromStdString(project.folder().string());
    const auto all = runProgram({QStringLiteral("serve"), folder, QStringLiteral("--listen"), QStringLiteral("0.0.0.0:0")});
    QVERIFY(all.code != 0);
    QVERIFY(all.err.contains(QStringLiteral("--public-url")));
    QVERIFY(runProgram({QStringLiteral("serve"), folder, QStringLiteral("--listen"), QStringLiteral("nonsense")}).err.contains(QStringLiteral("HOST:PORT")));
    const auto status = runProgram({QStringLiteral("status"), folder, QStringLiteral("--json")});
    QCOMPARE(status.code, 0);
    QCOMPARE(QJsonDocument::fromJson(status.out.toUtf8()).object().value(QStringLiteral("round")).toInt(), 1);
    const auto replay = runProgram({QStringLiteral("replay"), folder, QStringLiteral("--json")});
    QCOMPARE(replay.code, 0);
    QVERIFY(QJsonDocument::fromJson(replay.out.toUtf8()).object().value(QStringLiteral("equal")).toBool());
    QCOMPARE(runProgram({QStringLiteral("close-round"), folder}).code, 6);
}

void TestProject::ownCertificate() {
    // The operator's certificate instead of the project's: the link has no pin then.
    ServedProject project;
    QCOMPARE(project.make(), std::string());
    std::filesystem::copy_file(project.folder() / "tls" / "certificate.pem", project.folder() / "mine.pem");
    std::filesystem::copy_file(project.folder() / "tls" / "key.pem", project.folder() / "mine.key");
    writeFile(project.folder() / "server.toml", "public_url = \"https://127.0.0.1\"\n[tls]\ncertificate = \"mine.pem\"\nkey = \"mine.key\"\n");
    QCOMPARE(project.start(), std::string());
    QVERIFY(!contains(project.link(), "pin="));
    QVERIFY(contains(project.link(), "https://127.0.0.1/#root="));
    project.stop();
    writeFile(project.folder() / "server.toml", "[tls]\ncertificate = \"mine.pem\"\nkey = \"mine.pem\"\n");
    QVERIFY(contains(project.start(), "mine.pem"));
}

QTEST_GUILESS_MAIN(TestProject)
#include "tst_project.moc"
