// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/names.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;

/// Threat 2: names from outside that try to become paths, headers or terminal commands.
class TestHostileNames : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void names_data();
    void names();
    void texts_data();
    void texts();
    void tokens();
};

void TestHostileNames::names_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("good");
    const auto row = [](const char* label, const QByteArray& text, bool good) { QTest::newRow(label) << text << good; };
    row("plain", "round-7_part.0", true);
    row("one character", "a", true);
    row("64 characters", QByteArray(64, 'a'), true);
    row("65 characters", QByteArray(65, 'a'), false);
    row("empty", "", false);
    row("dot", ".", false);
    row("two dots", "..", false);
    row("three dots", "...", true);
    row("parent folder", "../x", false);
    row("absolute", "/etc/passwd", false);
    row("drive", "C:\\x", false);
    row("backslash", "a\\b", false);
    row("capital", "CON", false);
    row("NUL byte", QByteArray("a\0b", 3), false);
    row("space", "a b", false);
    row("line feed", "a\n", false);
    row("escape", "a\x1b[2J", false);
    row("percent", "%2e%2e", false);
    row("full-width dots", "\xef\xbc\x8e\xef\xbc\x8e", false);
    row("Cyrillic a", "\xd0\xb0", false);
    row("byte that is no UTF-8", "\xff", false);
}

void TestHostileNames::names() {
    QFETCH(QByteArray, text);
    QFETCH(bool, good);
    QCOMPARE(isName(text.toStdString()), good);
    QCOMPARE(checkName(text.toStdString(), "field").has_value(), good);
}

void TestHostileNames::texts_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<bool>("one");
    QTest::addColumn<bool>("many");
    const auto row = [](const char* label, const QByteArray& text, bool one, bool many) { QTest::newRow(label) << text << one << many; };
    row("plain", "Sun at noon", true, true);
    row("other scripts", "\xe5\xa4\xaa\xe9\x99\xbd \xed\x83\x9c\xec\x96\x91 \xf0\x9f\x8c\x9e", true, true);
    row("line feed", "a\nb", false, true);
    row("carriage return", "a\rb", false, false);
    row("tab", "a\tb", false, false);
    row("escape", "\x1b[31mred", false, false);
    row("delete", "a\x7f", false, false);
    row("C1 control", "a\xc2\x9b", false, false);
    row("right-to-left override", "a\xe2\x80\xae" "b", false, false);
    row("isolate", "a\xe2\x81\xa6" "b", false, false);
    row("line separator", "a\xe2\x80\xa8" "b", false, false);
    row("overlong slash", "\xc0\xaf", false, false);
    row("surrogate", "\xed\xa0\x80", false, false);
    row("above Unicode", "\xf4\x90\x80\x80", false, false);
    row("cut character", "a\xe2\x82", false, false);
    row("lone continuation", "\x80", false, false);
    row("too long", QByteArray(101, 'a'), false, false);
    row("empty", "", false, false);
}

void TestHostileNames::texts() {
    QFETCH(QByteArray, text);
    QFETCH(bool, one);
    QFETCH(bool, many);
    QCOMPARE(checkText(text.toStdString(), 1, 100, Lines::One, "field").has_value(), one);
    QCOMPARE(checkText(text.toStdString(), 1, 100, Lines::Many, "field").has_value(), many);
}

void TestHostileNames::tokens() {
    QVERIFY(isToken("abc.DEF-123_~!", 1, 64));
    for (const char* wrong : {"", "a b", "a\"b", "a\\b", "a\nb", "\xc3\xbc", "\x7f"}) { QVERIFY2(!isToken(wrong, 1, 64), wrong); }
    QVERIFY(!isToken("abc", 4, 64));
    QVERIFY(!isToken("abcde", 1, 4));
}

QTEST_GUILESS_MAIN(TestHostileNames)
#include "tst_hostile_names.moc"
