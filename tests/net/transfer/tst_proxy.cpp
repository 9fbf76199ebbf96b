// SPDX-License-Identifier: Apache-2.0
// The way out through a proxy: set by hand, from the environment, or none.
#include "tests/net/transfer/https_server.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QTcpSocket>
#include <QTest>

using namespace sunloco;
using namespace sunloco::transfer;
using core::ErrorCode;

namespace {

/// A proxy that knows CONNECT only and carries the bytes both ways.
class ConnectProxy : public QTcpServer {
public:
    ConnectProxy() {
        if (!listen(QHostAddress::LocalHost)) { qFatal("no loopback port"); }
    }
    [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(serverPort()); }

    QList<QByteArray> asked;          ///< first lines
    QByteArray lastHead;
    QByteArray refusal;               ///< sent instead of carrying
    qint64 carried = 0;

protected:
    void incomingConnection(qintptr handle) override {
        auto* client = new QTcpSocket(this);
        client->setSocketDescriptor(handle);
        connect(client, &QTcpSocket::disconnected, client, &QObject::deleteLater);
        connect(client, &QTcpSocket::readyRead, this, [this, client] {
            if (auto* onward = client->findChild<QTcpSocket*>()) {
                const QByteArray bytes = client->readAll();
                carried += bytes.size();
                onward->write(bytes);
                return;
            }
            const QByteArray head = client->property("head").toByteArray() + client->readAll();
            client->setProperty("head", head);
            if (!head.contains("\r\n\r\n")) { return; }
            lastHead = head;
            const QByteArray line = head.left(head.indexOf('\r'));
            asked.append(line);
            const QList<QByteArray> words = line.split(' ');
            if (!refusal.isEmpty() || words.value(0) != "CONNECT") {
                client->write(refusal.isEmpty() ? QByteArray("HTTP/1.1 405 No\r\nContent-Length: 0\r\n\r\n") : refusal);
                client->disconnectFromHost();
                return;
            }
            auto* onward = new QTcpSocket(client);
            connect(onward, &QTcpSocket::connected, client, [client] { client->write("HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n"); });
            connect(onward, &QTcpSocket::readyRead, client, [client, onward] { client->write(onward->readAll()); });
            connect(onward, &QTcpSocket::disconnected, client, [client] { client->disconnectFromHost(); });
            const qsizetype colon = words.value(1).lastIndexOf(':');
            onward->connectToHost(QString::fromLatin1(words.value(1).left(colon)), static_cast<quint16>(words.value(1).mid(colon + 1).toInt()));
        });
    }
};

Request ask(const HttpsServer& server) {
    Request request;
    request.url = server.url("/v1/status");
    request.trust.pinBase64 = server.pin();
    request.expectedType = "application/json";
    return request;
}

TransferOptions through(const ConnectProxy& proxy) {
    TransferOptions options = Rig::quick();
    options.proxy = {ProxySetting::Kind::Manual, proxy.url()};
    return options;
}

void answer(const HttpRequest&, const HttpReply& reply) { reply.respond(200, "application/json", "{}"); }

}  // namespace

