// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/paths.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;

class TestPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void builtPathsAreRead();
    void strangePathsAreNotFound_data();
    void strangePathsAreNotFound();
    void bearers();
    void everyChangeIsProtected();
};

void TestPaths::builtPathsAreRead() {
    const auto route = [](const std::string& path) { return parseRoute(path).value(); };
    QCOMPARE(route("/").endpoint, Endpoint::Page);
    QCOMPARE(route("/metrics").endpoint, Endpoint::Metrics);
    QCOMPARE(route(std::string(kStatusPath)).endpoint, Endpoint::Status);
    QCOMPARE(route(std::string(kRootPath)).endpoint, Endpoint::Root);
    QCOMPARE(route(rootPath(12)).endpoint, Endpoint::RootVersion);
    QCOMPARE(route(rootPath(12)).number, std::int64_t{12});
    QCOMPARE(route(std::string(kTimestampPath)).endpoint, Endpoint::Timestamp);
    const core::Digest digest = samples::hashOf("x");
    QCOMPARE(route(objectPath(digest)).endpoint, Endpoint::Object);
    QVERIFY(route(objectPath(digest)).digest == digest);
    QCOMPARE(route(std::string(kDevicesPath)).endpoint, Endpoint::Enrol);
    QCOMPARE(route(std::string(kOwnContributionsPath)).endpoint, Endpoint::OwnContributions);
    QCOMPARE(route(std::string(kLeasePath)).endpoint, Endpoint::Lease);
    QCOMPARE(route(heartbeatPath("abc")).endpoint, Endpoint::Heartbeat);
    QCOMPARE(route(heartbeatPath("abc")).id, std::string("abc"));
    QCOMPARE(route(releasePath("abc")).endpoint, Endpoint::Release);
    QCOMPARE(route(std::string(kContributionsPath)).endpoint, Endpoint::CreateContribution);
    QCOMPARE(route(contributionPath("abc")).endpoint, Endpoint::ContributionStatus);
    QCOMPARE(route(partPath("abc", 16'383)).endpoint, Endpoint::PutPart);
    QCOMPARE(route(partPath("abc", 16'383)).number, std::int64_t{16'383});
    QCOMPARE(route(commitPath("abc")).endpoint, Endpoint::Commit);
    QCOMPARE(route(bearerPath("abc")).endpoint, Endpoint::Bearer);
}

void TestPaths::strangePathsAreNotFound_data() {
    QTest::addColumn<QByteArray>("path");
    for (const char* path : {"", "x", "//", "/v1", "/v1/", "/v2/status", "/v1/status/", "/v1/meta", "/v1/meta/root/0.json", "/v1/meta/root/01.json", "/v1/meta/root/-1.json",
                             "/v1/meta/root/1", "/v1/meta/root/9999999999.json", "/v1/objects/sha256/../../keys", "/v1/objects/sha256/AB", "/v1/objects/md5/abc",
                             "/v1/contributions/", "/v1/contributions/a b", "/v1/contributions/..", "/v1/contributions/a/parts/16384", "/v1/contributions/a/parts/", "/v1/contributions/a/parts/1/2",
                             "/v1/contributions/a/parts/00", "/v1/contributions/a/delete", "/v1/leases/a", "/v1/leases/a/heartbeat/x", "/v1/a/b/c/d/e/f/g", "/%2e%2e/keys"}) {
        QTest::newRow(path) << QByteArray(path);
    }
    QTest::newRow("very long") << QByteArray("/v1/contributions/" + QByteArray(100'000, 'a'));
}

void TestPaths::strangePathsAreNotFound() {
    QFETCH(QByteArray, path);
    const auto route = parseRoute(path.toStdString());
    QVERIFY(!route);
    QCOMPARE(int(route.error().code), int(core::ErrorCode::NotFound));
}

void TestPaths::bearers() {
    QCOMPARE(bearerToken("Bearer abcdefghijklmnop"), std::string_view("abcdefghijklmnop"));
    for (const char* wrong : {"", "Bearer", "Bearer ", "Bearer short", "bearer abcdefghijklmnop", "Basic abcdefghijklmnop", "Bearer abcdefgh ijklmnop"}) { QVERIFY2(bearerToken(wrong).empty(), wrong); }
}

void TestPaths::everyChangeIsProtected() {
    for (int i = 0; i <= static_cast<int>(Endpoint::Bearer); ++i) {
        const auto endpoint = static_cast<Endpoint>(i);
        const bool changes = methodOf(endpoint) != "GET";
        QVERIFY(!changes || needsSignature(endpoint) || needsBearer(endpoint));
        QVERIFY(!(needsSignature(endpoint) && needsBearer(endpoint)));
    }
}

QTEST_GUILESS_MAIN(TestPaths)
#include "tst_paths.moc"
