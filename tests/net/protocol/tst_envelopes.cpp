// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/dsse.h"
#include "net/protocol/limits.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;
using samples::Who;

class TestEnvelopes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void preAuthEncodingOfTheSpec();
    void signsAndVerifies();
    void thresholds();
    void oneKeyCountsOnce();
    void oneKeyUnderTwoIdsCountsOnce();
    void otherTypeOrPayloadIsRefused();
    void emptyRoleIsRefused();
    void malformedEnvelopes_data();
    void malformedEnvelopes();
};

namespace {

constexpr const char* kType = "application/vnd.sunloco.test+json";

RoleKeys roleOf(std::initializer_list<Who> who, std::int64_t threshold) {
    RoleKeys role;
    role.threshold = threshold;
    for (const Who w : who) {
        const PublicKey key = samples::keyOf(w).publicKey();
        role.keys.emplace(keyId(key), key);
    }
    return role;
}

Envelope signedBy(std::initializer_list<Who> who) {
    Envelope envelope{kType, "{\"a\":1}", {}};
    for (const Who w : who) {
        const KeyPair key = samples::keyOf(w);
        const Envelope one = signEnvelope(kType, envelope.payload, {&key});
        envelope.signatures.push_back(one.signatures.front());
    }
    return envelope;
}

}  // namespace

// The example of the DSSE specification (protocol.md).
void TestEnvelopes::preAuthEncodingOfTheSpec() {
    QCOMPARE(preAuthEncoding("http://example.com/HelloWorld", "hello world"), std::string("DSSEv1 29 http://example.com/HelloWorld 11 hello world"));
    QCOMPARE(preAuthEncoding("", ""), std::string("DSSEv1 0  0 "));
}

void TestEnvelopes::signsAndVerifies() {
    const Envelope envelope = signedBy({Who::Root});
    QVERIFY(verifyEnvelope(envelope, kType, roleOf({Who::Root}, 1)));
    const auto again = Envelope::parse(envelope.serialise(), 4096);
    QVERIFY(again && *again == envelope);
    QVERIFY(verifyEnvelope(*again, kType, roleOf({Who::Root}, 1)));
}

void TestEnvelopes::thresholds() {
    const RoleKeys twoOfTwo = roleOf({Who::Root, Who::Root2}, 2);
    QVERIFY(verifyEnvelope(signedBy({Who::Root, Who::Root2}), kType, twoOfTwo));
    QVERIFY(verifyEnvelope(signedBy({Who::Stranger, Who::Root2, Who::Root}), kType, twoOfTwo));   // unknown ids are ignored
    const auto missing = verifyEnvelope(signedBy({Who::Root}), kType, twoOfTwo);
    QVERIFY(!missing);
    QCOMPARE(int(missing.error().code), int(core::ErrorCode::SignatureInvalid));
    QVERIFY(!verifyEnvelope(signedBy({Who::Stranger, Who::Root}), kType, twoOfTwo));
}

void TestEnvelopes::oneKeyCountsOnce() {
    QVERIFY(!verifyEnvelope(signedBy({Who::Root, Who::Root}), kType, roleOf({Who::Root, Who::Root2}, 2)));
}

void TestEnvelopes::oneKeyUnderTwoIdsCountsOnce() {
    RoleKeys role = roleOf({Who::Root}, 2);
    role.keys.emplace("another-id", samples::keyOf(Who::Root).publicKey());
    Envelope envelope = signedBy({Who::Root, Who::Root});
    envelope.signatures[1].keyid = "another-id";
    QVERIFY(!verifyEnvelope(envelope, kType, role));
}

void TestEnvelopes::otherTypeOrPayloadIsRefused() {
    const RoleKeys role = roleOf({Who::Root}, 1);
    Envelope envelope = signedBy({Who::Root});
    QVERIFY(!verifyEnvelope(envelope, "application/vnd.sunloco.root+json", role));
    envelope.payloadType = "application/vnd.sunloco.root+json";   // a signature of one role must not serve another
    QVERIFY(!verifyEnvelope(envelope, "application/vnd.sunloco.root+json", role));
    envelope = signedBy({Who::Root});
    envelope.payload += " ";
    QVERIFY(!verifyEnvelope(envelope, kType, role));
    envelope = signedBy({Who::Root});
    envelope.signatures[0].sig[10] ^= 1;
    QVERIFY(!verifyEnvelope(envelope, kType, role));
}

void TestEnvelopes::emptyRoleIsRefused() {
    QVERIFY(!verifyEnvelope(signedBy({Who::Root}), kType, roleOf({Who::Root}, 0)));
    QVERIFY(!verifyEnvelope(signedBy({Who::Root}), kType, roleOf({}, 1)));
}

void TestEnvelopes::malformedEnvelopes_data() {
    QTest::addColumn<QByteArray>("text");
    const std::string good = signedBy({Who::Root}).serialise();
    const std::string sig = core::toBase64(signedBy({Who::Root}).signatures[0].sig);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        return at == std::string::npos ? std::string("not found: " + from) : text.replace(at, from.size(), to);
    };
    const auto row = [](const char* name, const std::string& text) { QTest::newRow(name) << QByteArray::fromStdString(text); };
    row("empty", "");
    row("array", "[]");
    row("no payload", changed("\"payload\":", "\"payloae\":"));
    row("unknown key", changed("{\"payload\":", "{\"extra\":1,\"payload\":"));
    row("payload is not base64", changed("\"payload\":\"", "\"payload\":\"*"));
    row("no signatures", "{\"payload\":\"\",\"payloadType\":\"a\",\"signatures\":[]}");
    row("signature of 63 bytes", changed(sig, core::toBase64(core::Bytes(63))));
    row("keyid with a slash", changed("\"keyid\":\"", "\"keyid\":\"../"));
    row("key twice", changed("{\"payload\":", "{\"payload\":\"\",\"payload\":"));
    row("something behind", good + "{}");
    std::string many = "{\"payload\":\"\",\"payloadType\":\"a\",\"signatures\":[";
    for (std::size_t i = 0; i <= kMaxSignatures; ++i) { many += std::string(i == 0 ? "" : ",") + "{\"keyid\":\"k\",\"sig\":\"" + sig + "\"}"; }
    row("too many signatures", many + "]}");
    row("too large", good + std::string(4096, ' '));
}

void TestEnvelopes::malformedEnvelopes() {
    QFETCH(QByteArray, text);
    QVERIFY(!text.startsWith("not found"));
    QVERIFY(!Envelope::parse(text.toStdString(), 4096));
}

QTEST_GUILESS_MAIN(TestEnvelopes)
#include "tst_envelopes.moc"
