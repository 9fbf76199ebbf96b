// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "net/protocol/paths.h"
#include "net/protocol/signatures.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <set>

using namespace sunloco;
using namespace sunloco::protocol;
using samples::kNow;
using samples::Who;

class TestSignatures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rfc9421VectorB26();
    void goldenRequest();
    void verifies();
    void verifiesWithoutBody();
    void replayIsRefused();
    void changedRequests_data();
    void changedRequests();
    void changedParameters_data();
    void changedParameters();
    void clocks_data();
    void clocks();
    void strangersAreUnknown();
    void nonceIsAskedLast();
    void bodies();
    void badNonceIsNotSigned();
};

namespace {

constexpr const char* kAuthority = "example.org:8443";
const std::string kBody = "{\"steps\":42}";
constexpr const char* kNonce = "mzxw6ytboi3tcmrtgq2tmnzy";

SignedRequest plainRequest() { return {"POST", kAuthority, "/v1/contributions", "", {{"idempotency-key", "nbswy3dpeb3w64tmmqqq"}}}; }

SignedRequest sealed(SignedRequest request, const std::string& body = kBody, core::UtcMs now = kNow, Who who = Who::Device) {
    const auto added = signRequest(request, body, samples::keyOf(who), now, kNonce);
    if (!added) { return request; }
    for (const auto& [header, value] : *added) { request.headers[header] = value; }
    return request;
}

/// A server that knows the sample device and remembers nonces.
struct Server {
    std::set<std::string> nonces;
    int asked = 0;
    VerifyOutcome check(const SignedRequest& request, core::UtcMs now = kNow) {
        VerifyOptions options;
        options.authority = kAuthority;
        options.now = now;
        options.findKey = [](const std::string& id) -> std::optional<PublicKey> {
            const PublicKey key = samples::keyOf(Who::Device).publicKey();
            return id == deviceId(key) ? std::optional(key) : std::nullopt;
        };
        options.useNonce = [this](const std::string&, const std::string& nonce, core::UtcMs) {
            ++asked;
            return nonces.insert(nonce).second;
        };
        return verifyRequest(request, options);
    }
};

QString codeOf(const VerifyOutcome& outcome) { return outcome ? u"accepted"_qs : QString::fromStdString(std::string(name(outcome.code))); }

void replace(std::string& text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    if (at == std::string::npos) { qFatal("the test looks for \"%s\", which is not there", from.c_str()); }
    text.replace(at, from.size(), to);
}

}  // namespace

