// SPDX-License-Identifier: Apache-2.0
#include "engine/core/bytes.h"
#include "engine/core/error.h"
#include "engine/core/exit_codes.h"
#include "engine/core/sha256.h"

#include <QtTest>

#include <rapidcheck.h>

#include <set>

using namespace sunloco::core;

class TestBytes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void base64KnownValues_data();
    void base64KnownValues();
    void base64IsStrict_data();
    void base64IsStrict();
    void hexIsStrict_data();
    void hexIsStrict();
    void base32KnownValues();
    void roundTrips();
    void littleEndian();
    void sha256KnownValues();
    void digestsAreStrict();
    void everyErrorHasANameOfItsOwn();
};

// RFC 4648 section 10.
void TestBytes::base64KnownValues_data() {
    QTest::addColumn<QByteArray>("plain");
    QTest::addColumn<QByteArray>("coded");
    const std::pair<const char*, const char*> rows[] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (const auto& [plain, coded] : rows) { QTest::newRow(*plain ? plain : "empty") << QByteArray(plain) << QByteArray(coded); }
}
void TestBytes::base64KnownValues() {
    QFETCH(QByteArray, plain);
    QFETCH(QByteArray, coded);
    QCOMPARE(toBase64(asBytes(plain.toStdString())), coded.toStdString());
    const auto back = fromBase64(coded.toStdString());
    QVERIFY(back);
    QCOMPARE(toText(*back), plain.toStdString());
}

void TestBytes::base64IsStrict_data() {
    QTest::addColumn<QByteArray>("coded");
    QTest::newRow("no padding") << QByteArray("Zg");
    QTest::newRow("too much padding") << QByteArray("Zg======");
    QTest::newRow("padding in the middle") << QByteArray("Zg==Zm9v");
    QTest::newRow("three pads") << QByteArray("Z===");
    QTest::newRow("only pads") << QByteArray("====");
    QTest::newRow("line end") << QByteArray("Zm9v\n");
    QTest::newRow("space") << QByteArray("Zm 9");
    QTest::newRow("stray bits, one pad") << QByteArray("Zm9=");
    QTest::newRow("stray bits, two pads") << QByteArray("Zh==");
    QTest::newRow("url alphabet") << QByteArray("_-_-");
    QTest::newRow("not ASCII") << QByteArray("Zm\xc3\xb6");
    QTest::newRow("zero byte") << QByteArray("Zm9\0", 4);
}
void TestBytes::base64IsStrict() {
    QFETCH(QByteArray, coded);
    const auto back = fromBase64({coded.data(), static_cast<std::size_t>(coded.size())});
    QVERIFY(!back);
    QCOMPARE(back.error().code, ErrorCode::InvalidData);
}

void TestBytes::hexIsStrict_data() {
    QTest::addColumn<QByteArray>("text");
    for (const char* text : {"0", "0G", "AB", "0x", " 0", "0 ", "00\n"}) { QTest::newRow(text) << QByteArray(text); }
}
void TestBytes::hexIsStrict() {
    QFETCH(QByteArray, text);
    QVERIFY(!fromHex(text.toStdString()));
}

// RFC 4648 section 10, lower case and without padding.
void TestBytes::base32KnownValues() {
    const std::pair<const char*, const char*> rows[] = {{"", ""}, {"f", "my"}, {"fo", "mzxq"}, {"foo", "mzxw6"}, {"foob", "mzxw6yq"}, {"fooba", "mzxw6ytb"}, {"foobar", "mzxw6ytboi"}};
    for (const auto& [plain, coded] : rows) { QCOMPARE(toBase32(asBytes(plain)), std::string(coded)); }
}

void TestBytes::roundTrips() {
    QVERIFY(rc::check("hex and base64 give the bytes back", [](const Bytes& bytes) {
        RC_ASSERT(*fromHex(toHex(bytes)) == bytes);
        RC_ASSERT(*fromBase64(toBase64(bytes)) == bytes);
    }));
    QVERIFY(rc::check("what base64 accepts has no other spelling", [](const std::string& text) {
        const auto bytes = fromBase64(text);
        if (bytes) { RC_ASSERT(toBase64(*bytes) == text); }
    }));
}

void TestBytes::littleEndian() {
    std::uint8_t bytes[8] = {};
    writeU16(bytes, 0x0201);
    QVERIFY(bytes[0] == 1 && bytes[1] == 2);
    writeU32(bytes, 0x04030201);
    QVERIFY(bytes[0] == 1 && bytes[3] == 4);
    writeU64(bytes, 0x0807060504030201);
    QVERIFY(bytes[0] == 1 && bytes[7] == 8);
    QCOMPARE(readU16(bytes), std::uint16_t{0x0201});
    QCOMPARE(readU32(bytes), std::uint32_t{0x04030201});
    QCOMPARE(readU64(bytes), std::uint64_t{0x0807060504030201});
}

// FIPS 180-4 examples.
void TestBytes::sha256KnownValues() {
    QCOMPARE(sha256({}).hex(), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(sha256(asBytes("abc")).hex(), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    Sha256 hash;
    for (const char c : std::string("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) { hash.update(asBytes(std::string(1, c))); }
    QCOMPARE(hash.finish().hex(), std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    hash.update(asBytes("abc"));
    QCOMPARE(hash.finish().hex(), sha256(asBytes("abc")).hex());
}

void TestBytes::digestsAreStrict() {
    const std::string good(64, 'a');
    QVERIFY(parseDigest(good));
    for (const std::string& bad : {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'), std::string(62, 'a') + "0x", std::string(66, 'a')}) { QVERIFY(!parseDigest(bad)); }
}

void TestBytes::everyErrorHasANameOfItsOwn() {
    std::set<std::string_view> names;
    const int count = static_cast<int>(ErrorCode::Internal) + 1;
    for (int i = 0; i < count; ++i) { names.insert(errorName(static_cast<ErrorCode>(i))); }
    QCOMPARE(static_cast<int>(names.size()), count);
    QCOMPARE(exitCodeFor(ErrorCode::DiskFull), ExitCode::DiskFull);
    QCOMPARE(exitCodeFor(ErrorCode::InvalidData), ExitCode::BadInput);
    QCOMPARE((Error{ErrorCode::Io, "It broke", "a file"}.text()), std::string("It broke (a file)"));
}

QTEST_GUILESS_MAIN(TestBytes)
#include "tst_bytes.moc"
