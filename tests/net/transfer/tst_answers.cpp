// SPDX-License-Identifier: Apache-2.0
// Whom we believe: pins, portals, redirects, problem documents, limits, slow and broken servers.
#include "net/transfer/retry_policy.h"
#include "tests/net/transfer/https_server.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QTcpSocket>
#include <QTest>

using namespace sunloco;
using namespace sunloco::transfer;
using core::ErrorCode;

namespace {

Request ask(const HttpsServer& server, const std::string& path = "/v1/status") {
    Request request;
    request.url = server.url(path);
    request.trust.pinBase64 = server.pin();
    request.expectedType = "application/json";
    return request;
}

HttpsServer::Handler always(int status, const QByteArray& type, const QByteArray& body, const QList<QByteArray>& headers = {}) {
    return [=](const HttpRequest&, const HttpReply& reply) { reply.respond(status, type, body, headers); };
}

bool says(const Outcome& outcome, const char* words) { return QByteArray::fromStdString(failureText(outcome)).contains(words); }

}  // namespace

class TstAnswers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rightPinIsAccepted() {
        HttpsServer server(always(200, "application/json; charset=utf-8", "{\"round\":1}", {"X-One: 1", "x-two:  2"}));
        Rig rig;
        Request request = ask(server, "/v1/status?a=b");
        request.headers = {{"X-Mine", "yes"}};
        const Outcome outcome = rig.run(request);
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(outcome.response->body, std::string("{\"round\":1}"));
        QCOMPARE(outcome.response->headers.at("x-one"), std::string("1"));
        QCOMPARE(outcome.response->headers.at("x-two"), std::string("2"));
        QCOMPARE(server.requests().first().target, QByteArray("/v1/status?a=b"));
        QCOMPARE(server.requests().first().headers.value("x-mine"), QByteArray("yes"));
        QCOMPARE(server.requests().first().headers.value("user-agent"), QByteArray("SunLoCo"));
    }

    void wrongPinsAreRefused_data() {
        QTest::addColumn<std::string>("pin");
        QTest::newRow("of another key") << ServerIdentity::make().pinBase64;
        QTest::newRow("not a pin") << std::string("rubbish");
        QTest::newRow("none, and no authority knows the certificate") << std::string();
    }
    void wrongPinsAreRefused() {
        QFETCH(std::string, pin);
        HttpsServer server(always(200, "application/json", "{}"));
        Rig rig;
        Request request = ask(server);
        request.trust.pinBase64 = pin;
        request.headers = {{"Authorization", "Bearer secret"}};
        const Outcome outcome = rig.run(request);
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QVERIFY2(says(outcome, "sign-in page"), failureText(outcome).c_str());
        QVERIFY(server.requests().isEmpty());
        QVERIFY(classify(outcome) == Verdict::Retry);
    }

    /// The pin decides for each connection: an open one to the same address is not used for another pin.
    void openConnectionDoesNotVouchForAnotherPin() {
        HttpsServer server(always(200, "application/json", "{}"));
        Rig rig;
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        Request other = ask(server);
        other.trust.pinBase64 = ServerIdentity::make().pinBase64;
        QVERIFY(failedWith(rig.run(other), ErrorCode::Network));
        other.trust.pinBase64.clear();
        QVERIFY(failedWith(rig.run(other), ErrorCode::Network));
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
    }

    void onlyHttps_data() {
        QTest::addColumn<QByteArray>("scheme");
        for (const char* scheme : {"http", "HTTP", "ftp", "file", "gopher", ""}) { QTest::newRow(*scheme ? scheme : "none") << QByteArray(scheme); }
    }
    void onlyHttps() {
        QFETCH(QByteArray, scheme);
        QTcpServer plain;
        QVERIFY(plain.listen(QHostAddress::LocalHost));
        bool asked = false;
        connect(&plain, &QTcpServer::newConnection, this, [&] { asked = true; });
        Rig rig;
        Request request;
        request.url = (scheme.isEmpty() ? QByteArray() : QByteArray(scheme + "://")).toStdString() + "127.0.0.1:" + std::to_string(plain.serverPort()) + "/";
        const Outcome outcome = rig.run(request);
        QVERIFY2(failedWith(outcome, ErrorCode::InvalidArgument), failureText(outcome).c_str());
        QVERIFY(classify(outcome) == Verdict::GiveUp);
        QTest::qWait(20);
        QVERIFY(!asked);
    }

    void addressesThatAreNone() {
        Rig rig;
        for (const char* url : {"https://", "https:///x", "https://127.0.0.1:999999/", "https://a b/"}) {
            Request request;
            request.url = url;
            const Outcome outcome = rig.run(request);
            QVERIFY2(outcome.failure && !outcome.response, url);
        }
    }

    void captivePortal_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<qsizetype>("size");
        QTest::newRow("page") << 200 << QByteArray("text/html") << qsizetype{80};
        QTest::newRow("page in capitals") << 200 << QByteArray("TEXT/HTML; charset=UTF-8") << qsizetype{80};
        QTest::newRow("page larger than any answer") << 200 << QByteArray("text/html") << qsizetype{3'000'000};
        QTest::newRow("without a type") << 200 << QByteArray() << qsizetype{80};
        QTest::newRow("redirect to it") << 302 << QByteArray("text/html") << qsizetype{80};
        QTest::newRow("511") << 511 << QByteArray("text/html") << qsizetype{80};
    }
    void captivePortal() {
        QFETCH(int, status);
        QFETCH(QByteArray, type);
        QFETCH(qsizetype, size);
        HttpsServer server(always(status, type, "<html>Welcome to the hotel" + QByteArray(size, ' ')));
        Rig rig;
        const Outcome outcome = rig.run(ask(server));
        QVERIFY2(outcome.failure && !outcome.response, "a portal's page was taken for an answer");
        QVERIFY(classify(outcome) == Verdict::Retry);
        if (status < 400) {
            QCOMPARE(outcome.failure->error.code, ErrorCode::Network);
            QVERIFY2(says(outcome, "sign-in page"), failureText(outcome).c_str());
        }
    }

    void jsonOfAnySpellingIsJson() {
        HttpsServer server(always(200, "Application/JSON", "{}"));
        Rig rig;
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
    }

    void redirectsAreNotFollowed() {
        HttpsServer elsewhere(always(200, "application/json", "{}"));
        Rig rig;
        for (const int status : {301, 302, 303, 307, 308}) {
            HttpsServer server(always(status, "text/html", "", {"Location: " + QByteArray::fromStdString(elsewhere.url("/stolen"))}));
            Request request = ask(server);
            request.method = "POST";
            request.body = "secret";
            request.headers = {{"Authorization", "Bearer secret"}};
            const Outcome outcome = rig.run(request);
            QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
            QVERIFY2(says(outcome, "redirect"), failureText(outcome).c_str());
        }
        QCOMPARE(elsewhere.connections(), 0);
    }

    void problemDocuments() {
        HttpsServer server(always(409, "application/problem+json", "{\"type\":\"about:blank\",\"title\":\"No work\",\"status\":409,\"code\":\"round-closing\",\"detail\":\"wait\",\"retry_after_ms\":2500}"));
        Rig rig;
        const Outcome outcome = rig.run(ask(server));
        QVERIFY(outcome.response.has_value());
        QVERIFY(!outcome.failure);
        QVERIFY(!outcome.response->ok());
        QCOMPARE(outcome.response->status, 409);
        QCOMPARE(outcome.response->problem->code, std::string("round-closing"));
        QCOMPARE(outcome.response->problem->retryAfterMs.value(), 2500);
        QCOMPARE(outcome.response->retryAfterMs.value(), 2500);
        // The longer of the two waits counts.
        server.setHandler(always(429, "Application/Problem+JSON; charset=utf-8", "{\"code\":\"too-many\",\"title\":\"x\",\"retry_after_ms\":2500}", {"Retry-After: 60"}));
        const Outcome slower = rig.run(ask(server));
        QVERIFY(slower.response.has_value());
        QCOMPARE(slower.response->retryAfterMs.value(), 60'000);
        QVERIFY(classify(slower) == Verdict::Retry);
    }

    void retryAfterAsDateOverTheWire() {
        const QDateTime when = QDateTime::currentDateTimeUtc().addSecs(3600);
        const QByteArray date = QLocale::c().toString(when, QStringLiteral("ddd, dd MMM yyyy HH:mm:ss")).toLatin1() + " GMT";
        HttpsServer server(always(503, "text/plain", "down", {"Retry-After: " + date}));
        Rig rig;
        const Outcome outcome = rig.run(ask(server));
        QVERIFY2(failedWith(outcome, ErrorCode::ServerError), failureText(outcome).c_str());
        QVERIFY(outcome.failure->retryAfterMs.has_value());
        QVERIFY(*outcome.failure->retryAfterMs > 3'000'000 && *outcome.failure->retryAfterMs <= 3'600'000);
    }

    /// Errors without a problem document came from something on the way.
    void errorsOfOthers() {
        Rig rig;
        const QList<std::pair<int, ErrorCode>> rows{{400, ErrorCode::Network}, {401, ErrorCode::Network}, {403, ErrorCode::Network}, {404, ErrorCode::Network},
                                                    {429, ErrorCode::TooManyRequests}, {500, ErrorCode::ServerError}, {502, ErrorCode::ServerError}, {504, ErrorCode::ServerError}};
        for (const auto& [status, code] : rows) {
            for (const char* type : {"text/html", "application/json", "application/problem+json"}) {
                HttpsServer server(always(status, type, "Forbidden by the proxy"));
                const Outcome outcome = rig.run(ask(server));
                QVERIFY2(failedWith(outcome, code), failureText(outcome).c_str());
                QVERIFY(classify(outcome) == Verdict::Retry);
            }
        }
    }

    void unauthorized() {
        Rig rig;
        HttpsServer server(always(401, "application/problem+json", "{\"code\":\"clock-skew\",\"title\":\"The clock is wrong\",\"status\":401}", {"SunLoCo-Time: 1736942400000"}));
        const Outcome skew = rig.run(ask(server));
        QVERIFY(skew.response.has_value());
        QCOMPARE(skew.response->status, 401);
        QCOMPARE(skew.response->headers.at("sunloco-time"), std::string("1736942400000"));
        QVERIFY(classify(skew) == Verdict::ResignNow);
        server.setHandler(always(401, "application/problem+json", "{\"code\":\"unknown-device\",\"title\":\"Who?\",\"status\":401}"));
        QVERIFY(classify(rig.run(ask(server))) == Verdict::GiveUp);
    }

    void answersHaveALimit() {
        Rig rig;
        HttpsServer server([](const HttpRequest& request, const HttpReply& reply) {
            const QByteArray body(request.target.endsWith("fits") ? 100'000 : 100'001, 'x');
            if (request.target.startsWith("/told")) {
                reply.respond(200, "application/json", body);
            } else {
                reply.raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + body);
                reply.close();
            }
        });
        for (const char* way : {"/told/", "/untold/"}) {
            Request request = ask(server, std::string(way) + "fits");
            request.maxBytes = 100'000;
            const Outcome fits = rig.run(request);
            QCOMPARE(failureText(fits), std::string("none"));
            QCOMPARE(fits.response->body.size(), std::size_t{100'000});
            request.url = server.url(std::string(way) + "more");
            const Outcome more = rig.run(request);
            QVERIFY2(failedWith(more, ErrorCode::LimitExceeded), failureText(more).c_str());
        }
        // An error's text has its own, smaller one.
        server.setHandler([](const HttpRequest&, const HttpReply& reply) {
            reply.raw("HTTP/1.1 500 No\r\nContent-Type: application/problem+json\r\nConnection: close\r\n\r\n{\"code\":\"x\",\"title\":\"" + QByteArray(200'000, 'x') + "\"}");
            reply.close();
        });
        QVERIFY(rig.run(ask(server)).failure.has_value());
    }

    void interimAnswersAreSkipped() {
        HttpsServer server([](const HttpRequest&, const HttpReply& reply) {
            reply.raw("HTTP/1.1 103 Early\r\nX-Early: yes\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
        });
        Rig rig;
        const Outcome outcome = rig.run(ask(server));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(outcome.response->status, 200);
        QVERIFY(!outcome.response->headers.contains("x-early"));
    }

    void brokenServers_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("rubbish") << QByteArray("\x00\x01 what?\r\n\r\n", 13);
        QTest::newRow("ends in the headers") << QByteArray("HTTP/1.1 200 OK\r\nContent-Ty");
        QTest::newRow("wrong length") << QByteArray("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: -5\r\n\r\n{}");
        QTest::newRow("ends in the body") << QByteArray("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{}");
        QTest::newRow("bad chunk") << QByteArray("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}");
        QTest::newRow("headers without end") << QByteArray("HTTP/1.1 200 OK\r\n" + QByteArray("X-Long: " + QByteArray(4000, 'x') + "\r\n").repeated(200));
    }
    void brokenServers() {
        QFETCH(QByteArray, bytes);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            reply.raw(bytes);
            reply.close();
        });
        Rig rig;
        const Outcome outcome = rig.run(ask(server));
        QVERIFY(outcome.failure && !outcome.response);
        QVERIFY2(!outcome.failure->error.message.empty(), "a failure without words");
        server.setHandler(always(200, "application/json", "{}"));
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
    }

    void nobodyThere() {
        QTcpServer closed;
        QVERIFY(closed.listen(QHostAddress::LocalHost));
        const quint16 port = closed.serverPort();
        closed.close();
        Rig rig;
        Request request;
        request.url = "https://127.0.0.1:" + std::to_string(port) + "/v1/status?token=secret";
        const Outcome outcome = rig.run(request);
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QVERIFY(says(outcome, "/v1/status"));
        QVERIFY(!says(outcome, "secret"));
    }

    void slowServerIsGivenUp_data() {
        QTest::addColumn<QByteArray>("beginning");
        QTest::newRow("no answer") << QByteArray();
        QTest::newRow("stops in the body") << QByteArray("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{");
    }
    void slowServerIsGivenUp() {
        QFETCH(QByteArray, beginning);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) { reply.raw(beginning); });
        TransferOptions options = Rig::quick();
        options.lowSpeedSeconds = 1;
        Rig rig(options);
        const Outcome outcome = rig.run(ask(server));
        QVERIFY2(failedWith(outcome, ErrorCode::Timeout), failureText(outcome).c_str());
        QVERIFY(classify(outcome) == Verdict::Retry);
    }

    /// A server that takes the connection and never says a word of TLS.
    void silentServerIsGivenUp() {
        QTcpServer silent;
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        TransferOptions options = Rig::quick();
        options.connectTimeoutSeconds = 1;
        Rig rig(options);
        Request request;
        request.url = "https://127.0.0.1:" + std::to_string(silent.serverPort()) + "/";
        const Outcome outcome = rig.run(request);
        QVERIFY2(failedWith(outcome, ErrorCode::Timeout), failureText(outcome).c_str());
    }

    void plainHttpServerAtTheAddress() {
        QTcpServer plain;
        QVERIFY(plain.listen(QHostAddress::LocalHost));
        connect(&plain, &QTcpServer::newConnection, this, [&] {
            QTcpSocket* socket = plain.nextPendingConnection();
            socket->write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
            socket->disconnectFromHost();
        });
        Rig rig;
        Request request;
        request.url = "https://127.0.0.1:" + std::to_string(plain.serverPort()) + "/";
        const Outcome outcome = rig.run(request);
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
    }
};

QTEST_GUILESS_MAIN(TstAnswers)
#include "tst_answers.moc"
