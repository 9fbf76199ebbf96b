// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/keys.h"
#include "net/protocol/names.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <set>

using namespace sunloco;
using namespace sunloco::protocol;

class TestKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rfc8032Vectors();
    void namesOfKeys();
    void seedsComeBack();
    void wrongInputIsRefused();
    void smallOrderKeyAndLongSAreRefused();
    void movedKeysSign();
    void randomIdsAreNamesAndDiffer();
    void secretsCompareAndWipe();
    void base64Url();
};

// RFC 8032 section 7.1, tests 1 and 2.
void TestKeys::rfc8032Vectors() {
    const struct {
        const char* seed;
        const char* key;
        const char* message;
        const char* signature;
    } rows[] = {
        {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
        {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb", "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    };
    for (const auto& row : rows) {
        const auto pair = KeyPair::fromSeed(*core::fromHex(row.seed));
        QVERIFY(pair);
        QCOMPARE(core::toHex(pair->publicKey().bytes), std::string(row.key));
        const core::Bytes message = *core::fromHex(row.message);
        QCOMPARE(core::toHex(pair->sign(message)), std::string(row.signature));
        QVERIFY(verify(pair->publicKey(), message, *core::fromHex(row.signature)));
        core::Bytes other = message;
        other.push_back(0);
        QVERIFY(!verify(pair->publicKey(), other, *core::fromHex(row.signature)));
    }
}

// From the second implementation (make_golden.py).
void TestKeys::namesOfKeys() {
    const auto vectors = core::Json::parse(samples::golden("vectors.json"));
    const PublicKey key = samples::keyOf(samples::Who::Device).publicKey();
    QCOMPARE(toBase64(key), vectors["device_public_key"].get<std::string>());
    QCOMPARE(deviceId(key), vectors["device_id"].get<std::string>());
    QCOMPARE(keyId(key), vectors["device_keyid"].get<std::string>());
    QVERIFY(isName(deviceId(key)));
    QVERIFY(isName(keyId(key)));
}

void TestKeys::seedsComeBack() {
    const auto pair = KeyPair::generate();
    QVERIFY(pair);
    core::Bytes seed = pair->exportSeed();
    const auto again = KeyPair::fromSeed(seed);
    QVERIFY(again);
    QVERIFY(again->publicKey() == pair->publicKey());
    wipe(seed);
    QVERIFY(seed == core::Bytes(32, 0));
}

void TestKeys::wrongInputIsRefused() {
    QVERIFY(!KeyPair::fromSeed(core::Bytes(31)));
    QVERIFY(!KeyPair::fromSeed(core::Bytes(64)));
    QVERIFY(!parsePublicKey("AAAA"));
    QVERIFY(!parsePublicKey(""));
    QVERIFY(!parsePublicKey(std::string(43, 'A')));
    const auto pair = KeyPair::generate();
    const auto parsed = parsePublicKey(toBase64(pair->publicKey()));
    QVERIFY(parsed && *parsed == pair->publicKey());
    const Signature signature = pair->sign({});
    QVERIFY(!verify(pair->publicKey(), {}, core::ByteView(signature).first(63)));
    QVERIFY(!verify(pair->publicKey(), {}, {}));
}

void TestKeys::smallOrderKeyAndLongSAreRefused() {
    // The neutral element as key: without the check, R = neutral and S = 0 would sign every message.
    PublicKey neutral;
    neutral.bytes[0] = 1;
    core::Bytes signature(64, 0);
    signature[0] = 1;
    QVERIFY(!verify(neutral, core::asBytes("anything"), signature));

    // S + L is the same number modulo the group order, so a second signature of one message, if it were accepted.
    const auto pair = KeyPair::generate();
    const Signature right = pair->sign(core::asBytes("message"));
    const core::Bytes order = *core::fromHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    core::Bytes changed(right.begin(), right.end());
    int carry = 0;
    for (std::size_t i = 0; i < 32; ++i) {
        const int sum = changed[32 + i] + order[i] + carry;
        changed[32 + i] = static_cast<std::uint8_t>(sum);
        carry = sum >> 8;
    }
    QCOMPARE(carry, 0);
    QVERIFY(verify(pair->publicKey(), core::asBytes("message"), right));
    QVERIFY(!verify(pair->publicKey(), core::asBytes("message"), changed));
}

void TestKeys::movedKeysSign() {
    KeyPair first = samples::keyOf(samples::Who::Root);
    const PublicKey key = first.publicKey();
    KeyPair second = samples::keyOf(samples::Who::Device);
    second = std::move(first);
    QVERIFY(verify(key, core::asBytes("x"), second.sign(core::asBytes("x"))));
}

void TestKeys::randomIdsAreNamesAndDiffer() {
    std::set<std::string> seen;
    for (int i = 0; i < 1000; ++i) {
        const std::string id = randomId();
        QVERIFY(isName(id));
        QCOMPARE(id.size(), std::size_t{26});
        QVERIFY(seen.insert(id).second);
    }
    QCOMPARE(randomToken().size(), std::size_t{52});
    QVERIFY(isToken(randomToken(), 16, 256));
}

void TestKeys::secretsCompareAndWipe() {
    QVERIFY(equalSecrets("abc", "abc"));
    QVERIFY(!equalSecrets("abc", "abd"));
    QVERIFY(!equalSecrets("abc", "abcd"));
    QVERIFY(equalSecrets("", ""));
    std::string secret = "secret";
    wipe(secret);
    QVERIFY(secret == std::string(6, '\0'));
}

void TestKeys::base64Url() {
    QCOMPARE(toBase64Url(*core::fromHex("fbff")), std::string("-_8"));
    QVERIFY(*fromBase64Url("-_8") == *core::fromHex("fbff"));
    QVERIFY(!fromBase64Url("+/8"));
    QVERIFY(!fromBase64Url("-_8="));
    QVERIFY(!fromBase64Url("-_9"));   // stray bits
    QVERIFY(!fromBase64Url("a"));
    QVERIFY(fromBase64Url("") && fromBase64Url("")->empty());
}

QTEST_GUILESS_MAIN(TestKeys)
#include "tst_keys.moc"
