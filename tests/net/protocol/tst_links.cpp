// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "net/protocol/link.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>
#include <nlohmann/json.hpp>

using namespace sunloco;
using namespace sunloco::protocol;

/// Links as people paste them: what is read, and what a wrong one is told.
class TestLinks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goldenLinkReadsAndWrites();
    void formsOfOneLink_data();
    void formsOfOneLink();
    void wrongLinks_data();
    void wrongLinks();
    void addresses();
};

namespace {
const std::string kHash(64, 'a');
std::string good() { return "https://example.org:8443/#root=" + kHash; }
}  // namespace

void TestLinks::goldenLinkReadsAndWrites() {
    const auto vectors = core::Json::parse(samples::golden("vectors.json"));
    const std::string text = vectors["link"].get<std::string>();
    const auto link = parseLink(text);
    QVERIFY2(link, link ? "" : link.error().text().c_str());
    QCOMPARE(link->host, std::string("example.org"));
    QCOMPARE(int(link->port), 8443);
    QCOMPARE(link->root.hex(), vectors["root_hash"].get<std::string>());
    QVERIFY(link->pin.has_value());
    QCOMPARE(link->pin->hex(), vectors["pin"].get<std::string>());
    QCOMPARE(formatLink(*link), text);
}

void TestLinks::formsOfOneLink_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("as made") << QString::fromStdString(good());
    QTest::newRow("spaces and line ends around") << QString::fromStdString("  " + good() + "\r\n");
    QTest::newRow("no slash") << QString::fromStdString("https://example.org:8443#root=" + kHash);
    QTest::newRow("capitals") << QString::fromStdString("HTTPS://Example.ORG:8443/#root=" + std::string(64, 'A'));
}

void TestLinks::formsOfOneLink() {
    QFETCH(QString, text);
    const auto link = parseLink(text.toStdString());
    QVERIFY2(link, link ? "" : link.error().text().c_str());
    QCOMPARE(formatLink(*link), good());
}

void TestLinks::wrongLinks_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& text, const char* says) { QTest::newRow(name) << QString::fromStdString(text) << QString::fromLatin1(says); };
    const std::string root = "/#root=" + kHash;
    row("empty", "  ", "is empty");
    row("other words", "hello", "does not begin with https://");
    row("plain http", "http://example.org" + root, "not encrypted");
    row("file", "file:///etc/passwd", "does not begin with https://");
    row("no hash", "https://example.org/", "lacks the project's fingerprint");
    row("short hash", "https://example.org/#root=" + std::string(63, 'a'), "here it has 63 characters");
    row("hash with g", "https://example.org/#root=" + std::string(64, 'g'), "not all of them are digits");
    row("twice", good() + "&root=" + kHash, "twice");
    row("cut pin", good() + "&pin=abc", "cut or changed");
    row("padded pin", good() + "&pin=" + std::string(43, 'A') + "=", "cut or changed");
    row("unknown part", good() + "&admin=1", "\"admin=1\" that this version does not know");
    row("user name", "https://me:pw@example.org" + root, "user name");
    row("path", "https://example.org/x" + root, "only \"/\" may stand");
    row("query", "https://example.org/?a=1#root=" + kHash, "only \"/\" may stand");
    row("query without slash", "https://example.org?a=1#root=" + kHash, "only \"/\" may stand");
    row("port 0", "https://example.org:0" + root, "not a number from 1 to 65535");
    row("port 65536", "https://example.org:65536" + root, "not a number from 1 to 65535");
    row("port in words", "https://example.org:https" + root, "not a number from 1 to 65535");
    row("empty port", "https://example.org:" + root, "not a number from 1 to 65535");
    row("no host", "https://" + root, "server address");
    row("host with dots", "https://a..b" + root, "server address");
    row("host with bar", "https://a_b" + root, "server address");
    row("open bracket", "https://[::1" + root, "server address");
    row("IPv6 with zone", "https://[fe80::1%25eth0]" + root, "server address");
    row("space inside", "https://example.org/ #root=" + kHash, "space, a line break");
    row("newline inside", good().substr(0, 40) + "\n" + good().substr(40), "space, a line break");
    row("umlaut", "https://m\xc3\xbcller.de" + root, "special character");
    row("too long", "https://example.org/#root=" + std::string(kMaxLinkBytes, 'a'), "too long");
}

void TestLinks::wrongLinks() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    const auto link = parseLink(text.toStdString());
    QVERIFY(!link);
    const QString message = QString::fromStdString(link.error().message);
    QVERIFY2(message.contains(says), qPrintable(message));
    QVERIFY2(message.contains(u"Copy the whole link again"_qs), qPrintable(message));
    QVERIFY2(!message.contains(u'\n'), qPrintable(message));
}

void TestLinks::addresses() {
    auto link = parseLink("https://[2001:db8::1]:9000/#root=" + kHash);
    QVERIFY(link);
    QCOMPARE(link->host, std::string("2001:db8::1"));
    QCOMPARE(link->authority(), std::string("[2001:db8::1]:9000"));
    QCOMPARE(link->origin(), std::string("https://[2001:db8::1]:9000"));
    link = parseLink("https://example.org:443/#root=" + kHash);
    QVERIFY(link);
    QCOMPARE(link->authority(), std::string("example.org"));
    QCOMPARE(formatLink(*link), "https://example.org/#root=" + kHash);
}

QTEST_GUILESS_MAIN(TestLinks)
#include "tst_links.moc"
