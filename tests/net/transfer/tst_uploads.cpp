// SPDX-License-Identifier: Apache-2.0
// Bodies that we send, and the user's limits for both directions.
#include "tests/net/transfer/https_server.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QElapsedTimer>
#include <QTest>

#include <unistd.h>

using namespace sunloco;
using namespace sunloco::transfer;
using core::ErrorCode;

namespace {

void accept(const HttpRequest&, const HttpReply& reply) { reply.respond(201, "application/json", "{}"); }

Request put(const HttpsServer& server, const std::filesystem::path& file, std::uint64_t offset, std::uint64_t bytes) {
    Request request;
    request.method = "PUT";
    request.url = server.url("/v1/contributions/c/parts/0");
    request.headers = {{"Authorization", "Bearer b"}, {"Content-Type", "application/octet-stream"}};
    request.trust.pinBase64 = server.pin();
    request.file = FileRange{file, offset, bytes};
    return request;
}

}  // namespace

class TstUploads : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partOfAFile_data() {
        QTest::addColumn<qsizetype>("offset");
        QTest::addColumn<qsizetype>("bytes");
        QTest::newRow("whole") << qsizetype{0} << qsizetype{1'000'000};
        QTest::newRow("middle") << qsizetype{12'345} << qsizetype{600'001};
        QTest::newRow("end") << qsizetype{999'999} << qsizetype{1};
        QTest::newRow("nothing") << qsizetype{500} << qsizetype{0};
    }
    void partOfAFile() {
        QFETCH(qsizetype, offset);
        QFETCH(qsizetype, bytes);
        const QByteArray content = noise(1'000'000);
        HttpsServer server(accept);
        Rig rig;
        writeFile(rig.path("delta"), content);
        const Outcome outcome = rig.run(put(server, rig.path("delta"), static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes)));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(outcome.response->status, 201);
        QCOMPARE(server.requests().size(), 1);
        const HttpRequest& seen = server.requests().first();
        QCOMPARE(seen.method, QByteArray("PUT"));
        QCOMPARE(seen.headers.value("content-length"), QByteArray::number(bytes));
        QVERIFY(!seen.headers.contains("expect"));
        QVERIFY(!seen.headers.contains("transfer-encoding"));
        QCOMPARE(seen.headers.value("authorization"), QByteArray("Bearer b"));
        QVERIFY(seen.body == content.mid(offset, bytes));
        QCOMPARE(outcome.response->bytesSent, static_cast<std::uint64_t>(bytes));
        QCOMPARE(rig.transfers().totals().first, static_cast<std::uint64_t>(bytes));
    }

    void bodyFromMemory() {
        HttpsServer server(accept);
        Rig rig;
        const std::string binary("a\0b\r\n\xff", 6);
        for (const char* method : {"POST", "PUT", "DELETE"}) {
            for (const std::string& body : {binary, std::string(), std::string(300'000, 'y')}) {
                Request request;
                request.method = method;
                request.url = server.url();
                request.trust.pinBase64 = server.pin();
                request.body = body;
                QCOMPARE(failureText(rig.run(request)), std::string("none"));
                QCOMPARE(server.requests().last().method, QByteArray(method));
                QCOMPARE(server.requests().last().headers.value("content-length"), QByteArray::number(body.size()));
                QVERIFY(server.requests().last().body.toStdString() == body);
            }
        }
    }

    void filesThatCannotBeSent() {
        HttpsServer server(accept);
        Rig rig;
        writeFile(rig.path("short"), "0123456789");
        Outcome outcome = rig.run(put(server, rig.path("missing"), 0, 1));
        QVERIFY2(failedWith(outcome, ErrorCode::NotFound), failureText(outcome).c_str());
        outcome = rig.run(put(server, rig.path("short"), 5, 6));
        QVERIFY2(failedWith(outcome, ErrorCode::Io), failureText(outcome).c_str());
        outcome = rig.run(put(server, rig.path("short"), ~std::uint64_t{0}, 5));
        QVERIFY2(failedWith(outcome, ErrorCode::Io), failureText(outcome).c_str());
        QVERIFY(::symlink(rig.path("short").c_str(), rig.path("link").c_str()) == 0);
        outcome = rig.run(put(server, rig.path("link"), 0, 5));
        QVERIFY2(outcome.failure.has_value(), "a link was followed");
        QVERIFY(server.requests().isEmpty());
    }

    /// The file is cut while it is being sent: the server must not take what came for the whole.
    void fileBecomesShorter() {
        HttpsServer server(accept);
        TransferOptions options = Rig::quick();
        options.uploadBytesPerSecond = 200'000;
        Rig rig(options);
        writeFile(rig.path("delta"), noise(3'000'000));
        std::optional<Outcome> outcome;
        rig.transfers().start(put(server, rig.path("delta"), 0, 3'000'000), [&](const Outcome& result) { outcome = result; });
        QVERIFY(rig.waitUntil([&] { return server.connections() == 1 && !rig.transfers().progress().empty(); }));
        std::filesystem::resize_file(rig.path("delta"), 10);
        rig.transfers().setLimits(0, 0);
        QVERIFY(rig.waitUntil([&] { return outcome.has_value(); }));
        QVERIFY2(failedWith(*outcome, ErrorCode::Io), failureText(*outcome).c_str());
        QVERIFY(server.requests().isEmpty());
    }

    /// The server refuses after the headers and hears no more; its reason reaches us although the body is not out.
    void earlyRefusalIsHeard() {
        HttpsServer server(accept);
        server.refuseAtHeaders("HTTP/1.1 410 Gone\r\nContent-Type: application/problem+json\r\nContent-Length: 66\r\nConnection: close\r\n\r\n"
                               "{\"code\":\"round-closed\",\"title\":\"The round is over\",\"status\": 410 }");
        Rig rig;
        writeFile(rig.path("delta"), noise(5'000'000));
        const Outcome outcome = rig.run(put(server, rig.path("delta"), 0, 5'000'000));
        QVERIFY2(outcome.response.has_value(), failureText(outcome).c_str());
        QCOMPARE(outcome.response->status, 410);
        QCOMPARE(outcome.response->problem->code, std::string("round-closed"));
        QVERIFY(server.requests().isEmpty());
    }

    void limitsCanChangeWhileRunning() {
        const QByteArray content = noise(2'000'000);
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.method == "PUT") {
                accept(request, reply);
            } else {
                reply.respond(200, "application/octet-stream", content);
            }
        });
        TransferOptions options = Rig::quick();
        options.uploadBytesPerSecond = 50'000;
        options.downloadBytesPerSecond = 50'000;
        Rig rig(options);
        writeFile(rig.path("delta"), content);
        std::optional<Outcome> up;
        std::optional<Outcome> down;
        rig.transfers().start(put(server, rig.path("delta"), 0, 2'000'000), [&](const Outcome& result) { up = result; });
        Request request;
        request.url = server.url("/object");
        request.trust.pinBase64 = server.pin();
        request.target = FileTarget{rig.path("object"), digestOf(content), 2'000'000};
        rig.transfers().start(request, [&](const Outcome& result) { down = result; });
        const auto moved = [&](bool upload) {
            for (const TransferProgress& progress : rig.transfers().progress()) {
                if (progress.upload == upload) { return progress.bytesDone; }
            }
            return std::uint64_t{0};
        };
        QVERIFY(rig.waitUntil([&] { return moved(true) > 0 && moved(false) > 0; }));
        for (const TransferProgress& progress : rig.transfers().progress()) {
            QCOMPARE(progress.bytesTotal, std::uint64_t{2'000'000});
            QVERIFY(progress.bytesDone < progress.bytesTotal);
        }
        QVERIFY(!up && !down);
        rig.transfers().setLimits(0, 400'000);
        rig.transfers().setLimits(300'000, 20'000);
        rig.transfers().setLimits(0, 0);
        QVERIFY(rig.waitUntil([&] { return up && down; }));
        QCOMPARE(failureText(*up), std::string("none"));
        QCOMPARE(failureText(*down), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
        for (const HttpRequest& seen : server.requests()) {
            if (seen.method == "PUT") { QVERIFY(seen.body == content); }
        }
        QVERIFY(rig.waitUntil([&] { return rig.transfers().progress().empty(); }));
    }

    /// The limit is for all files of one direction together, and none of them starves.
    void filesShareALimit() {
        constexpr qsizetype kBytes = 500'000;
        constexpr int kFiles = 4;
        const QByteArray content = noise(kBytes);
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.method == "PUT") {
                accept(request, reply);
            } else {
                reply.respond(200, "application/octet-stream", content);
            }
        });
        TransferOptions options = Rig::quick();
        options.uploadBytesPerSecond = 1'000'000;
        options.downloadBytesPerSecond = 1'000'000;
        Rig rig(options);
        writeFile(rig.path("delta"), content);
        QElapsedTimer timer;
        timer.start();
        int done = 0;
        std::string failures;
        const auto note = [&](const Outcome& outcome) {
            ++done;
            if (failureText(outcome) != "none") { failures += failureText(outcome); }
        };
        for (int i = 0; i < kFiles; ++i) {
            rig.transfers().start(put(server, rig.path("delta"), 0, kBytes), note);
            Request request;
            request.url = server.url("/object");
            request.trust.pinBase64 = server.pin();
            request.target = FileTarget{rig.path(("object" + std::to_string(i)).c_str()), digestOf(content), kBytes};
            rig.transfers().start(request, note);
        }
        QVERIFY(rig.waitUntil([&] { return done == 2 * kFiles; }));
        QCOMPARE(failures, std::string());
        // Two seconds' worth in each direction, of which one at most may come ahead of its time.
        QVERIFY2(timer.elapsed() >= 1000, "the limit was not kept");
        for (int i = 0; i < kFiles; ++i) { QVERIFY(contentOf(rig.path(("object" + std::to_string(i)).c_str())) == content); }
        for (const HttpRequest& seen : server.requests()) {
            if (seen.method == "PUT") { QVERIFY(seen.body == content); }
        }
    }

    void heartbeatsDoNotStandBehindFiles() {
        const QByteArray content = noise(400'000);
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.target == "/object") {
                reply.respond(200, "application/octet-stream", content);
            } else {
                reply.respond(200, "application/json", "{}");
            }
        });
        TransferOptions options = Rig::quick();
        options.downloadBytesPerSecond = 1'000;
        Rig rig(options);
        Request file;
        file.url = server.url("/object");
        file.trust.pinBase64 = server.pin();
        file.target = FileTarget{rig.path("object"), digestOf(content), 400'000};
        bool fileDone = false;
        rig.transfers().start(file, [&](const Outcome&) { fileDone = true; });
        QVERIFY(rig.waitUntil([&] { return server.requests().size() == 1; }));
        for (int i = 0; i < 20; ++i) {
            Request beat;
            beat.method = "POST";
            beat.url = server.url("/heartbeat");
            beat.trust.pinBase64 = server.pin();
            QCOMPARE(failureText(rig.run(beat)), std::string("none"));
        }
        QVERIFY(!fileDone);
    }

    /// A limit that the user sets on a fast transfer is not the server's slowness: the transfer goes on, slowly, and ends well.
    void limitIsNotMistakenForASlowServer_data() {
        QTest::addColumn<bool>("upload");
        QTest::newRow("upload") << true;
        QTest::newRow("download") << false;
    }
    void limitIsNotMistakenForASlowServer() {
        QFETCH(bool, upload);
        constexpr qsizetype kBytes = 20'000'000;
        const QByteArray content = noise(kBytes);
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.method == "PUT") {
                accept(request, reply);
            } else {
                reply.respond(200, "application/octet-stream", content);
            }
        });
        TransferOptions options = Rig::quick();
        options.lowSpeedSeconds = 1;
        options.uploadBytesPerSecond = 4'000'000;
        options.downloadBytesPerSecond = 4'000'000;
        Rig rig(options);
        writeFile(rig.path("delta"), content);
        std::optional<Outcome> outcome;
        Request request = put(server, rig.path("delta"), 0, kBytes);
        if (!upload) {
            request = Request{};
            request.url = server.url("/object");
            request.trust.pinBase64 = server.pin();
            request.target = FileTarget{rig.path("object"), digestOf(content), kBytes};
        }
        rig.transfers().start(request, [&](const Outcome& result) { outcome = result; });
        const auto moved = [&] {
            const auto progress = rig.transfers().progress();
            return progress.empty() ? std::uint64_t{0} : progress.front().bytesDone;
        };
        QVERIFY(rig.waitUntil([&] { return moved() > 100'000; }));
        rig.transfers().setLimits(2'000, 2'000);
        const std::uint64_t before = moved();
        // It still moves, and is not given up in the seconds that the low-speed limit would need.
        QTest::qWait(5000);
        rig.deliver();
        QVERIFY2(!outcome, outcome ? failureText(*outcome).c_str() : "");
        QVERIFY(rig.waitUntil([&] { return moved() > before || outcome; }));
        QVERIFY2(!outcome, outcome ? failureText(*outcome).c_str() : "");
        rig.transfers().setLimits(0, 0);
        QVERIFY(rig.waitUntil([&] { return outcome.has_value(); }));
        QCOMPARE(failureText(*outcome), std::string("none"));
        QVERIFY((upload ? server.requests().last().body : contentOf(rig.path("object"))) == content);
    }

    void connectionLostWhileSending() {
        int seen = 0;
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            ++seen;
            reply.close();
        });
        Rig rig;
        writeFile(rig.path("delta"), noise(100'000));
        const Outcome outcome = rig.run(put(server, rig.path("delta"), 0, 100'000));
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QCOMPARE(seen, 1);
    }

    /// A connection kept open was closed by the server meanwhile: the body goes out again, whole, on a new one.
    void staleConnectionIsReplaced() {
        HttpsServer server([](const HttpRequest& request, const HttpReply& reply) {
            accept(request, reply);
            reply.close();
        });
        Rig rig;
        const QByteArray content = noise(700'000);
        writeFile(rig.path("delta"), content);
        for (int i = 0; i < 5; ++i) {
            const Outcome outcome = rig.run(put(server, rig.path("delta"), 0, 700'000));
            QCOMPARE(failureText(outcome), std::string("none"));
            QVERIFY(server.requests().last().body == content);
            QVERIFY(rig.waitUntil([&] { return server.openConnections() == 0; }));
        }
        QCOMPARE(server.connections(), 5);
    }
};

QTEST_GUILESS_MAIN(TstUploads)
#include "tst_uploads.moc"
