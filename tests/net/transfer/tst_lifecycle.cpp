// SPDX-License-Identifier: Apache-2.0
// Cancelling and ending: no callback that nobody waits for, no hang, nothing held longer than needed.
#include "tests/net/transfer/https_server.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QTest>

#include <thread>

using namespace sunloco;
using namespace sunloco::transfer;

namespace {

Request ask(const HttpsServer& server, const std::string& path = "/") {
    Request request;
    request.url = server.url(path);
    request.trust.pinBase64 = server.pin();
    return request;
}

Request fetch(const HttpsServer& server, const std::filesystem::path& path, const QByteArray& content) {
    Request request = ask(server);
    request.target = FileTarget{path, digestOf(content), static_cast<std::uint64_t>(content.size())};
    return request;
}

void answer(const HttpRequest&, const HttpReply& reply) { reply.respond(200, "application/json", "{}"); }
void silence(const HttpRequest&, const HttpReply&) {}

}  // namespace

class TstLifecycle : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void idsDiffer() {
        HttpsServer server(silence);
        Rig rig;
        const RequestId a = rig.transfers().start(ask(server), {});
        const RequestId b = rig.transfers().start(ask(server), {});
        QVERIFY(a != b && a != 0 && b != 0);
    }

    void requestWithoutCallback() {
        HttpsServer server(answer);
        Rig rig;
        rig.transfers().start(ask(server), {});
        QVERIFY(rig.waitUntil([&] { return server.requests().size() == 1; }));
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
    }

    /// Cancelled at each point of its life a request never calls back.
    void cancelled_data() {
        QTest::addColumn<int>("when");
        QTest::newRow("at once") << 0;
        QTest::newRow("connected, not answered") << 1;
        QTest::newRow("answered, callback queued") << 2;
        QTest::newRow("after its callback") << 3;
    }
    void cancelled() {
        QFETCH(int, when);
        HttpsServer server(when >= 2 ? HttpsServer::Handler(answer) : HttpsServer::Handler(silence));
        Rig rig;
        int calls = 0;
        const RequestId id = rig.transfers().start(ask(server), [&](const Outcome&) { ++calls; });
        if (when == 1) { QVERIFY(rig.waitUntil([&] { return !server.requests().isEmpty(); })); }
        if (when == 2) {
            const QDeadlineTimer deadline(20'000);
            while (rig.waiting() == 0 && !deadline.hasExpired()) { QCoreApplication::processEvents(QEventLoop::AllEvents, 5); }
            QCOMPARE(rig.waiting(), std::size_t{1});
        }
        if (when == 3) { QVERIFY(rig.waitUntil([&] { return calls == 1; })); }
        rig.transfers().cancel(id);
        rig.transfers().cancel(id);
        server.setHandler(answer);
        // Another request goes all the way through after it.
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        QCOMPARE(calls, when == 3 ? 1 : 0);
        QVERIFY(rig.waitUntil([&] { return rig.transfers().progress().empty(); }));
    }

    void unknownIdsAreIgnored() {
        HttpsServer server(answer);
        Rig rig;
        rig.transfers().cancel(0);
        rig.transfers().cancel(12345);
        int calls = 0;
        for (int i = 0; i < 3; ++i) { rig.transfers().start(ask(server), [&](const Outcome&) { ++calls; }); }
        QVERIFY(rig.waitUntil([&] { return calls == 3; }));
    }

    /// What a callback holds is let go at the cancel, on the owner's thread, not later on another one.
    void cancelLetsGoOfTheCallback() {
        HttpsServer server(silence);
        Rig rig;
        std::thread::id freedOn;
        struct Held {
            std::thread::id* freedOn;
            ~Held() { *freedOn = std::this_thread::get_id(); }
        };
        auto held = std::make_shared<Held>(Held{&freedOn});
        const RequestId id = rig.transfers().start(ask(server), [held](const Outcome&) {});
        QVERIFY(rig.waitUntil([&] { return !server.requests().isEmpty(); }));
        freedOn = {};
        held.reset();
        QVERIFY(freedOn == std::thread::id{});
        rig.transfers().cancel(id);
        QVERIFY(freedOn == std::this_thread::get_id());
    }

    void cancelledDownloadGoesOnNextTime() {
        const QByteArray content = noise(400'000);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            reply.raw("HTTP/1.1 200 OK\r\nContent-Length: " + QByteArray::number(content.size()) + "\r\n\r\n" + content.left(150'000));
        });
        Rig rig;
        const RequestId id = rig.transfers().start(fetch(server, rig.path("object"), content), [](const Outcome&) { QFAIL("called back after the cancel"); });
        QVERIFY(rig.waitUntil([&] { return contentOf(rig.path("object.part")).size() == 150'000; }));
        rig.transfers().cancel(id);
        QVERIFY(rig.waitUntil([&] { return rig.transfers().totals().second == 150'000; }));
        server.setHandler(serveFile(content, QByteArray::fromStdString(digestOf(content).hex())));
        const Outcome outcome = rig.run(fetch(server, rig.path("object"), content));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(server.requests().last().headers.value("range"), QByteArray("bytes=150000-"));
        QVERIFY(contentOf(rig.path("object")) == content);
        QCOMPARE(rig.transfers().totals().second, std::uint64_t{400'000});
    }

    void endWithRequestsUnderWay_data() {
        QTest::addColumn<int>("phase");
        QTest::newRow("just started") << 0;
        QTest::newRow("waiting for answers") << 1;
        QTest::newRow("outcomes queued") << 2;
        QTest::newRow("held back by a limit") << 3;
    }
    void endWithRequestsUnderWay() {
        QFETCH(int, phase);
        const QByteArray content = noise(400'000);
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (phase == 2) { answer(request, reply); }
            if (phase == 3) { reply.respond(200, "application/octet-stream", content); }
        });
        TransferOptions options = Rig::quick();
        if (phase == 3) {
            options.downloadBytesPerSecond = 1000;
            options.uploadBytesPerSecond = 1000;
        }
        Rig rig(options);
        writeFile(rig.path("delta"), content);
        int calls = 0;
        auto held = std::make_shared<int>(1);
        for (int i = 0; i < 8; ++i) {
            Request request = phase == 3 ? fetch(server, rig.path(("object" + std::to_string(i)).c_str()), content) : ask(server);
            if (phase == 3 && i % 2 == 0) {
                request = ask(server);
                request.method = "PUT";
                request.file = FileRange{rig.path("delta"), 0, 400'000};
            }
            rig.transfers().start(std::move(request), [&calls, held](const Outcome&) { ++calls; });
        }
        if (phase == 1) { QVERIFY(rig.waitUntil([&] { return server.requests().size() == 8; })); }
        if (phase == 2) {
            const QDeadlineTimer deadline(20'000);
            while (rig.waiting() < 8 && !deadline.hasExpired()) { QCoreApplication::processEvents(QEventLoop::AllEvents, 5); }
            QCOMPARE(rig.waiting(), std::size_t{8});
        }
        if (phase == 3) { QVERIFY(rig.waitUntil([&] { return server.requests().size() == 4; })); }
        rig.destroyTransfers();
        rig.deliver();
        QCOMPARE(calls, 0);
        QCOMPARE(held.use_count(), 1L);
    }

    /// A callback may start, cancel and even end everything.
    void callbacksMayDoAnything() {
        HttpsServer server(answer);
        Rig rig;
        int chain = 0;
        std::function<void(const Outcome&)> next = [&](const Outcome& outcome) {
            QCOMPARE(failureText(outcome), std::string("none"));
            if (++chain < 20) { rig.transfers().start(ask(server), next); }
        };
        rig.transfers().start(ask(server), next);
        QVERIFY(rig.waitUntil([&] { return chain == 20; }));
        int calls = 0;
        std::vector<RequestId> ids;
        for (int i = 0; i < 5; ++i) {
            ids.push_back(rig.transfers().start(ask(server), [&](const Outcome&) {
                if (++calls > 1) { return; }
                for (const RequestId id : ids) { rig.transfers().cancel(id); }
            }));
        }
        QVERIFY(rig.waitUntil([&] { return calls == 1; }));
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
        QCOMPARE(calls, 1);
        bool ended = false;
        rig.transfers().start(ask(server), [&](const Outcome&) {
            rig.destroyTransfers();
            ended = true;
        });
        QVERIFY(rig.waitUntil([&] { return ended; }));
        rig.deliver();
    }

    void manyRequests() {
        HttpsServer server([](const HttpRequest& request, const HttpReply& reply) { reply.respond(200, "application/json", request.target); });
        Rig rig;
        constexpr int kCount = 150;
        int done = 0;
        int right = 0;
        for (int i = 0; i < kCount; ++i) {
            const std::string path = "/number/" + std::to_string(i);
            rig.transfers().start(ask(server, path), [&, path](const Outcome& outcome) {
                ++done;
                if (outcome.response && outcome.response->body == path) { ++right; }
            });
            if (i % 10 == 0) { rig.transfers().cancel(rig.transfers().start(ask(server, "/cancelled"), [](const Outcome&) { QFAIL("called back after the cancel"); })); }
        }
        QVERIFY(rig.waitUntil([&] { return done == kCount; }));
        QCOMPARE(right, kCount);
    }

    /// A quick start and end, many times: the threads come and go.
    void startAndEndAgainAndAgain() {
        HttpsServer server(answer);
        for (int i = 0; i < 50; ++i) {
            Rig rig;
            if (i % 2 == 0) { rig.transfers().start(ask(server), [](const Outcome&) {}); }
            if (i % 3 == 0) { rig.transfers().setLimits(i, i); }
        }
        Rig rig;
        QCOMPARE(failureText(rig.run(ask(server))), std::string("none"));
    }
};

QTEST_GUILESS_MAIN(TstLifecycle)
#include "tst_lifecycle.moc"