// RFC 9421 appendix B.2.6, key test-key-ed25519 (B.1.4).
void TestSignatures::rfc9421VectorB26() {
    const SignedRequest request{"POST", "example.com", "/foo", "param=Value&Pet=dog",
                                {{"date", "Tue, 20 Apr 2021 02:07:55 GMT"}, {"content-type", "application/json"}, {"content-length", "18"}}};
    const std::string header = R"(sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519")";
    const auto input = SignatureInput::parse(header);
    QVERIFY(input);
    QCOMPARE(input->label, std::string("sig-b26"));
    QCOMPARE(*input->created, std::int64_t{1'618'884'473});
    QCOMPARE(*input->keyid, std::string("test-key-ed25519"));
    const auto base = signatureBase(request, input->components, input->params);
    QVERIFY(base);
    QCOMPARE(*base, std::string("\"date\": Tue, 20 Apr 2021 02:07:55 GMT\n\"@method\": POST\n\"@path\": /foo\n\"@authority\": example.com\n"
                                "\"content-type\": application/json\n\"content-length\": 18\n\"@signature-params\": ") + header.substr(8));
    const auto signature = parseSignatureHeader("sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:", "sig-b26");
    QVERIFY(signature);
    const auto key = parsePublicKey("JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=");
    QVERIFY(key);
    QVERIFY(verify(*key, core::asBytes(*base), *signature));
    // Ed25519 is deterministic, so our own signature must be the same bytes.
    const auto pair = KeyPair::fromSeed(*core::fromBase64("n4Ni+HpISpVObnQMW0wOhCKROaIKqKtW/2ZYb2p9KcU="));
    QVERIFY(pair);
    QVERIFY(pair->publicKey() == *key);
    const Signature own = pair->sign(core::asBytes(*base));
    QVERIFY(core::Bytes(own.begin(), own.end()) == *signature);
}

// Written by the second implementation (make_golden.py).
void TestSignatures::goldenRequest() {
    const auto vector = core::Json::parse(samples::golden("vectors.json"))["request"];
    const std::string body = samples::golden("contribution_request.json");
    SignedRequest request{"POST", vector["authority"], vector["path"], "", {{"idempotency-key", vector["idempotency_key"].get<std::string>()}}};
    const auto added = signRequest(request, body, samples::keyOf(Who::Device), vector["now"].get<std::int64_t>(), vector["nonce"].get<std::string>());
    QVERIFY(added);
    for (const auto& [header, value] : *added) { request.headers[header] = value; }
    QCOMPARE(request.headers["content-digest"], vector["content_digest"].get<std::string>());
    QCOMPARE(request.headers["content-length"], vector["content_length"].get<std::string>());
    QCOMPARE(request.headers["signature-input"], vector["signature_input"].get<std::string>());
    QCOMPARE(request.headers["signature"], vector["signature"].get<std::string>());
    const auto input = SignatureInput::parse(request.headers["signature-input"]);
    QVERIFY(input);
    QCOMPARE(*signatureBase(request, input->components, input->params), vector["signature_base"].get<std::string>());
}

void TestSignatures::verifies() {
    Server server;
    const auto outcome = server.check(sealed(plainRequest()));
    QVERIFY2(outcome, outcome.detail.c_str());
    QCOMPARE(outcome.signature->deviceId, deviceId(samples::keyOf(Who::Device).publicKey()));
    QCOMPARE(outcome.signature->nonce, std::string(kNonce));
    QCOMPARE(outcome.signature->created, kNow / 1000 * 1000);
    QCOMPARE(outcome.signature->expires, kNow / 1000 * 1000 + 300'000);
}

void TestSignatures::verifiesWithoutBody() {
    Server server;
    const SignedRequest request = sealed({"GET", kAuthority, std::string(kOwnContributionsPath), "limit=5", {}}, "");
    QCOMPARE(request.headers.count("content-digest"), std::size_t{0});
    QVERIFY(server.check(request));
    SignedRequest changed = request;
    changed.query = "limit=6";
    QCOMPARE(codeOf(Server().check(changed)), u"bad-signature"_qs);
    // A POST without content still states it.
    const SignedRequest commit = sealed({"POST", kAuthority, commitPath("abc"), "", {}}, "");
    QCOMPARE(commit.headers.at("content-length"), std::string("0"));
    QVERIFY(Server().check(commit));
}

void TestSignatures::replayIsRefused() {
    Server server;
    const SignedRequest request = sealed(plainRequest());
    QVERIFY(server.check(request));
    QCOMPARE(codeOf(server.check(request)), u"replayed-nonce"_qs);
}

void TestSignatures::changedRequests_data() {
    QTest::addColumn<QString>("change");
    for (const char* change : {"method", "authority", "other server", "path", "query", "digest", "length", "idempotency key", "no idempotency key", "signature bit", "no signature", "no input"}) {
        QTest::newRow(change) << QString::fromLatin1(change);
    }
}

void TestSignatures::changedRequests() {
    QFETCH(QString, change);
    SignedRequest request = sealed(plainRequest());
    auto& headers = request.headers;
    if (change == u"method"_qs) { request.method = "PUT"; }
    if (change == u"authority"_qs) { request.authority = "evil.example:8443"; }
    if (change == u"other server"_qs) {   // signed for another server and sent on to us
        request = plainRequest();
        request.authority = "evil.example:8443";
        request = sealed(request);
    }
    if (change == u"path"_qs) { request.path = "/v1/tasks/lease"; }
    if (change == u"query"_qs) { request.query = "admin=1"; }
    if (change == u"digest"_qs) { headers["content-digest"] = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"; }
    if (change == u"length"_qs) { headers["content-length"] = "13"; }
    if (change == u"idempotency key"_qs) { headers["idempotency-key"] = "another-key-another"; }
    if (change == u"no idempotency key"_qs) { headers.erase("idempotency-key"); }
    if (change == u"signature bit"_qs) { headers["signature"][10] = headers["signature"][10] == 'A' ? 'B' : 'A'; }
    if (change == u"no signature"_qs) { headers.erase("signature"); }
    if (change == u"no input"_qs) { headers.erase("signature-input"); }
    Server server;
    QCOMPARE(codeOf(server.check(request)), u"bad-signature"_qs);
    QCOMPARE(server.asked, 0);
}

void TestSignatures::changedParameters_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::newRow("component left out") << QByteArray(" \"content-digest\"") << QByteArray();
    QTest::newRow("other order") << QByteArray("\"@method\" \"@authority\"") << QByteArray("\"@authority\" \"@method\"");
    QTest::newRow("component twice") << QByteArray("\"@method\"") << QByteArray("\"@method\" \"@method\"");
    QTest::newRow("component with a parameter") << QByteArray("\"@query\"") << QByteArray("\"@query\";bs");
    QTest::newRow("unknown parameter") << QByteArray(";tag=") << QByteArray(";role=\"admin\";tag=");
    QTest::newRow("parameter twice") << QByteArray(";tag=") << QByteArray(";keyid=\"x\";tag=");
    QTest::newRow("other algorithm") << QByteArray("\"ed25519\"") << QByteArray("\"hmac-sha256\"");
    QTest::newRow("other tag") << QByteArray("sunloco-v1") << QByteArray("sunloco-v2");
    QTest::newRow("no tag") << QByteArray(";tag=\"sunloco-v1\"") << QByteArray();
    QTest::newRow("no nonce") << QByteArray(QByteArray(";nonce=\"") + kNonce + "\"") << QByteArray();
    QTest::newRow("short nonce") << QByteArray(kNonce) << QByteArray("abc");
    QTest::newRow("nonce as a number") << QByteArray(QByteArray("\"") + kNonce + "\"") << QByteArray("5");
    QTest::newRow("key id with a slash") << QByteArray("keyid=\"") << QByteArray("keyid=\"../");
    QTest::newRow("created with a sign") << QByteArray("created=") << QByteArray("created=-");
    QTest::newRow("created with zeros") << QByteArray("created=") << QByteArray("created=0");
    QTest::newRow("created with 16 digits") << QByteArray("created=") << QByteArray("created=1000000");
    QTest::newRow("space") << QByteArray(";alg") << QByteArray("; alg");
    QTest::newRow("second signature") << QByteArray("\"sunloco-v1\"") << QByteArray("\"sunloco-v1\", sig2=()");
    QTest::newRow("no list") << QByteArray("(") << QByteArray();
    QTest::newRow("escape") << QByteArray("sunloco-v1") << QByteArray("sunloco\\\"v1");
    QTest::newRow("other label") << QByteArray("sig1=") << QByteArray("sig2=");
}

void TestSignatures::changedParameters() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    // Signed properly over the changed parameters, so that only the profile can refuse it.
    SignedRequest request = sealed(plainRequest());
    std::string& input = request.headers["signature-input"];
    replace(input, from.toStdString(), to.toStdString());
    if (const auto parsed = SignatureInput::parse(input)) {
        if (const auto base = signatureBase(request, parsed->components, parsed->params)) {
            request.headers["signature"] = "sig1=:" + core::toBase64(samples::keyOf(Who::Device).sign(core::asBytes(*base))) + ":";
        }
    }
    Server server;
    QCOMPARE(codeOf(server.check(request)), u"bad-signature"_qs);
    QCOMPARE(server.asked, 0);
}

void TestSignatures::clocks_data() {
    QTest::addColumn<qint64>("serverAheadMs");
    QTest::addColumn<QString>("expected");
    QTest::newRow("same") << qint64{0} << u"accepted"_qs;
    QTest::newRow("just in time") << qint64{300'000} << u"accepted"_qs;
    QTest::newRow("too late") << qint64{300'001} << u"clock-skew"_qs;
    QTest::newRow("sender 300 s ahead") << qint64{-300'000} << u"accepted"_qs;
    QTest::newRow("sender too far ahead") << qint64{-300'001} << u"clock-skew"_qs;
    QTest::newRow("days") << qint64{-3 * 86'400'000} << u"clock-skew"_qs;
}

void TestSignatures::clocks() {
    QFETCH(qint64, serverAheadMs);
    QFETCH(QString, expected);
    QCOMPARE(codeOf(Server().check(sealed(plainRequest()), kNow + serverAheadMs)), expected);

    // Too long a life is no clock problem: the client asked for what it must not have.
    SignedRequest request = sealed(plainRequest());
    replace(request.headers["signature-input"], "expires=" + std::to_string(kNow / 1000 + 300), "expires=" + std::to_string(kNow / 1000 + kMaxSignatureLifeSeconds + 1));
    QCOMPARE(codeOf(Server().check(request)), u"bad-signature"_qs);
    request = sealed(plainRequest());
    replace(request.headers["signature-input"], "expires=" + std::to_string(kNow / 1000 + 300), "expires=" + std::to_string(kNow / 1000));
    QCOMPARE(codeOf(Server().check(request)), u"bad-signature"_qs);
}

void TestSignatures::strangersAreUnknown() {
    QCOMPARE(codeOf(Server().check(sealed(plainRequest(), kBody, kNow, Who::Stranger))), u"unknown-device"_qs);
    // A key store that answers with somebody else's key.
    VerifyOptions options{kAuthority, kNow, [](const std::string&) { return std::optional(samples::keyOf(Who::Root).publicKey()); },
                          [](const std::string&, const std::string&, core::UtcMs) { return true; }};
    QCOMPARE(codeOf(verifyRequest(sealed(plainRequest()), options)), u"unknown-device"_qs);
}

void TestSignatures::nonceIsAskedLast() {
    Server server;
    SignedRequest request = sealed(plainRequest());
    request.path = "/v1/other";   // a forged request must not use up the nonce of the right one
    QVERIFY(!server.check(request));
    QCOMPARE(server.asked, 0);
    QVERIFY(server.check(sealed(plainRequest())));
    QCOMPARE(server.asked, 1);
}

void TestSignatures::bodies() {
    const SignedRequest request = sealed(plainRequest());
    QVERIFY(checkBody(request, kBody));
    QVERIFY(!checkBody(request, kBody + " "));
    std::string flipped = kBody;
    flipped[3] ^= 1;
    const auto outcome = checkBody(request, flipped);
    QVERIFY(!outcome);
    QCOMPARE(int(outcome.error().code), int(core::ErrorCode::HashMismatch));
    QVERIFY(!checkBody(plainRequest(), kBody));
}

void TestSignatures::badNonceIsNotSigned() {
    for (const char* nonce : {"", "short", "has a space in it for sure", "quote\"quote\"quote\"quote"}) {
        QVERIFY(!signRequest(plainRequest(), kBody, samples::keyOf(Who::Device), kNow, nonce));
    }
    SignedRequest split = plainRequest();
    split.headers["idempotency-key"] = "a\r\nx: y";
    QVERIFY(!signRequest(split, kBody, samples::keyOf(Who::Device), kNow, kNonce));
}

QTEST_GUILESS_MAIN(TestSignatures)
#include "tst_signatures.moc"
