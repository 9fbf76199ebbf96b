// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace sunloco::core;

class TestJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void refusesBadDocuments_data();
    void refusesBadDocuments();
    void aMillionBrackets();
    void limits();
    void typedMembers();
    void errorsNameTheKey();
};

void TestJson::refusesBadDocuments_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("two documents") << QByteArray("{} {}");
    QTest::newRow("something after it") << QByteArray("{}x");
    QTest::newRow("trailing comma") << QByteArray("[1,]");
    QTest::newRow("comment") << QByteArray("{/* */}");
    QTest::newRow("single quotes") << QByteArray("{'a':1}");
    QTest::newRow("NaN") << QByteArray("[NaN]");
    QTest::newRow("number beyond a double") << QByteArray("[1e999]");
    QTest::newRow("leading zero") << QByteArray("[01]");
    QTest::newRow("same key twice") << QByteArray("{\"a\":1,\"a\":2}");
    QTest::newRow("same key twice, deep") << QByteArray("[{\"b\":{\"a\":1,\"a\":1}}]");
    QTest::newRow("same key by escape") << QByteArray("{\"a\":1,\"\\u0061\":2}");
    QTest::newRow("not UTF-8") << QByteArray("[\"\xff\"]");
    QTest::newRow("overlong UTF-8") << QByteArray("[\"\xc0\x80\"]");
    QTest::newRow("half a surrogate pair") << QByteArray("[\"\\ud800\"]");
    QTest::newRow("control character") << QByteArray("[\"\x01\"]");
    QTest::newRow("cut") << QByteArray("{\"a\":");
}
void TestJson::refusesBadDocuments() {
    QFETCH(QByteArray, text);
    const auto json = parseJson({text.data(), static_cast<std::size_t>(text.size())}, {}, "the test");
    QVERIFY(!json);
    QCOMPARE(json.error().code, ErrorCode::InvalidData);
    QCOMPARE(json.error().context, std::string("the test"));
}

void TestJson::aMillionBrackets() {
    for (const char bracket : {'[', '{'}) {
        std::string text;
        for (int i = 0; i < 1'000'000; ++i) { text += bracket == '[' ? "[" : "{\"a\":"; }
        const auto json = parseJson(text, {.maxBytes = 16u << 20, .maxDepth = 16, .maxElements = 10'000'000});
        QVERIFY(!json);
        QCOMPARE(json.error().code, ErrorCode::LimitExceeded);
    }
}

void TestJson::limits() {
    QVERIFY(parseJson("[[[1]]]", {.maxDepth = 3}));
    QCOMPARE(parseJson("[[[[1]]]]", {.maxDepth = 3}).error().code, ErrorCode::LimitExceeded);
    QVERIFY(parseJson("[1,2,3]", {.maxElements = 4}));
    QCOMPARE(parseJson("[1,2,3,4]", {.maxElements = 4}).error().code, ErrorCode::LimitExceeded);
    QVERIFY(parseJson("[1]", {.maxBytes = 3}));
    QCOMPARE(parseJson("[1] ", {.maxBytes = 3}).error().code, ErrorCode::LimitExceeded);
}

void TestJson::typedMembers() {
    const Json json = *parseJson(R"({"i": 5, "n": -3, "big": 18446744073709551615, "f": 1.5, "one": 1.0, "t": "x", "b": true, "z": null})");
    QCOMPARE(*intMember(json, "i", "", 0, 5), std::int64_t{5});
    QCOMPARE(*intMember(json, "n", "", -3, 0), std::int64_t{-3});
    QVERIFY(!intMember(json, "i", "", 0, 4));
    QVERIFY(!intMember(json, "i", "", 6, 9));
    QVERIFY(!intMember(json, "n", "", 0, 9));
    QVERIFY(!intMember(json, "big", "", 0, std::numeric_limits<std::int64_t>::max()));
    QVERIFY(!intMember(json, "big", "", -5, -1));
    QVERIFY(!intMember(json, "one", "", 0, 5));
    QVERIFY(!intMember(json, "t", "", 0, 5));
    QVERIFY(!intMember(json, "b", "", 0, 5));
    QCOMPARE(*numberMember(json, "f", "", 0, 2), 1.5);
    QCOMPARE(*numberMember(json, "i", "", 0, 5), 5.0);
    QVERIFY(!numberMember(json, "f", "", 2, 3));
    QVERIFY(!numberMember(json, "z", "", 0, 1));
    QVERIFY(!stringMember(json, "i", ""));
    QVERIFY(!boolMember(json, "i", ""));
    QVERIFY(*boolMember(json, "b", ""));
    QVERIFY(!member(Json(3), "i", ""));
}

void TestJson::errorsNameTheKey() {
    const Json json = *parseJson(R"({"steps": "ten", "colour": 1})");
    QVERIFY(intMember(json, "steps", "recipe", 1, 9).error().message.find("\"recipe.steps\"") != std::string::npos);
    QVERIFY(intMember(json, "seed", "recipe", 1, 9).error().message.find("\"recipe.seed\"") != std::string::npos);
    const auto closed = refuseUnknownKeys(json, {"steps"}, "recipe");
    QVERIFY(!closed);
    QVERIFY(closed.error().message.find("\"recipe.colour\"") != std::string::npos);
    QVERIFY(refuseUnknownKeys(json, {"steps", "colour"}, "recipe"));
}

QTEST_GUILESS_MAIN(TestJson)
#include "tst_json.moc"
