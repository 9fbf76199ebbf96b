// SPDX-License-Identifier: Apache-2.0
// Files from a real HTTPS server: whole, in pieces, damaged.
#include "tests/net/transfer/https_server.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QTest>

#include <unistd.h>

using namespace sunloco;
using namespace sunloco::transfer;
using core::ErrorCode;
namespace fs = std::filesystem;

namespace {

constexpr qsizetype kBytes = 300'000;

QByteArray hexOf(const QByteArray& content) { return QByteArray::fromStdString(digestOf(content).hex()); }

Request fetch(const HttpsServer& server, const Rig& rig, const QByteArray& content) {
    Request request;
    request.url = server.url("/v1/objects/sha256/" + digestOf(content).hex());
    request.trust.pinBase64 = server.pin();
    request.target = FileTarget{rig.path("object"), digestOf(content), static_cast<std::uint64_t>(content.size())};
    return request;
}

}  // namespace

class TstDownloads : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wholeFile_data() {
        QTest::addColumn<qsizetype>("bytes");
        QTest::newRow("one byte") << qsizetype{1};
        QTest::newRow("small") << qsizetype{1000};
        QTest::newRow("large") << qsizetype{5'000'000};
    }
    void wholeFile() {
        QFETCH(qsizetype, bytes);
        const QByteArray content = noise(bytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        const Outcome outcome = rig.run(fetch(server, rig, content));
        QCOMPARE(failureText(outcome), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
        QVERIFY(!fs::exists(rig.path("object.part")));
        QCOMPARE(outcome.response->status, 200);
        QCOMPARE(outcome.response->headers.at("etag"), "\"" + digestOf(content).hex() + "\"");
        QCOMPARE(outcome.response->bytesReceived, static_cast<std::uint64_t>(bytes));
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(server.requests().first().method, QByteArray("GET"));
        QCOMPARE(server.requests().first().headers.value("accept-encoding"), QByteArray("identity"));
        QVERIFY(!server.requests().first().headers.contains("range"));
        QCOMPARE(rig.transfers().totals().second, static_cast<std::uint64_t>(bytes));
    }

    void emptyFileNeedsNobody() {
        HttpsServer server(serveFile({}, "x"));
        Rig rig;
        QCOMPARE(failureText(rig.run(fetch(server, rig, {}))), std::string("none"));
        QVERIFY(fs::exists(rig.path("object")));
        QCOMPARE(fs::file_size(rig.path("object")), std::uintmax_t{0});
        QVERIFY(server.requests().isEmpty());
    }

    void replacesAnOlderFile() {
        const QByteArray content = noise(kBytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        writeFile(rig.path("object"), "older");
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    void resumesWithARange() {
        const QByteArray content = noise(kBytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        writeFile(rig.path("object.part"), content.left(123'456));
        const Outcome outcome = rig.run(fetch(server, rig, content));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(outcome.response->status, 206);
        QVERIFY(contentOf(rig.path("object")) == content);
        QCOMPARE(server.requests().first().headers.value("range"), QByteArray("bytes=123456-"));
        QCOMPARE(server.requests().first().headers.value("if-range"), "\"" + hexOf(content) + "\"");
        QCOMPARE(outcome.response->bytesReceived, static_cast<std::uint64_t>(kBytes - 123'456));
    }

    void completePartIsOnlyRenamed() {
        const QByteArray content = noise(kBytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        writeFile(rig.path("object.part"), content);
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
        QVERIFY(server.requests().isEmpty());
    }

    void wrongPartsAreNotTrusted_data() {
        QTest::addColumn<QByteArray>("part");
        const QByteArray content = noise(kBytes);
        QByteArray flipped = content;
        flipped[1000] = static_cast<char>(flipped.at(1000) ^ 1);
        QTest::newRow("of the right size, one bit wrong") << flipped;
        QTest::newRow("too long") << content + "more";
        QTest::newRow("empty") << QByteArray();
    }
    void wrongPartsAreNotTrusted() {
        QFETCH(QByteArray, part);
        const QByteArray content = noise(kBytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        writeFile(rig.path("object.part"), part);
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
        QCOMPARE(server.requests().size(), 1);
        QVERIFY(!server.requests().first().headers.contains("range"));
    }

    void damagedBeginningIsFoundAtTheEnd() {
        const QByteArray content = noise(kBytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        writeFile(rig.path("object.part"), noise(5000, 99));
        const Outcome first = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(first, ErrorCode::HashMismatch), failureText(first).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(!fs::exists(rig.path("object.part")));
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    void serverThatKnowsNoRanges() {
        const QByteArray content = noise(kBytes);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) { reply.respond(200, "application/octet-stream", content); });
        Rig rig;
        writeFile(rig.path("object.part"), content.left(100'000));
        const Outcome outcome = rig.run(fetch(server, rig, content));
        QCOMPARE(failureText(outcome), std::string("none"));
        QCOMPARE(outcome.response->status, 200);
        QCOMPARE(server.requests().size(), 1);
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    /// The address now holds something else: the ETag in If-Range does not fit, the whole comes and its hash is wrong.
    void contentHasChanged() {
        const QByteArray content = noise(kBytes);
        const QByteArray other = noise(kBytes, 7);
        HttpsServer server(serveFile(other, hexOf(other)));
        Rig rig;
        writeFile(rig.path("object.part"), content.left(100'000));
        const Outcome outcome = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(outcome, ErrorCode::HashMismatch), failureText(outcome).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(!fs::exists(rig.path("object.part")));
    }

    /// Whatever a range is answered with, the next try gets through.
    void rangesAnsweredWrongly_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("416") << QByteArray("HTTP/1.1 416 No\r\nContent-Range: bytes */300000\r\nContent-Length: 0\r\n\r\n");
        QTest::newRow("416 with a page") << QByteArray("HTTP/1.1 416 No\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<html");
        QTest::newRow("another range") << QByteArray("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-9/300000\r\nContent-Length: 10\r\n\r\n0123456789");
        QTest::newRow("another total") << QByteArray("HTTP/1.1 206 Part\r\nContent-Range: bytes 100000-100009/100010\r\nContent-Length: 10\r\n\r\n0123456789");
        QTest::newRow("no range named") << QByteArray("HTTP/1.1 206 Part\r\nContent-Length: 10\r\n\r\n0123456789");
    }
    void rangesAnsweredWrongly() {
        QFETCH(QByteArray, answer);
        const QByteArray content = noise(kBytes);
        const auto file = serveFile(content, hexOf(content));
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.headers.contains("range")) {
                reply.raw(answer);
            } else {
                file(request, reply);
            }
        });
        Rig rig;
        writeFile(rig.path("object.part"), content.left(100'000));
        const Outcome first = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(first, ErrorCode::Network), failureText(first).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    void truncatedBodyIsGoneOnWith() {
        const QByteArray content = noise(kBytes);
        const auto file = serveFile(content, hexOf(content));
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            if (request.headers.contains("range")) {
                file(request, reply);
                return;
            }
            reply.raw("HTTP/1.1 200 OK\r\nContent-Length: " + QByteArray::number(content.size()) + "\r\n\r\n" + content.left(120'000));
            reply.close();
        });
        Rig rig;
        const Outcome first = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(first, ErrorCode::Network), failureText(first).c_str());
        QVERIFY(QByteArray::fromStdString(failureText(first)).contains("middle"));
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(contentOf(rig.path("object.part")) == content.left(120'000));
        const Outcome second = rig.run(fetch(server, rig, content));
        QCOMPARE(failureText(second), std::string("none"));
        QCOMPARE(second.response->status, 206);
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    /// Without a length only the end of the connection tells that it is over: short is then found by the signed size.
    void truncatedBodyWithoutLength() {
        const QByteArray content = noise(kBytes);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            reply.raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + content.left(120'000));
            reply.close();
        });
        Rig rig;
        const Outcome outcome = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(outcome, ErrorCode::Network), failureText(outcome).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(contentOf(rig.path("object.part")) == content.left(120'000));
    }

    void flippedBit() {
        const QByteArray content = noise(kBytes);
        bool damage = true;
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            QByteArray sent = content;
            if (damage) { sent[200'000] = static_cast<char>(sent.at(200'000) ^ 8); }
            reply.respond(200, "application/octet-stream", sent);
        });
        Rig rig;
        const Outcome first = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(first, ErrorCode::HashMismatch), failureText(first).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(!fs::exists(rig.path("object.part")));
        damage = false;
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    /// A damaged new copy never replaces a good older file.
    void olderFileStaysWhenTheNewOneIsDamaged() {
        const QByteArray content = noise(kBytes);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) { reply.respond(200, "application/octet-stream", noise(kBytes, 3)); });
        Rig rig;
        writeFile(rig.path("object"), "older");
        QVERIFY(failedWith(rig.run(fetch(server, rig, content)), ErrorCode::HashMismatch));
        QCOMPARE(contentOf(rig.path("object")), QByteArray("older"));
    }

    void anotherLength_data() {
        QTest::addColumn<qsizetype>("bytes");
        QTest::addColumn<bool>("announced");
        QTest::addColumn<qsizetype>("offered");
        for (const qsizetype bytes : {qsizetype{1000}, kBytes}) {
            for (const bool announced : {true, false}) {
                QTest::addRow("%lld bytes, one more%s", static_cast<long long>(bytes), announced ? "" : ", without a length") << bytes << announced << bytes + 1;
                QTest::addRow("%lld bytes, many more%s", static_cast<long long>(bytes), announced ? "" : ", without a length") << bytes << announced << bytes * 4;
            }
            QTest::addRow("%lld bytes, one less", static_cast<long long>(bytes)) << bytes << true << bytes - 1;
        }
    }
    void anotherLength() {
        QFETCH(qsizetype, bytes);
        QFETCH(bool, announced);
        QFETCH(qsizetype, offered);
        const QByteArray content = noise(bytes);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            const QByteArray sent = QByteArray(content + noise(bytes * 4)).left(offered);
            if (announced) {
                reply.respond(200, "application/octet-stream", sent);
            } else {
                reply.raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + sent);
                reply.close();
            }
        });
        Rig rig;
        const Outcome outcome = rig.run(fetch(server, rig, content));
        QVERIFY2(failedWith(outcome, ErrorCode::Network) || failedWith(outcome, ErrorCode::LimitExceeded), failureText(outcome).c_str());
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(contentOf(rig.path("object.part")).size() <= bytes);
        server.setHandler(serveFile(content, hexOf(content)));
        QCOMPARE(failureText(rig.run(fetch(server, rig, content))), std::string("none"));
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    /// Log-in pages, errors and wrong sizes leave what an earlier try has brought.
    void foreignAnswersKeepThePart_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<int>("size");
        QTest::newRow("portal") << 200 << QByteArray("text/html; charset=utf-8") << 3000;
        QTest::newRow("portal in capitals") << 200 << QByteArray("Text/HTML") << 3000;
        QTest::newRow("large portal") << 200 << QByteArray("text/html") << 2'000'000;
        QTest::newRow("plain text") << 200 << QByteArray("text/plain") << 3000;
        QTest::newRow("bad gateway") << 502 << QByteArray("text/html") << 100;
        QTest::newRow("redirect") << 302 << QByteArray("text/html") << 100;
        QTest::newRow("problem") << 503 << QByteArray("application/problem+json") << 0;
    }
    void foreignAnswersKeepThePart() {
        QFETCH(int, status);
        QFETCH(QByteArray, type);
        QFETCH(int, size);
        const QByteArray content = noise(kBytes);
        HttpsServer server([&](const HttpRequest&, const HttpReply& reply) {
            reply.respond(status, type, size == 0 ? QByteArray("{\"code\":\"maintenance\",\"title\":\"back soon\"}") : QByteArray(size, '<'));
        });
        Rig rig;
        writeFile(rig.path("object.part"), content.left(250'000));
        const Outcome first = rig.run(fetch(server, rig, content));
        QVERIFY2(failureText(first) != "none", "a foreign answer was taken");
        if (type.toLower().startsWith("text/html") && status == 200) {
            QVERIFY2(failedWith(first, ErrorCode::Network), failureText(first).c_str());
            QVERIFY2(QByteArray::fromStdString(failureText(first)).contains("sign-in page"), failureText(first).c_str());
        }
        QVERIFY(!fs::exists(rig.path("object")));
        QVERIFY(contentOf(rig.path("object.part")) == content.left(250'000));
        server.setHandler(serveFile(content, hexOf(content)));
        const Outcome second = rig.run(fetch(server, rig, content));
        QCOMPARE(failureText(second), std::string("none"));
        QCOMPARE(second.response->status, 206);
        QVERIFY(contentOf(rig.path("object")) == content);
    }

    /// A link at the place of the part would let somebody else's file be overwritten.
    void linkInTheWayIsNotFollowed() {
        const QByteArray content = noise(kBytes);
        HttpsServer server(serveFile(content, hexOf(content)));
        Rig rig;
        writeFile(rig.path("precious"), "precious");
        QVERIFY(::symlink(rig.path("precious").c_str(), rig.path("object.part").c_str()) == 0);
        QVERIFY(failureText(rig.run(fetch(server, rig, content))) != "none");
        QCOMPARE(contentOf(rig.path("precious")), QByteArray("precious"));
    }

    void severalAtOnce() {
        QList<QByteArray> contents;
        for (quint32 i = 0; i < 12; ++i) { contents.append(noise(200'000 + static_cast<qsizetype>(i) * 1111, i)); }
        HttpsServer server([&](const HttpRequest& request, const HttpReply& reply) {
            for (const QByteArray& content : contents) {
                if (request.target.endsWith(hexOf(content))) { reply.respond(200, "application/octet-stream", content); }
            }
        });
        Rig rig;
        int done = 0;
        std::vector<std::string> failures;
        for (qsizetype i = 0; i < contents.size(); ++i) {
            Request request = fetch(server, rig, contents.at(i));
            request.target->path = rig.path(("object" + std::to_string(i)).c_str());
            rig.transfers().start(std::move(request), [&](const Outcome& outcome) {
                ++done;
                if (failureText(outcome) != "none") { failures.push_back(failureText(outcome)); }
            });
        }
        QVERIFY(rig.waitUntil([&] { return done == contents.size(); }));
        QVERIFY2(failures.empty(), failures.empty() ? "" : failures.front().c_str());
        for (qsizetype i = 0; i < contents.size(); ++i) { QVERIFY(contentOf(rig.path(("object" + std::to_string(i)).c_str())) == contents.at(i)); }
    }
};

QTEST_GUILESS_MAIN(TstDownloads)
#include "tst_downloads.moc"
