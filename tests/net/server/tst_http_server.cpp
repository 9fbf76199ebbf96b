// SPDX-License-Identifier: Apache-2.0
#include "net/server/certificate.h"
#include "net/server/http_server.h"
#include "tls_client.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <mutex>
#include <thread>

using namespace sunloco;
using server::BodyPlan;
using server::HttpRequest;
using server::HttpResponse;
using test::TlsClient;

namespace {

class CountingSink final : public server::BodySink {
public:
    core::Result<void> write(core::ByteView bytes) override {
        m_bytes += bytes.size();
        return {};
    }
    [[nodiscard]] std::size_t bytes() const { return m_bytes; }

private:
    std::size_t m_bytes = 0;
};

/// Says back what it got: enough to see what the server lets through.
class EchoHandler final : public server::HttpHandler {
public:
    BodyPlan plan(const HttpRequest& head) override {
        if (head.path == "/refused") { return {server::problemResponse(protocol::ProblemCode::NotFound, "no"), 0, nullptr}; }
        if (head.path == "/stream") { return {std::nullopt, 1'000'000, std::make_shared<CountingSink>()}; }
        return {std::nullopt, 1'000, nullptr};
    }
    HttpResponse handle(HttpRequest request, const std::shared_ptr<server::BodySink>& sink) override {
        const std::lock_guard lock(m_mutex);
        ++m_handled;
        HttpResponse response;
        if (request.path == "/file") {
            response.file = server::FilePiece{file, 10, 300'000};
        } else if (request.path == "/slow") {
            std::this_thread::sleep_for(std::chrono::milliseconds(800));
            response.body = "done";
        } else if (sink) {
            response.body = std::to_string(static_cast<const CountingSink&>(*sink).bytes());
        } else {
            response.body = request.method + " " + request.path + " " + request.query + " " + request.body;
        }
        return response;
    }
    void sent(const HttpRequest&, std::uint64_t bytes) override {
        const std::lock_guard lock(m_mutex);
        m_sent += bytes;
    }
    int handled() {
        const std::lock_guard lock(m_mutex);
        return m_handled;
    }
    std::string file;

private:
    std::mutex m_mutex;
    int m_handled = 0;
    std::uint64_t m_sent = 0;
};

}  // namespace

class TestHttpServer : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void answersAndKeepsTheConnection();
    void pipelinedRequests();
    void streamsABodyAndAFile();
    void headHasNoBody();
    void refusesBadRequests_data();
    void refusesBadRequests();
    void earlyErrorEndsTheConnection();
    void expectContinue();
    void cutsSlowHeads();
    void cutsSlowBodies();
    void cutsIdleConnections();
    void limitsConnectionsOfOneAddress();
    void busyPortIsASentence();
    void stopFinishesRunningRequests();

private:
    std::unique_ptr<server::HttpServer> serve(server::HttpLimits limits = {});
    QTemporaryDir m_folder;
    EchoHandler m_handler;
};

void TestHttpServer::initTestCase() {
    QVERIFY(m_folder.isValid());
    const std::string folder = m_folder.path().toStdString();
    QVERIFY(server::makeOwnCertificate(folder + "/c.pem", folder + "/k.pem", {"localhost", "127.0.0.1"}));
    QFile file(m_folder.filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QByteArray bytes;
    for (int i = 0; i < 400'000; ++i) { bytes.append(static_cast<char>(i * 31 % 251)); }
    QCOMPARE(file.write(bytes), qint64{400'000});
    m_handler.file = folder + "/file";
}

std::unique_ptr<server::HttpServer> TestHttpServer::serve(server::HttpLimits limits) {
    server::HttpOptions options;
    options.certificate = m_folder.path().toStdString() + "/c.pem";
    options.key = m_folder.path().toStdString() + "/k.pem";
    options.limits = limits;
    auto http = std::make_unique<server::HttpServer>(options, m_handler);
    const auto bound = http->bind();
    if (!bound) { qFatal("%s", bound.error().text().c_str()); }
    http->start();
    return http;
}

void TestHttpServer::answersAndKeepsTheConnection() {
    const auto http = serve();
    TlsClient client(http->port());
    QVERIFY(client.connected());
    for (int i = 0; i < 3; ++i) {
        QVERIFY(client.send("POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"));
        const auto answer = client.read();
        QVERIFY(answer.has_value());
        QCOMPARE(answer->status, 200);
        QCOMPARE(answer->body, std::string("POST /a b=c hello"));
        QCOMPARE(answer->headers.at("x-content-type-options"), std::string("nosniff"));
        QVERIFY(answer->headers.count("date") == 1);
    }
}

void TestHttpServer::pipelinedRequests() {
    const auto http = serve();
    TlsClient client(http->port());
    QVERIFY(client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nPOST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nokGET /3 HTTP/1.1\r\nHost: x\r\n\r\n"));
    QCOMPARE(client.read()->body, std::string("GET /1  "));
    QCOMPARE(client.read()->body, std::string("POST /2  ok"));
    QCOMPARE(client.read()->body, std::string("GET /3  "));
}

void TestHttpServer::streamsABodyAndAFile() {
    const auto http = serve();
    const auto up = test::request(http->port(), "PUT", "/stream", {}, std::string(700'000, 'x'));
    QVERIFY(up.has_value());
    QCOMPARE(up->body, std::string("700000"));
    const auto down = test::request(http->port(), "GET", "/file");
    QVERIFY(down.has_value());
    QCOMPARE(down->body.size(), std::size_t{300'000});
    for (int i = 0; i < 300'000; i += 997) { QCOMPARE(static_cast<int>(static_cast<unsigned char>(down->body[static_cast<std::size_t>(i)])), (i + 10) * 31 % 251); }
}

void TestHttpServer::headHasNoBody() {
    const auto http = serve();
    TlsClient client(http->port());
    QVERIFY(client.send("HEAD /file HTTP/1.1\r\nHost: x\r\n\r\n"));
    const auto head = client.read(20, true);
    QVERIFY(head.has_value());
    QCOMPARE(head->headers.at("content-length"), std::string("300000"));
    QVERIFY(client.send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n"));
    QCOMPARE(client.read()->body, std::string("GET /next  "));
}

void TestHttpServer::refusesBadRequests_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("status");
    QTest::newRow("not http") << QByteArray("hello there\r\n\r\n") << 400;
    QTest::newRow("no length") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\n\r\n") << 411;
    QTest::newRow("put no length") << QByteArray("PUT /stream HTTP/1.1\r\nHost: x\r\n\r\n") << 411;
    QTest::newRow("too large") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n") << 413;
    QTest::newRow("far too large") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551615\r\n\r\n") << 413;
    QTest::newRow("chunked") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n") << 411;
    QTest::newRow("length and chunked") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n") << 400;
    QTest::newRow("chunked and length") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n") << 400;
    QTest::newRow("two lengths") << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde") << 400;
    QTest::newRow("two hosts") << QByteArray("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n") << 400;
    QTest::newRow("no host") << QByteArray("GET / HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("get with body") << QByteArray("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc") << 400;
    QTest::newRow("whole url") << QByteArray("GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n") << 400;
    QTest::newRow("long headers") << QByteArray("GET / HTTP/1.1\r\nHost: x\r\nA: ") + QByteArray(9'000, 'a') + QByteArray("\r\n\r\n") << 431;
    QTest::newRow("refused by the plan") << QByteArray("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc") << 404;
}

void TestHttpServer::refusesBadRequests() {
    QFETCH(QByteArray, text);
    QFETCH(int, status);
    const auto http = serve();
    const int before = m_handler.handled();
    TlsClient client(http->port());
    QVERIFY(client.send(text.toStdString()));
    const auto answer = client.read();
    QVERIFY(answer.has_value());
    QCOMPARE(answer->status, status);
    QCOMPARE(answer->headers.at("content-type"), std::string("application/problem+json"));
    QCOMPARE(answer->headers.at("connection"), std::string("close"));
    QVERIFY(client.closedWithin(10));
    QCOMPARE(m_handler.handled(), before);   // nothing of it became a request
}

void TestHttpServer::earlyErrorEndsTheConnection() {
    const auto http = serve();
    const int before = m_handler.handled();
    TlsClient client(http->port());
    // The body of the refused request is itself a request: it must never be taken for one.
    const std::string inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    QVERIFY(client.send("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" + inner));
    QCOMPARE(client.read()->status, 404);
    QVERIFY(client.closedWithin(10));
    QCOMPARE(m_handler.handled(), before);
}

void TestHttpServer::expectContinue() {
    const auto http = serve();
    TlsClient client(http->port());
    QVERIFY(client.send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"));
    QCOMPARE(client.read()->status, 100);
    QVERIFY(client.send("ok"));
    QCOMPARE(client.read()->body, std::string("POST /e  ok"));
}

void TestHttpServer::cutsSlowHeads() {
    server::HttpLimits limits;
    limits.headerSeconds = 1;
    const auto http = serve(limits);
    TlsClient client(http->port());
    QVERIFY(client.send("GET / HTTP/1.1\r\nHo"));
    QVERIFY(client.closedWithin(15));
}

void TestHttpServer::cutsSlowBodies() {
    server::HttpLimits limits;
    limits.minRateGraceSeconds = 0;
    limits.minBytesPerSecond = 10'000;
    limits.readSeconds = 5;
    const auto http = serve(limits);
    TlsClient dripping(http->port());
    QVERIFY(dripping.send("PUT /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"));
    bool cut = false;
    for (int i = 0; i < 300 && !cut; ++i) {
        cut = !dripping.send("x");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    QVERIFY(cut || dripping.closedWithin(5));
    TlsClient silent(http->port());
    QVERIFY(silent.send("PUT /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc"));
    QVERIFY(silent.closedWithin(20));
}

void TestHttpServer::cutsIdleConnections() {
    server::HttpLimits limits;
    limits.idleSeconds = 1;
    const auto http = serve(limits);
    TlsClient client(http->port());
    QVERIFY(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    QVERIFY(client.read().has_value());
    QVERIFY(client.closedWithin(15));
}

void TestHttpServer::limitsConnectionsOfOneAddress() {
    server::HttpLimits limits;
    limits.maxPerAddress = 2;
    const auto http = serve(limits);
    const TlsClient one(http->port());
    auto two = std::make_unique<TlsClient>(http->port());
    QVERIFY(one.connected());
    QVERIFY(two->connected());
    const TlsClient three(http->port());
    QVERIFY(!three.connected());
    two.reset();
    bool again = false;
    QTRY_VERIFY_WITH_TIMEOUT((again = again || TlsClient(http->port()).connected()), 15'000);
}

void TestHttpServer::busyPortIsASentence() {
    const auto http = serve();
    server::HttpOptions options;
    options.certificate = m_folder.path().toStdString() + "/c.pem";
    options.key = m_folder.path().toStdString() + "/k.pem";
    options.port = http->port();
    server::HttpServer second(options, m_handler);
    const auto bound = second.bind();
    QVERIFY(!bound);
    QCOMPARE(bound.error().code, core::ErrorCode::Busy);
    QVERIFY(bound.error().text().find("--listen") != std::string::npos);
    QVERIFY(bound.error().text().find(std::to_string(http->port())) != std::string::npos);
}

void TestHttpServer::stopFinishesRunningRequests() {
    auto http = serve();
    TlsClient running(http->port());
    TlsClient idle(http->port());
    QVERIFY(running.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n"));
    const int before = m_handler.handled();
    QTRY_VERIFY(m_handler.handled() > before || http->connections() == 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::thread stopper([&] { http->stop(); });
    const auto answer = running.read();
    QVERIFY(answer.has_value());
    QCOMPARE(answer->body, std::string("done"));
    QVERIFY(idle.closedWithin(10));
    stopper.join();
    QVERIFY(!TlsClient(http->port()).connected());
}

QTEST_GUILESS_MAIN(TestHttpServer)
#include "tst_http_server.moc"
