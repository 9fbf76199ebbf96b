// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/digest_header.h"
#include "net/protocol/limits.h"
#include "net/protocol/range_header.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;

class TestHeaders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void digestOfTheRfc();
    void wrongDigests_data();
    void wrongDigests();
    void otherAlgorithmsAreIgnored();
    void ranges_data();
    void ranges();
    void contentRanges();
    void resumeRoundTrip();
};

// RFC 9530 appendix B.1: the body {"hello": "world"} and a line feed.
void TestHeaders::digestOfTheRfc() {
    const core::Digest digest = core::sha256(core::asBytes("{\"hello\": \"world\"}\n"));
    const std::string header = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
    QCOMPARE(formatContentDigest(digest), header);
    const auto parsed = parseContentDigest(header);
    QVERIFY(parsed && *parsed == digest);
}

void TestHeaders::wrongDigests_data() {
    QTest::addColumn<QByteArray>("header");
    const QByteArray value = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=";
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no colons") << "sha-256=" + value;
    QTest::newRow("no closing colon") << "sha-256=:" + value;
    QTest::newRow("other algorithm only") << "sha-512=:" + value + ":";
    QTest::newRow("capital name") << "SHA-256=:" + value + ":";
    QTest::newRow("short value") << QByteArray("sha-256=:RK/0:");
    QTest::newRow("hex value") << QByteArray("sha-256=:44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38:");
    QTest::newRow("twice") << "sha-256=:" + value + ":, sha-256=:" + value + ":";
    QTest::newRow("comma at the end") << "sha-256=:" + value + ":,";
    QTest::newRow("no name") << "=:" + value + ":";
    QTest::newRow("too long") << "sha-256=:" + value + ":" + QByteArray(int(kMaxHeaderBytes), ' ');
}

void TestHeaders::wrongDigests() {
    QFETCH(QByteArray, header);
    QVERIFY(!parseContentDigest(header.toStdString()));
}

void TestHeaders::otherAlgorithmsAreIgnored() {
    const auto parsed = parseContentDigest("md5=:AAAA:,\tsha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=: , x=:AA==:");
    QVERIFY(parsed);
    QCOMPARE(parsed->hex().substr(0, 8), std::string("44aff4ab"));
}

void TestHeaders::ranges_data() {
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<qint64>("size");
    QTest::addColumn<int>("kind");
    QTest::addColumn<qint64>("first");
    QTest::addColumn<qint64>("count");
    const auto row = [](const char* header, qint64 size, RangeKind kind, qint64 first, qint64 count) { QTest::newRow(header) << QByteArray(header) << size << int(kind) << first << count; };
    row("", 100, RangeKind::Whole, 0, 100);
    row("bytes=0-", 100, RangeKind::Part, 0, 100);
    row("bytes=40-", 100, RangeKind::Part, 40, 60);
    row("bytes=40-49", 100, RangeKind::Part, 40, 10);
    row("bytes=40-400", 100, RangeKind::Part, 40, 60);
    row("bytes=99-99", 100, RangeKind::Part, 99, 1);
    row("bytes=100-", 100, RangeKind::Unsatisfiable, 0, 0);
    row("bytes=-10", 100, RangeKind::Part, 90, 10);
    row("bytes=-1000", 100, RangeKind::Part, 0, 100);
    row("bytes=-0", 100, RangeKind::Unsatisfiable, 0, 0);
    row("bytes=50-40", 100, RangeKind::Whole, 0, 100);
    row("bytes=0-1,5-6", 100, RangeKind::Whole, 0, 100);
    row("items=0-1", 100, RangeKind::Whole, 0, 100);
    row("bytes=a-b", 100, RangeKind::Whole, 0, 100);
    row("bytes=-", 100, RangeKind::Whole, 0, 100);
    row("bytes= 0-1", 100, RangeKind::Whole, 0, 100);
    row("bytes=99999999999999999999-", 100, RangeKind::Whole, 0, 100);
    row("bytes=0-999999999999999999", 100, RangeKind::Part, 0, 100);
    row("bytes=0- of nothing", 0, RangeKind::Whole, 0, 0);
}

void TestHeaders::ranges() {
    QFETCH(QByteArray, header);
    QFETCH(qint64, size);
    QFETCH(int, kind);
    QFETCH(qint64, first);
    QFETCH(qint64, count);
    const RangeAnswer answer = parseRange(header.toStdString(), size);
    QCOMPARE(int(answer.kind), kind);
    QCOMPARE(qint64(answer.range.first), first);
    QCOMPARE(qint64(answer.range.count), count);
}

void TestHeaders::contentRanges() {
    QCOMPARE(formatContentRange({40, 60}, 100), std::string("bytes 40-99/100"));
    QCOMPARE(formatUnsatisfied(100), std::string("bytes */100"));
    const auto part = parseContentRange("bytes 40-99/100");
    QVERIFY(part && *part == (ContentRange{ByteRange{40, 60}, 100}));
    const auto none = parseContentRange("bytes */100");
    QVERIFY(none && *none == (ContentRange{{}, 100}));
    for (const char* wrong : {"", "bytes", "bytes 40-99/*", "bytes 99-40/100", "bytes 40-100/100", "bytes -1-5/10", "bytes 0-0/0", "items 0-1/2", "bytes 0-1/2x"}) {
        QVERIFY2(!parseContentRange(wrong), wrong);
    }
}

void TestHeaders::resumeRoundTrip() {
    const std::int64_t size = 1000;
    for (const std::int64_t first : {0, 1, 500, 999}) {
        const RangeAnswer answer = parseRange(formatRange(first), size);
        QCOMPARE(int(answer.kind), int(RangeKind::Part));
        const auto parsed = parseContentRange(formatContentRange(answer.range, size));
        QVERIFY(parsed && parsed->range->first == first && parsed->range->count == size - first);
    }
    QCOMPARE(formatRange(5, 10), std::string("bytes=5-14"));
}

QTEST_GUILESS_MAIN(TestHeaders)
#include "tst_headers.moc"
