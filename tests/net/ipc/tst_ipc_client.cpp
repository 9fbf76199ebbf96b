// SPDX-License-Identifier: Apache-2.0
// sunloco-ctl's end of the local socket, blocking on a thread of its own, against a real server and broken ones.
#include "tests/net/ipc/ipc_rig.h"

#include <QFile>
#include <QLocalServer>
#include <QLocalSocket>
#include <QTimer>

#include <atomic>

using namespace sunloco;
using namespace sunloco::ipc;
using core::Error;
using core::ErrorCode;
using core::Json;

namespace {

/// What a call came to, as text: the result or the error's name.
std::string textOf(const core::Result<Json>& result) { return result ? result->dump() : std::string(core::errorName(result.error().code)); }

core::Bytes frameOf(std::uint16_t type, const std::string& body) { return core::encodeFrame({type, body}).value(); }

QByteArray asQt(const core::Bytes& bytes) { return QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())); }

}  // namespace

class TstIpcClient : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_path;

    /// Connects, calls once and yields the outcome.
    std::string callOnce(const std::string& method, const Json& params = Json::object(), int timeoutMs = 10'000) {
        return elsewhere([path = m_path, method, params, timeoutMs] {
            IpcClient client;
            if (const auto connected = client.connect(path, 5000); !connected) { return "connect: " + std::string(core::errorName(connected.error().code)); }
            return textOf(client.call(method, params, timeoutMs));
        });
    }

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->path().toStdString() + "/agent.sock";
    }

    void requestAndResponse() {
        IpcServer server([](const RequestMessage& request, const IpcServer::Reply& reply) { reply({0, Json{{"method", request.method}, {"params", request.params}}, std::nullopt}); }, nullptr);
        QVERIFY(server.listen(m_path));
        QCOMPARE(callOnce("config.get", Json{{"key", "a.b"}}), std::string("{\"method\":\"config.get\",\"params\":{\"key\":\"a.b\"}}"));
        // Large ones in both directions.
        const std::string large(900'000, 'x');
        const Json wanted{{"method", "m"}, {"params", Json{{"x", large}}}};
        QVERIFY(callOnce("m", Json{{"x", large}}) == wanted.dump());
        // One that fits no frame is refused here, and the connection still works.
        const auto [refused, next] = elsewhere([path = m_path] {
            IpcClient client;
            (void)client.connect(path, 5000);
            const std::string first = textOf(client.call("m", Json{{"x", std::string(2'000'000, 'x')}}, 5000));
            return std::pair(first, textOf(client.call("n", Json::object(), 5000)));
        });
        QCOMPARE(refused, std::string("limit-exceeded"));
        QCOMPARE(next, std::string("{\"method\":\"n\",\"params\":{}}"));
    }

    void manyCallsOnOneConnection() {
        IpcServer server([](const RequestMessage& request, const IpcServer::Reply& reply) { reply({0, request.params, std::nullopt}); }, nullptr);
        QVERIFY(server.listen(m_path));
        const int right = elsewhere([path = m_path] {
            IpcClient client;
            int count = 0;
            if (!client.connect(path, 5000)) { return count; }
            for (int i = 0; i < 300; ++i) {
                const auto answer = client.call("n", Json{{"i", i}}, 5000);
                if (answer && answer->at("i") == i) { ++count; }
            }
            return count;
        });
        QCOMPARE(right, 300);
    }

    void severalClientsAtOnce() {
        std::vector<std::pair<IpcServer::Reply, Json>> waiting;
        IpcServer server([&](const RequestMessage& request, IpcServer::Reply reply) {
            waiting.emplace_back(std::move(reply), request.params);
            if (waiting.size() < 6) { return; }
            // All six wait: they are answered the other way round.
            for (auto one = waiting.rbegin(); one != waiting.rend(); ++one) { one->first({0, one->second, std::nullopt}); }
            waiting.clear();
        }, nullptr);
        QVERIFY(server.listen(m_path));
        std::vector<std::thread> threads;
        std::atomic<int> done{0};
        std::atomic<int> right{0};
        for (int i = 0; i < 6; ++i) {
            threads.emplace_back([path = m_path, i, &done, &right] {
                IpcClient client;
                if (client.connect(path, 5000)) {
                    for (int round = 0; round < 20; ++round) {
                        const auto answer = client.call("n", Json{{"me", i}, {"round", round}}, 15'000);
                        if (answer && *answer == Json{{"me", i}, {"round", round}}) { ++right; }
                    }
                }
                ++done;
            });
        }
        const bool ended = waitUntil([&] { return done == 6; });
        for (std::thread& thread : threads) { thread.join(); }
        QVERIFY(ended);
        QCOMPARE(right.load(), 120);
    }

    void errorCodesComeBack() {
        IpcServer server([](const RequestMessage& request, const IpcServer::Reply& reply) { reply({0, {}, Refusal{request.method, "no, because of " + request.method}}); }, nullptr);
        QVERIFY(server.listen(m_path));
        const std::vector<std::string> wrong = elsewhere([path = m_path] {
            std::vector<std::string> problems;
            IpcClient client;
            if (!client.connect(path, 5000)) { return std::vector<std::string>{"connect"}; }
            for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
                const auto code = static_cast<ErrorCode>(i);
                const std::string name(core::errorName(code));
                const auto answer = client.call(name, Json::object(), 5000);
                if (answer || answer.error().code != code || answer.error().message != "no, because of " + name || answer.error().context != name) { problems.push_back(name); }
            }
            const auto answer = client.call("invite-required", Json::object(), 5000);
            if (answer || answer.error().code != ErrorCode::Conflict || answer.error().context != "invite-required") { problems.push_back("a server's code"); }
            return problems;
        });
        QCOMPARE(wrong, std::vector<std::string>{});
    }

    void answersThatAreTooLongAreALimit() {
        IpcServer server([](const RequestMessage&, const IpcServer::Reply& reply) { reply({0, std::string(core::kMaxFrameBody, 'x'), std::nullopt}); }, nullptr);
        QVERIFY(server.listen(m_path));
        QCOMPARE(callOnce("log"), std::string("limit-exceeded"));
    }

    void lateReply() {
        IpcServer server([this](const RequestMessage&, const IpcServer::Reply& reply) { QTimer::singleShot(300, this, [reply] { reply({0, "late", std::nullopt}); }); }, nullptr);
        QVERIFY(server.listen(m_path));
        QCOMPARE(callOnce("x"), std::string("\"late\""));
    }

    /// A call that ran out of time does not confuse the next one with its late answer.
    void answerAfterTheTimeout() {
        IpcServer::Reply slow;
        IpcServer server([&](const RequestMessage& request, IpcServer::Reply reply) {
            if (request.method == "slow") {
                slow = std::move(reply);
            } else {
                slow({0, "slow", std::nullopt});
                reply({0, "quick", std::nullopt});
            }
        }, nullptr);
        QVERIFY(server.listen(m_path));
        const auto [first, second] = elsewhere([path = m_path] {
            IpcClient client;
            (void)client.connect(path, 5000);
            const std::string timedOut = textOf(client.call("slow", Json::object(), 100));
            return std::pair(timedOut, textOf(client.call("quick", Json::object(), 10'000)));
        });
        QCOMPARE(first, std::string("timeout"));
        QCOMPARE(second, std::string("\"quick\""));
    }

    void nobodyListens() {
        QCOMPARE(callOnce("x"), std::string("connect: not-found"));
        m_path = m_folder->path().toStdString() + "/no/such/folder/agent.sock";
        QCOMPARE(callOnce("x"), std::string("connect: not-found"));
        m_path = m_folder->path().toStdString() + "/" + std::string(200, 'x');
        QCOMPARE(callOnce("x"), std::string("connect: not-found"));
        const std::string unconnected = elsewhere([] {
            IpcClient client;
            return textOf(client.call("x", Json::object(), 1000));
        });
        QCOMPARE(unconnected, std::string("not-found"));
    }

    void leftSocketOfADeadAgent() {
        {
            QLocalServer dead;
            dead.setSocketOptions(QLocalServer::UserAccessOption);
            QVERIFY(dead.listen(QString::fromStdString(m_path)));
            QVERIFY(QFile::rename(QString::fromStdString(m_path), QString::fromStdString(m_path + ".left")));
        }
        m_path += ".left";
        QVERIFY(QFile::exists(QString::fromStdString(m_path)));
        QCOMPARE(callOnce("x"), std::string("connect: not-found"));
    }

    void brokenServers_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<bool>("close");
        QTest::addColumn<QByteArray>("wanted");
        QTest::newRow("closes at once") << QByteArray() << true << QByteArray("not-found");
        QTest::newRow("never answers") << QByteArray() << false << QByteArray("timeout");
        QTest::newRow("half an answer, then closes") << asQt(frameOf(2, "{\"id\":1,\"result\":{}}")).chopped(3) << true << QByteArray("not-found");
        QTest::newRow("half an answer, then nothing") << asQt(frameOf(2, "{\"id\":1,\"result\":{}}")).chopped(3) << false << QByteArray("timeout");
        QTest::newRow("a whole answer, then closes") << asQt(frameOf(2, "{\"id\":1,\"result\":{}}")) << true << QByteArray("{}");
        QTest::newRow("another's answer") << asQt(frameOf(2, "{\"id\":5,\"result\":{}}")) << false << QByteArray("timeout");
        QTest::newRow("another's answer, then ours") << asQt(frameOf(2, "{\"id\":5,\"result\":5}")) + asQt(frameOf(2, "{\"id\":1,\"result\":1}")) << false << QByteArray("1");
        QTest::newRow("an event first") << asQt(frameOf(3, "{\"name\":\"x\"}")) + asQt(frameOf(2, "{\"id\":1,\"result\":1}")) << false << QByteArray("1");
        QTest::newRow("rubbish") << QByteArray("HTTP/1.1 200 OK\r\n\r\n") << false << QByteArray("limit-exceeded");
        QTest::newRow("no JSON") << asQt(frameOf(2, "hello")) << false << QByteArray("invalid-data");
        QTest::newRow("unknown type") << asQt(frameOf(8, "{\"id\":1,\"result\":1}")) << false << QByteArray("invalid-data");
        QTest::newRow("error without words") << asQt(frameOf(2, "{\"id\":1,\"error\":{}}")) << false << QByteArray("invalid-data");
    }
    void brokenServers() {
        QFETCH(QByteArray, bytes);
        QFETCH(bool, close);
        QFETCH(QByteArray, wanted);
        QLocalServer server;
        QVERIFY(server.listen(QString::fromStdString(m_path)));
        connect(&server, &QLocalServer::newConnection, this, [&] {
            QLocalSocket* socket = server.nextPendingConnection();
            connect(socket, &QLocalSocket::readyRead, socket, [socket, &bytes, &close] {
                socket->readAll();
                socket->write(bytes);
                socket->flush();
                if (close) { socket->disconnectFromServer(); }
            });
        });
        QCOMPARE(callOnce("x", Json::object(), wanted == "timeout" ? 500 : 10'000), wanted.toStdString());
    }

    /// Events that never stop do not keep a call from running out of time.
    void timeoutInAStreamOfEvents() {
        QLocalServer server;
        QVERIFY(server.listen(QString::fromStdString(m_path)));
        const QByteArray events = asQt(frameOf(3, "{\"name\":\"log\",\"data\":\"a line\"}")).repeated(2000);
        connect(&server, &QLocalServer::newConnection, this, [&] {
            QLocalSocket* socket = server.nextPendingConnection();
            const auto pour = [socket, &events] {
                if (socket->state() == QLocalSocket::ConnectedState && socket->bytesToWrite() < events.size()) { socket->write(events); }
            };
            connect(socket, &QLocalSocket::readyRead, socket, [socket, pour] {
                socket->readAll();
                pour();
            });
            connect(socket, &QLocalSocket::bytesWritten, socket, pour);
        });
        QCOMPARE(callOnce("never answered", Json::object(), 300), std::string("timeout"));
    }

    /// Half a frame of an agent that died must not begin the conversation with the next one.
    void connectsAgainAfterABreak() {
        auto broken = std::make_unique<QLocalServer>();
        QVERIFY(broken->listen(QString::fromStdString(m_path)));
        connect(broken.get(), &QLocalServer::newConnection, this, [&] {
            QLocalSocket* socket = broken->nextPendingConnection();
            connect(socket, &QLocalSocket::readyRead, socket, [socket] {
                socket->write(asQt(frameOf(2, "{\"id\":1,\"result\":{}}")).chopped(5));
                socket->flush();
                socket->disconnectFromServer();
            });
        });
        IpcServer good([](const RequestMessage&, const IpcServer::Reply& reply) { reply({0, "good", std::nullopt}); }, nullptr);
        const std::string otherPath = m_path + "2";
        QVERIFY(good.listen(otherPath));
        const auto [first, second] = elsewhere([path = m_path, otherPath] {
            IpcClient client;
            (void)client.connect(path, 5000);
            const std::string broke = textOf(client.call("x", Json::object(), 5000));
            if (!client.connect(otherPath, 5000)) { return std::pair(broke, std::string("no connection")); }
            return std::pair(broke, textOf(client.call("x", Json::object(), 5000)));
        });
        QCOMPARE(first, std::string("not-found"));
        QCOMPARE(second, std::string("\"good\""));
    }

    void followsUntilTheServerGoes() {
        auto server = std::make_unique<IpcServer>([](const RequestMessage&, const IpcServer::Reply& reply) { reply({0, Json(), std::nullopt}); }, nullptr);
        QVERIFY(server->listen(m_path));
        std::atomic<int> seen{0};
        std::atomic<bool> ended{false};
        std::string outcome;
        std::vector<std::string> names;
        std::thread thread([&, path = m_path] {
            IpcClient client;
            if (const auto connected = client.connect(path, 5000); !connected) {
                outcome = connected.error().text();
            } else {
                const auto followed = client.follow([&](const EventMessage& event) {
                    names.push_back(event.name + event.data.dump());
                    ++seen;
                }, [] { return true; });
                outcome = followed ? "ended well" : followed.error().text();
            }
            ended = true;
        });
        bool right = waitUntil([&] { return server->hasSubscribers() || ended; });
        for (int i = 0; i < 100; ++i) { server->broadcast({"state", i}); }
        right = right && waitUntil([&] { return seen == 100 || ended; });
        server.reset();
        right = right && waitUntil([&] { return ended.load(); });
        thread.join();
        QVERIFY(right);
        QCOMPARE(outcome, std::string("ended well"));
        QCOMPARE(names.size(), std::size_t{100});
        for (int i = 0; i < 100; ++i) { QCOMPARE(names.at(static_cast<std::size_t>(i)), "state" + std::to_string(i)); }
    }

    void followsUntilThePersonStops() {
        IpcServer server([](const RequestMessage&, const IpcServer::Reply& reply) { reply({0, Json(), std::nullopt}); }, nullptr);
        QVERIFY(server.listen(m_path));
        std::atomic<bool> go{true};
        std::atomic<bool> ended{false};
        std::thread thread([&, path = m_path] {
            IpcClient client;
            if (client.connect(path, 5000)) { (void)client.follow([](const EventMessage&) {}, [&] { return go.load(); }); }
            ended = true;
        });
        const bool subscribed = waitUntil([&] { return server.hasSubscribers(); });
        go = false;  // no event comes, it stops all the same
        const bool stopped = waitUntil([&] { return ended.load() && !server.hasSubscribers(); });
        thread.join();
        QVERIFY(subscribed);
        QVERIFY(stopped);
    }

    void followWithoutAServer() {
        const std::string outcome = elsewhere([] {
            IpcClient client;
            const auto followed = client.follow([](const EventMessage&) {}, [] { return true; });
            return followed ? std::string("ended well") : std::string(core::errorName(followed.error().code));
        });
        QCOMPARE(outcome, std::string("not-found"));
    }
};

QTEST_GUILESS_MAIN(TstIpcClient)
#include "tst_ipc_client.moc"
