// SPDX-License-Identifier: Apache-2.0
// The agent's end of the local socket against well-behaved, rude and hostile clients.
#include "tests/net/ipc/ipc_rig.h"

#include <QFile>
#include <QProcess>
#include <QTimer>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

using namespace sunloco;
using namespace sunloco::ipc;
using core::ErrorCode;
using core::Json;

namespace {

void echo(const RequestMessage& request, const IpcServer::Reply& reply) { reply({0, Json{{"method", request.method}, {"params", request.params}}, std::nullopt}); }

core::Bytes frameOf(std::uint16_t type, const std::string& body) { return core::encodeFrame({type, body}).value(); }

}  // namespace

class TstIpcServer : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_path;
    std::unique_ptr<IpcServer> m_server;

    void start(IpcServer::Handler handler) {
        m_server = std::make_unique<IpcServer>(std::move(handler), nullptr);
        const auto listening = m_server->listen(m_path);
        if (!listening) { qFatal("%s", listening.error().text().c_str()); }
    }

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->path().toStdString() + "/data/agent.sock";
    }
    void cleanup() {
        m_server.reset();
        m_folder.reset();
    }

    void answers() {
        start(echo);
        RawClient client(m_path);
        QVERIFY(client.connected());
        QCOMPARE(ask(client, "status", Json{{"a", 1}}), std::string("{\"method\":\"status\",\"params\":{\"a\":1}}"));
        QCOMPARE(ask(client, "why"), std::string("{\"method\":\"why\",\"params\":{}}"));
    }

    void onlyThisUserMayConnect() {
        start(echo);
        struct stat info {};
        QVERIFY(::stat(m_path.c_str(), &info) == 0);
        QVERIFY(S_ISSOCK(info.st_mode));
        QCOMPARE(static_cast<unsigned>(info.st_mode & 0777), 0600U);
        QCOMPARE(info.st_uid, ::geteuid());
        QVERIFY(::stat(std::filesystem::path(m_path).parent_path().c_str(), &info) == 0);
        QCOMPARE(static_cast<unsigned>(info.st_mode & 0777), 0700U);
    }

    void folderOfOthersIsMadePrivate() {
        std::filesystem::create_directories(std::filesystem::path(m_path).parent_path());
        QVERIFY(::chmod(std::filesystem::path(m_path).parent_path().c_str(), 0777) == 0);
        start(echo);
        struct stat info {};
        QVERIFY(::stat(std::filesystem::path(m_path).parent_path().c_str(), &info) == 0);
        QCOMPARE(static_cast<unsigned>(info.st_mode & 0777), 0700U);
    }

    /// Even if somebody opens the modes, another user is turned away by the peer's identity.
    void otherUsersAreTurnedAway() {
        if (::geteuid() != 0) { QSKIP("becoming another user needs root"); }
        int handled = 0;
        start([&](const RequestMessage& request, const IpcServer::Reply& reply) {
            ++handled;
            echo(request, reply);
        });
        QVERIFY(::chmod(m_folder->path().toUtf8().constData(), 0755) == 0);
        QVERIFY(::chmod(std::filesystem::path(m_path).parent_path().c_str(), 0755) == 0);
        const auto asNobody = [&] {
            QProcess child;
            child.setChildProcessModifier([] {
                if (::setgid(65534) != 0 || ::setuid(65534) != 0) { ::_exit(99); }
            });
            child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--client"), QString::fromStdString(m_path)});
            if (!waitUntil([&] { return child.state() == QProcess::NotRunning; })) { return QByteArray("did not end"); }
            return child.exitStatus() == QProcess::NormalExit && child.error() != QProcess::FailedToStart ? child.readAllStandardOutput() : QByteArray("did not start");
        };
        const QByteArray forbidden = asNobody();
        if (forbidden == "did not start") { QSKIP("the test program cannot be run by another user"); }
        QCOMPARE(forbidden, QByteArray("permission-denied"));
        QVERIFY(::chmod(m_path.c_str(), 0666) == 0);
        QCOMPARE(asNobody(), QByteArray("not-found"));
        QCOMPARE(handled, 0);
    }

    void leftSocketIsReplaced() {
        std::filesystem::create_directories(std::filesystem::path(m_path).parent_path());
        // What an agent that was killed leaves behind: a socket file that nobody listens on.
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, m_path.c_str(), m_path.size());
        QVERIFY(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
        ::close(fd);
        QVERIFY(QFile::exists(QString::fromStdString(m_path)));
        QVERIFY(!RawClient(m_path).connected());
        start(echo);
        RawClient client(m_path);
        QCOMPARE(ask(client, "x"), std::string("{\"method\":\"x\",\"params\":{}}"));
    }

    void socketGoesWithTheServer() {
        start(echo);
        m_server.reset();
        QVERIFY(!QFile::exists(QString::fromStdString(m_path)));
        start(echo);
        RawClient client(m_path);
        QCOMPARE(ask(client, "again"), std::string("{\"method\":\"again\",\"params\":{}}"));
    }

    void placesThatDoNotWork() {
        IpcServer server(echo, nullptr);
        const auto tooLong = server.listen(m_folder->path().toStdString() + "/" + std::string(120, 'x') + "/agent.sock");
        QVERIFY(!tooLong);
        QVERIFY(!tooLong.error().message.empty());
        QFile file(m_folder->filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(!server.listen(file.fileName().toStdString() + "/agent.sock"));
        // It can still be told a better one.
        QVERIFY(server.listen(m_path).has_value());
    }

    void repliesMayComeLateAndInAnyOrder() {
        std::map<std::string, IpcServer::Reply> open;
        start([&](const RequestMessage& request, IpcServer::Reply reply) { open[request.method] = std::move(reply); });
        RawClient client(m_path);
        QVERIFY(client.send(encode(RequestMessage{1, "first", Json::object()})));
        QVERIFY(client.send(encode(RequestMessage{2, "second", Json::object()})));
        QVERIFY(waitUntil([&] { return open.size() == 2; }));
        // The id is the server's matter, whatever the handler puts there.
        open.at("second")({77, "two", std::nullopt});
        QTimer::singleShot(50, this, [&] { open.at("first")({78, "one", std::nullopt}); });
        const auto second = parseResponse(client.receive().value_or(core::Frame{}));
        const auto first = parseResponse(client.receive().value_or(core::Frame{}));
        QVERIFY(second.has_value() && first.has_value());
        QCOMPARE(second->id, 2);
        QVERIFY(second->result == "two");
        QCOMPARE(first->id, 1);
        QVERIFY(first->result == "one");
    }

    void repliesToNobodyDoNoHarm() {
        std::vector<IpcServer::Reply> open;
        start([&](const RequestMessage& request, IpcServer::Reply reply) {
            if (request.method == "later") {
                open.push_back(std::move(reply));
            } else {
                echo(request, reply);
            }
        });
        RawClient gone(m_path);
        QVERIFY(gone.send(encode(RequestMessage{1, "later", Json::object()})));
        RawClient stays(m_path);
        QVERIFY(stays.send(encode(RequestMessage{1, "later", Json::object()})));
        QVERIFY(waitUntil([&] { return open.size() == 2; }));
        gone.close();
        QCOMPARE(ask(stays, "x"), std::string("{\"method\":\"x\",\"params\":{}}"));
        // A new client must not get the answer that was meant for the one that left.
        RawClient fresh(m_path);
        QCOMPARE(ask(fresh, "y"), std::string("{\"method\":\"y\",\"params\":{}}"));
        open.at(0)({0, "for the one that left", std::nullopt});
        QCOMPARE(ask(fresh, "z"), std::string("{\"method\":\"z\",\"params\":{}}"));
        m_server.reset();
        open.at(1)({0, "for nobody", std::nullopt});
    }

    void refusalsComeBack() {
        start([](const RequestMessage& request, const IpcServer::Reply& reply) { reply({0, {}, Refusal{request.method, "no, because"}}); });
        RawClient client(m_path);
        QCOMPARE(ask(client, "conflict"), std::string("error conflict"));
    }

    void answersThatAreTooLong() {
        start([](const RequestMessage& request, const IpcServer::Reply& reply) {
            reply({0, request.method == "long" ? Json(std::string(core::kMaxFrameBody, 'x')) : Json(std::string(core::kMaxFrameBody - 100, 'x')), std::nullopt});
        });
        RawClient client(m_path);
        QCOMPARE(ask(client, "long"), std::string("error limit-exceeded"));
        QCOMPARE(ask(client, "fits").size(), std::size_t{core::kMaxFrameBody} - 98);
    }

    /// Log lines may hold anything; what is not UTF-8 must not stop the answer.
    void answersWithForeignBytes() {
        start([](const RequestMessage&, const IpcServer::Reply& reply) { reply({0, std::string("a\xff\xfe" "b"), std::nullopt}); });
        RawClient client(m_path);
        QCOMPARE(ask(client, "log"), std::string("\"a\xef\xbf\xbd\xef\xbf\xbd" "b\""));
    }

    void byteByByte() {
        start(echo);
        RawClient client(m_path);
        const auto bytes = encode(RequestMessage{5, "slowly", Json::object()}).value();
        for (const std::uint8_t byte : bytes) {
            QVERIFY(client.send(core::ByteView(&byte, 1)));
            QCoreApplication::processEvents();
        }
        const auto response = parseResponse(client.receive().value_or(core::Frame{}));
        QVERIFY(response.has_value());
        QCOMPARE(response->id, 5);
    }

    void manyPipelinedRequests() {
        start(echo);
        constexpr int kCount = 3000;
        RawClient client(m_path);
        core::Bytes all;
        for (int i = 0; i < kCount; ++i) {
            const auto one = encode(RequestMessage{i, "n" + std::to_string(i), Json::object()}).value();
            all.insert(all.end(), one.begin(), one.end());
        }
        QVERIFY(client.send(core::ByteView(all)));
        for (int i = 0; i < kCount; ++i) {
            const auto response = parseResponse(client.receive().value_or(core::Frame{}));
            QVERIFY2(response.has_value(), std::to_string(i).c_str());
            QCOMPARE(response->id, i);
            QCOMPARE(response->result.at("method").get<std::string>(), "n" + std::to_string(i));
        }
    }

    void badInputClosesThatConnectionOnly_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, const core::Bytes& bytes) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size()));
        };
        QTest::newRow("a web browser") << QByteArray("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        QTest::newRow("announces 4 GiB") << QByteArray("\xff\xff\xff\xff\x01\x00", 6);
        QTest::newRow("one byte too long") << QByteArray("\x01\x00\x10\x00\x01\x00", 6);
        row("unknown type", frameOf(9, "{\"id\":1,\"method\":\"x\"}"));
        row("type zero", frameOf(0, "{\"id\":1,\"method\":\"x\"}"));
        row("a response", frameOf(2, "{\"id\":1,\"result\":{}}"));
        row("an event", frameOf(3, "{\"name\":\"x\",\"data\":{}}"));
        row("empty", frameOf(1, ""));
        row("no JSON", frameOf(1, "hello"));
        row("cut JSON", frameOf(1, "{\"id\":1,\"method\":\"x\""));
        row("two documents", frameOf(1, "{\"id\":1,\"method\":\"x\"}{}"));
        row("a list", frameOf(1, "[1,\"x\"]"));
        row("no id", frameOf(1, "{\"method\":\"x\"}"));
        row("text as id", frameOf(1, "{\"id\":\"1\",\"method\":\"x\"}"));
        row("negative id", frameOf(1, "{\"id\":-1,\"method\":\"x\"}"));
        row("fraction as id", frameOf(1, "{\"id\":1.5,\"method\":\"x\"}"));
        row("huge id", frameOf(1, "{\"id\":99999999999999999999,\"method\":\"x\"}"));
        row("no method", frameOf(1, "{\"id\":1}"));
        row("number as method", frameOf(1, "{\"id\":1,\"method\":2}"));
        row("params that are a list", frameOf(1, "{\"id\":1,\"method\":\"x\",\"params\":[]}"));
        row("twice the same key", frameOf(1, "{\"id\":1,\"id\":2,\"method\":\"x\"}"));
        row("not UTF-8", frameOf(1, "{\"id\":1,\"method\":\"\xff\"}"));
        row("deep", frameOf(1, "{\"id\":1,\"method\":\"x\",\"params\":{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}}"));
        row("very deep", frameOf(1, std::string(1'000'000, '[')));
        row("very deep objects", frameOf(1, [] {
            std::string text;
            for (int i = 0; i < 150'000; ++i) { text += "{\"a\":"; }
            return text;
        }()));
        row("too many values", frameOf(1, "{\"id\":1,\"method\":\"x\",\"params\":{\"a\":[" + [] {
            std::string text;
            for (int i = 0; i < 400'000; ++i) { text += "1,"; }
            return text;
        }() + "1]}}"));
    }
    void badInputClosesThatConnectionOnly() {
        QFETCH(QByteArray, bytes);
        int handled = 0;
        start([&](const RequestMessage& request, const IpcServer::Reply& reply) {
            ++handled;
            echo(request, reply);
        });
        RawClient good(m_path);
        QCOMPARE(ask(good, "before"), std::string("{\"method\":\"before\",\"params\":{}}"));
        RawClient bad(m_path);
        bad.send(core::asBytes(std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size()))));
        QVERIFY2(bad.waitForClose(), "a broken stream was kept");
        QCOMPARE(handled, 1);
        QCOMPARE(ask(good, "after"), std::string("{\"method\":\"after\",\"params\":{}}"));
        RawClient next(m_path);
        QCOMPARE(ask(next, "next"), std::string("{\"method\":\"next\",\"params\":{}}"));
    }

    /// Good requests before the bad one were answered; those after it are not looked at.
    void goodThenBadInOneStream() {
        std::vector<std::string> handled;
        start([&](const RequestMessage& request, const IpcServer::Reply& reply) {
            handled.push_back(request.method);
            echo(request, reply);
        });
        RawClient client(m_path);
        core::Bytes all = encode(RequestMessage{1, "good", Json::object()}).value();
        for (const core::Bytes& more : {frameOf(1, "bad"), encode(RequestMessage{2, "late", Json::object()}).value()}) { all.insert(all.end(), more.begin(), more.end()); }
        QVERIFY(client.send(core::ByteView(all)));
        QVERIFY(client.waitForClose());
        QCOMPARE(handled, std::vector<std::string>{"good"});
    }

    void clientsThatVanish() {
        start(echo);
        for (int i = 0; i < 100; ++i) {
            RawClient client(m_path);
            QVERIFY(client.connected());
            if (i % 3 == 1) { client.send(std::string("\x20\x00\x00\x00\x01", 5)); }
            if (i % 3 == 2) { client.send(encode(RequestMessage{1, "x", Json::object()})); }
            client.close();
            QCoreApplication::processEvents();
        }
        RawClient client(m_path);
        QVERIFY(waitUntil([&] { return ask(client, "x") == "{\"method\":\"x\",\"params\":{}}"; }));
    }

    void clientThatDoesNotReadIsCutOff() {
        int handled = 0;
        start([&](const RequestMessage& request, const IpcServer::Reply& reply) {
            ++handled;
            reply({0, request.method == "much" ? Json(std::string(500'000, 'x')) : Json("little"), std::nullopt});
        });
        RawClient deaf(m_path);
        bool open = true;
        int sent = 0;
        while (open && sent < 200) {
            open = deaf.send(encode(RequestMessage{++sent, "much", Json::object()}));
            QCoreApplication::processEvents();
        }
        QVERIFY2(deaf.waitForClose(), "the server stores without end");
        QVERIFY(handled < 50);
        RawClient good(m_path);
        QCOMPARE(ask(good, "x"), std::string("\"little\""));
    }

    void subscriberThatDoesNotReadIsCutOff() {
        start(echo);
        RawClient deaf(m_path);
        RawClient good(m_path);
        QCOMPARE(ask(deaf, "subscribe"), std::string("{}"));
        QCOMPARE(ask(good, "subscribe"), std::string("{}"));
        constexpr int kEvents = 60;
        for (int i = 0; i < kEvents; ++i) {
            m_server->broadcast({"log", std::string(200'000, 'x')});
            const auto event = parseEvent(good.receive().value_or(core::Frame{}));
            QVERIFY(event.has_value());
            QCOMPARE(event->name, std::string("log"));
        }
        QVERIFY(deaf.waitForClose());
        QVERIFY(m_server->hasSubscribers());
        QCOMPARE(ask(good, "x"), std::string("{\"method\":\"x\",\"params\":{}}"));
    }

    void tooManyClients() {
        start(echo);
        std::vector<std::unique_ptr<RawClient>> clients;
        for (int i = 0; i < 32; ++i) {
            clients.push_back(std::make_unique<RawClient>(m_path));
            QCOMPARE(ask(*clients.back(), "x"), std::string("{\"method\":\"x\",\"params\":{}}"));
        }
        RawClient surplus(m_path);
        QVERIFY(surplus.waitForClose());
        for (auto& client : clients) { QCOMPARE(ask(*client, "y"), std::string("{\"method\":\"y\",\"params\":{}}")); }
        clients.resize(20);
        QVERIFY(waitUntil([&] {
            RawClient again(m_path);
            return ask(again, "z") == "{\"method\":\"z\",\"params\":{}}";
        }));
    }

    void eventsGoToSubscribersOnly() {
        start(echo);
        QVERIFY(!m_server->hasSubscribers());
        m_server->broadcast({"nobody", 1});
        RawClient listening(m_path);
        RawClient other(m_path);
        QCOMPARE(ask(other, "x"), std::string("{\"method\":\"x\",\"params\":{}}"));
        QCOMPARE(ask(listening, "subscribe"), std::string("{}"));
        QVERIFY(m_server->hasSubscribers());
        m_server->broadcast({"state", Json{{"now", "training"}}});
        m_server->broadcast({"state", Json{{"now", "paused"}}});
        for (const char* state : {"training", "paused"}) {
            const auto event = parseEvent(listening.receive().value_or(core::Frame{}));
            QVERIFY(event.has_value());
            QCOMPARE(event->name, std::string("state"));
            QCOMPARE(event->data.at("now").get<std::string>(), std::string(state));
        }
        // The other one sees its answers and nothing else.
        QCOMPARE(ask(other, "y"), std::string("{\"method\":\"y\",\"params\":{}}"));
        // Too long an event reaches nobody and harms nobody.
        m_server->broadcast({"log", std::string(core::kMaxFrameBody, 'x')});
        QCOMPARE(ask(listening, "z"), std::string("{\"method\":\"z\",\"params\":{}}"));
        listening.close();
        QVERIFY(waitUntil([&] { return !m_server->hasSubscribers(); }));
        m_server->broadcast({"nobody", 1});
    }

    /// "quit" may end the server from inside its own handler, with more requests waiting behind it.
    void handlerMayEndTheServer() {
        int handled = 0;
        start([&](const RequestMessage&, const IpcServer::Reply& reply) {
            ++handled;
            reply({0, "bye", std::nullopt});
            m_server.reset();
        });
        RawClient client(m_path);
        core::Bytes all;
        for (int i = 0; i < 5; ++i) {
            const auto one = encode(RequestMessage{i, "quit", Json::object()}).value();
            all.insert(all.end(), one.begin(), one.end());
        }
        QVERIFY(client.send(core::ByteView(all)));
        QVERIFY(client.waitForClose());
        QCOMPARE(handled, 1);
        QVERIFY(!m_server);
    }
};

/// With --client it is a client in a process of its own: it prints the name of the error, or "answered".
int main(int argc, char** argv) {
    const QCoreApplication app(argc, argv);
    if (argc == 3 && std::string_view(argv[1]) == "--client") {
        IpcClient client;
        auto done = client.connect(argv[2], 5000);
        if (done) {
            const auto answer = client.call("status", Json::object(), 5000);
            if (!answer) { done = answer.error(); }
        }
        std::fputs(done ? "answered" : std::string(core::errorName(done.error().code)).c_str(), stdout);
        return 0;
    }
    TstIpcServer test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_ipc_server.moc"