class TstProxy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // The environment is curl's; no transfer thread runs while it changes.
    void init() {
        for (const char* name : {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"}) { qunsetenv(name); }
    }
    void cleanup() { init(); }

    void byHand() {
        HttpsServer server(answer);
        ConnectProxy proxy;
        Rig rig(through(proxy));
        const Outcome outcome = rig.run(ask(server));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(proxy.asked, QList<QByteArray>{"CONNECT 127.0.0.1:" + QByteArray::number(server.serverPort()) + " HTTP/1.1"});
        QVERIFY(proxy.carried > 0);
        // What the proxy says about the tunnel is not the server's.
        QCOMPARE(outcome.response->status, 200);
        QVERIFY(!outcome.response->headers.contains("x-proxy"));
    }

    /// Our headers are for the server: the proxy sees neither keys nor paths.
    void secretsStayInTheTunnel() {
        HttpsServer server(answer);
        ConnectProxy proxy;
        Rig rig(through(proxy));
        Request request = ask(server);
        request.headers = {{"Authorization", "Bearer secret"}};
        QCOMPARE(failureText(rig.run(request)), std::string("none"));
        QVERIFY2(!proxy.lastHead.contains("secret"), proxy.lastHead.constData());
        QVERIFY(!proxy.lastHead.contains("status"));
        QCOMPARE(server.requests().last().headers.value("authorization"), QByteArray("Bearer secret"));
    }

    void downloadAndUploadThroughIt() {
        const QByteArray content = noise(700'000);
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.method == "PUT") {
                reply.respond(201, "application/json", "{}");
            } else {
                reply.respond(200, "application/octet-stream", content);
            }
        });
        ConnectProxy proxy;
        Rig rig(through(proxy));
        Request request = ask(server);
        request.expectedType.clear();
        request.target = FileTarget{rig.path("object"), digestOf(content), 700'000};
        QCOMPARE(failureText(rig.run(request)), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
        request.target.reset();
        request.method = "PUT";
        request.file = FileRange{rig.path("object"), 100, 600'000};
        QCOMPARE(failureText(rig.run(request)), std::string("none"));
        QVERIFY(server.requests().last().body == content.mid(100, 600'000));
        QVERIFY(!proxy.asked.isEmpty());
    }

    /// The pin is the server's also behind a proxy.
    void pinHoldsBehindAProxy() {
        HttpsServer server(answer);
        ConnectProxy proxy;
        Rig rig(through(proxy));
        Request request = ask(server);
        request.trust.pinBase64 = ServerIdentity::make().pinBase64;
        const Outcome outcome = rig.run(request);
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QVERIFY(server.requests().isEmpty());
    }

    void refusingProxies_data() {
        QTest::addColumn<QByteArray>("refusal");
        QTest::newRow("password wanted") << QByteArray("HTTP/1.1 407 Who are you?\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n");
        QTest::newRow("forbidden, as JSON") << QByteArray("HTTP/1.1 403 No\r\nContent-Type: application/problem+json\r\nContent-Length: 26\r\n\r\n{\"code\":\"no\",\"title\":\"no\"}");
        QTest::newRow("a page") << QByteArray("HTTP/1.1 503 No\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>");
        QTest::newRow("rubbish") << QByteArray("rubbish\r\n\r\n");
    }
    /// A refusal of the proxy is never taken for one of the server.
    void refusingProxies() {
        QFETCH(QByteArray, refusal);
        HttpsServer server(answer);
        ConnectProxy proxy;
        proxy.refusal = refusal;
        Rig rig(through(proxy));
        const Outcome outcome = rig.run(ask(server));
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QVERIFY(QByteArray::fromStdString(failureText(outcome)).toLower().contains("proxy"));
        QVERIFY(server.requests().isEmpty());
    }

    void proxyThatIsNotThere() {
        HttpsServer server(answer);
        TransferOptions options = Rig::quick();
        {
            ConnectProxy gone;
            options = through(gone);
        }
        Rig rig(options);
        const Outcome outcome = rig.run(ask(server));
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QVERIFY2(QByteArray::fromStdString(failureText(outcome)).contains("proxy"), failureText(outcome).c_str());
        QVERIFY(server.requests().isEmpty());
    }

    void settingCanChangeWhileRunning() {
        HttpsServer server(answer);
        ConnectProxy first;
        ConnectProxy second;
        Rig rig;
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        QVERIFY(first.asked.isEmpty());
        rig.transfers().setProxy({ProxySetting::Kind::Manual, first.url()});
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        QCOMPARE(first.asked.size(), 1);
        rig.transfers().setProxy({ProxySetting::Kind::Manual, second.url()});
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        QCOMPARE(second.asked.size(), 1);
        rig.transfers().setProxy({ProxySetting::Kind::None, {}});
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        QCOMPARE(first.asked.size() + second.asked.size(), 2);
        QCOMPARE(server.requests().size(), 4);
    }

    void fromTheEnvironment() {
        HttpsServer server(answer);
        ConnectProxy proxy;
        qputenv("https_proxy", QByteArray::fromStdString(proxy.url()));
        TransferOptions options = Rig::quick();
        options.proxy.kind = ProxySetting::Kind::System;
        {
            Rig rig(options);
            QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
            QCOMPARE(proxy.asked.size(), 1);
        }
        // no_proxy names the hosts that are reached directly.
        qputenv("no_proxy", "example.org,127.0.0.1");
        {
            Rig rig(options);
            QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
            QCOMPARE(proxy.asked.size(), 1);
        }
        qputenv("no_proxy", "example.org");
        {
            Rig rig(options);
            QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
            QCOMPARE(proxy.asked.size(), 2);
        }
    }

    /// Who says "none" gets none, and who names one gets that one, whatever the environment says.
    void environmentDoesNotOverruleThePerson() {
        HttpsServer server(answer);
        ConnectProxy fromEnvironment;
        ConnectProxy chosen;
        qputenv("https_proxy", QByteArray::fromStdString(fromEnvironment.url()));
        qputenv("all_proxy", QByteArray::fromStdString(fromEnvironment.url()));
        qputenv("no_proxy", "*");
        {
            Rig rig;  // none
            QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        }
        qputenv("no_proxy", "");
        {
            Rig rig;  // none
            QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        }
        qputenv("no_proxy", "127.0.0.1");
        {
            Rig rig(through(chosen));
            QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
            QCOMPARE(chosen.asked.size(), 1);
        }
        QVERIFY(fromEnvironment.asked.isEmpty());
    }
};

QTEST_GUILESS_MAIN(TstProxy)
#include "tst_proxy.moc"
