// SPDX-License-Identifier: Apache-2.0
// What is read from an answer: problem documents, Retry-After, hosts and pins.
#include "tests/net/transfer/transfer_rig.h"

#include <QTest>

using namespace sunloco;
using namespace sunloco::transfer;

class TstTexts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void retryAfterInSeconds() {
        QCOMPARE(parseRetryAfter("0", 0).value(), 0);
        QCOMPARE(parseRetryAfter("120", 5).value(), 120'000);
        QCOMPARE(parseRetryAfter("  7", 5).value(), 7'000);
        // Nobody waits longer than a week because a header says so.
        QCOMPARE(parseRetryAfter("99999999", 0).value(), std::int64_t{7} * 24 * 3600 * 1000);
        for (const char* wrong : {"", "-1", "soon", "12 apples", "1.5e", "99999999999999999999999"}) { QVERIFY2(!parseRetryAfter(wrong, 0), wrong); }
    }

    void retryAfterAsDate() {
        constexpr std::int64_t kNow = 1'445'412'480'000;  // Wed, 21 Oct 2015 07:28:00 GMT
        QCOMPARE(parseRetryAfter("Wed, 21 Oct 2015 07:29:30 GMT", kNow).value(), 90'000);
        QCOMPARE(parseRetryAfter("Wednesday, 21-Oct-15 07:29:30 GMT", kNow).value(), 90'000);
        QVERIFY(!parseRetryAfter("Wed, 21 Oct 2015 07:28:00 GMT", kNow));
        QVERIFY(!parseRetryAfter("Tue, 20 Oct 2015 07:28:00 GMT", kNow));
        QVERIFY(!parseRetryAfter("Wed, 42 Oct 2015 99:28:00 GMT", kNow));
        QCOMPARE(parseRetryAfter("Fri, 31 Dec 2100 23:59:59 GMT", kNow).value(), std::int64_t{7} * 24 * 3600 * 1000);
    }

    void problemsAreRead() {
        const auto problem = parseProblem("{\"type\":\"about:blank\",\"title\":\"Too many\",\"status\":429,\"detail\":\"slow down\",\"code\":\"too-many-requests\",\"retry_after_ms\":1500}");
        QVERIFY(problem.has_value());
        QCOMPARE(problem->code, std::string("too-many-requests"));
        QCOMPARE(problem->title, std::string("Too many"));
        QCOMPARE(problem->detail, std::string("slow down"));
        QCOMPARE(problem->status, 429);
        QCOMPARE(problem->retryAfterMs.value(), 1500);
    }

    void foreignProblemsDoNoHarm() {
        for (const char* wrong : {"", "null", "[]", "{}", "{\"status\":500}", "<html>", "{\"code\":1}", "{\"code\":\"a\",\"code\":\"b\"}", "{\"code\":\"a\"} x", "{\"title\":null}"}) {
            QVERIFY2(!parseProblem(wrong), wrong);
        }
        QVERIFY(!parseProblem(std::string(1000, '[') + std::string(1000, ']')));
        QVERIFY(!parseProblem("{\"code\":\"a\",\"x\":\"" + std::string(70'000, 'x') + "\"}"));
        // Control characters would change a terminal's state or break the log's lines.
        const auto control = parseProblem("{\"code\":\"a\",\"detail\":\"one\\ntwo\\u001b[31mthree\\u007f\"}");
        QVERIFY(control.has_value());
        QCOMPARE(control->detail, std::string("one two [31mthree "));
        // A long text is cut between two characters, never inside one.
        std::string euros;
        for (int i = 0; i < 400; ++i) { euros += "\xe2\x82\xac"; }
        const auto cut = parseProblem("{\"code\":\"a\",\"detail\":\"" + euros + "\"}");
        QVERIFY(cut.has_value());
        QVERIFY(cut->detail.size() > 490 && cut->detail.size() <= 500);
        QCOMPARE(cut->detail.size() % 3, std::size_t{0});
        QCOMPARE(QString::fromStdString(cut->detail).toStdString(), cut->detail);
        QCOMPARE(parseProblem("{\"code\":\"a\",\"retry_after_ms\":-5}")->retryAfterMs.value(), 0);
        QCOMPARE(parseProblem("{\"code\":\"a\",\"retry_after_ms\":9000000000000}")->retryAfterMs.value(), std::int64_t{7} * 24 * 3600 * 1000);
        QVERIFY(!parseProblem("{\"code\":\"a\",\"retry_after_ms\":\"soon\"}")->retryAfterMs);
        // A number that no integer holds must not become another one.
        QCOMPARE(parseProblem("{\"code\":\"a\",\"status\":4294967700}")->status, 0);
        QCOMPARE(parseProblem("{\"code\":\"a\",\"retry_after_ms\":18446744073709551615}")->retryAfterMs.value(), std::int64_t{7} * 24 * 3600 * 1000);
    }

    void hostsOfAddresses() {
        QCOMPARE(hostOf("https://Train.Example:8443/v1/x?y#z"), std::string("train.example:8443"));
        QCOMPARE(hostOf("https://h?x"), std::string("h"));
        QCOMPARE(hostOf("https://h#x"), std::string("h"));
        QCOMPARE(hostOf("nothing"), std::string());
        QCOMPARE(hostOf(""), std::string());
    }

    void pinsOfLinks() {
        QCOMPARE(pinFromBase64Url("ab-_"), std::string("ab+/"));
        QCOMPARE(pinFromBase64Url("ab-"), std::string("ab+="));
        const core::Bytes bytes{0xfb, 0xff, 0xfe, 0x01};
        QCOMPARE(pinFromBase64Url("-__-AQ"), core::toBase64(bytes));
    }
};

QTEST_GUILESS_MAIN(TstTexts)
#include "tst_texts.moc"
