// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>
#include <nlohmann/json.hpp>

#include <set>

using namespace sunloco;
using namespace sunloco::protocol;
using core::Json;

class TestMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void goldenFiles();
    void requestsAreClosed();
    void answersAreOpen();
    void wrongFields_data();
    void wrongFields();
    void optionalFields();
    void partsOfTheModel();
    void receipts();
    void states();
    void problems();
    void textThatIsNoUtf8IsStillWritten();
};

namespace {

/// Golden bytes -> value equal to the sample -> the same bytes, and the sample -> the golden bytes.
template <typename T>
void checkGolden(const char* file, const T& sample) {
    const std::string bytes = samples::golden(file);
    QVERIFY2(!bytes.empty(), file);
    QCOMPARE(sample.serialise(), bytes);
    const auto read = T::parse(bytes);
    QVERIFY2(read, read ? "" : (std::string(file) + ": " + read.error().text()).c_str());
    QVERIFY2(*read == sample, file);
    QCOMPARE(read->serialise(), bytes);
}

/// The error of reading a message by the name of its golden file; empty when it is right.
QString readError(const QString& file, const std::string& text) {
    const auto read = [&](auto message) -> QString {
        const auto result = decltype(message)::parse(text);
        return result ? QString() : QString::fromStdString(result.error().text());
    };
    if (file == u"enrol_request"_qs) { return read(EnrolRequest{}); }
    if (file == u"enrol_answer"_qs) { return read(EnrolAnswer{}); }
    if (file == u"lease_request"_qs) { return read(LeaseRequest{}); }
    if (file == u"lease"_qs) { return read(Lease{}); }
    if (file == u"heartbeat_request"_qs) { return read(HeartbeatRequest{}); }
    if (file == u"heartbeat_answer"_qs) { return read(HeartbeatAnswer{}); }
    if (file == u"release_request"_qs) { return read(ReleaseRequest{}); }
    if (file == u"contribution_request"_qs) { return read(ContributionRequest{}); }
    if (file == u"contribution_created"_qs) { return read(ContributionCreated{}); }
    if (file == u"bearer_answer"_qs) { return read(BearerAnswer{}); }
    if (file == u"contribution_status"_qs || file == u"contribution_status_rejected"_qs) { return read(ContributionStatus{}); }
    if (file == u"commit_answer"_qs) { return read(CommitAnswer{}); }
    if (file == u"receipt"_qs) { return read(ReceiptPayload{}); }
    if (file == u"own_contributions"_qs) { return read(OwnContributions{}); }
    if (file == u"status"_qs) { return read(StatusAnswer{}); }
    if (file == u"problem"_qs) { return read(Problem{}); }
    return u"no such message"_qs;
}

std::string goldenOf(const QString& file) { return samples::golden(file.toStdString() + ".json"); }

}  // namespace

void TestMessages::goldenFiles() {
    checkGolden("enrol_request.json", samples::enrolRequest());
    checkGolden("enrol_answer.json", samples::enrolAnswer());
    checkGolden("lease_request.json", samples::leaseRequest());
    checkGolden("lease.json", samples::lease());
    checkGolden("heartbeat_request.json", samples::heartbeatRequest());
    checkGolden("heartbeat_answer.json", samples::heartbeatAnswer());
    checkGolden("release_request.json", samples::releaseRequest());
    checkGolden("contribution_request.json", samples::contributionRequest());
    checkGolden("contribution_created.json", samples::contributionCreated());
    checkGolden("bearer_answer.json", samples::bearerAnswer());
    checkGolden("contribution_status.json", samples::contributionStatus());
    checkGolden("contribution_status_rejected.json", samples::contributionStatusRejected());
    checkGolden("commit_answer.json", samples::commitAnswer());
    checkGolden("receipt.json", samples::receipt());
    checkGolden("own_contributions.json", samples::ownContributions());
    checkGolden("status.json", samples::status());
    checkGolden("problem.json", samples::problem());
}

void TestMessages::requestsAreClosed() {
    for (const QString& file : {u"enrol_request"_qs, u"lease_request"_qs, u"heartbeat_request"_qs, u"release_request"_qs, u"contribution_request"_qs, u"receipt"_qs}) {
        Json json = Json::parse(goldenOf(file));
        json["more"] = 1;
        QVERIFY2(readError(file, json.dump()).contains(u"more\" is unknown"_qs), qPrintable(file));
    }
}

void TestMessages::answersAreOpen() {
    for (const QString& file : {u"enrol_answer"_qs, u"lease"_qs, u"heartbeat_answer"_qs, u"contribution_created"_qs, u"bearer_answer"_qs, u"contribution_status"_qs,
                                u"commit_answer"_qs, u"status"_qs, u"problem"_qs}) {
        Json json = Json::parse(goldenOf(file));
        json["more"] = {{"a", 1}};
        QCOMPARE(readError(file, json.dump()), QString());
    }
}

void TestMessages::wrongFields_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("patch");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* file, const char* patch, const char* says) {
        QTest::newRow((std::string(file) + " " + patch).c_str()) << QString::fromLatin1(file) << QByteArray(patch) << QString::fromLatin1(says);
    };
    row("enrol_request", R"({"public_key":"AAAA"})", "public key");
    row("enrol_request", R"({"software":""})", "software");
    row("enrol_request", R"({"name":"a\u001b[31m"})", "control character");
    row("enrol_request", R"({"invite":"has space"})", "invite");
    row("enrol_answer", R"({"trust":"root"})", "trust");
    row("enrol_answer", R"({"device_id":"../x"})", "device_id");
    row("lease_request", R"({"round_seen":-1})", "round_seen");
    row("lease_request", R"({"sequence":9007199254740993})", "sequence");
    row("lease_request", R"({"tokens_per_second":-5})", "tokens_per_second");
    row("lease_request", R"({"tokens_per_second":1e300})", "tokens_per_second");
    row("lease", R"({"steps":0})", "steps");
    row("lease", R"({"min_steps":101})", "min_steps");
    row("lease", R"({"examples":{"count":0}})", "examples.count");
    row("lease", R"({"examples":7})", "examples");
    row("lease", R"({"seed":-1})", "seed");
    row("lease", R"({"seed":1.5})", "seed");
    row("lease", R"({"upload_codec":"zip"})", "zip");
    row("lease", R"({"codec_block":2})", "8 MiB");
    row("lease", R"({"lease_id":""})", "lease_id");
    row("lease", R"({"expires_at":253402300800000})", "expires_at");
    row("heartbeat_request", R"({"steps":1000000001})", "steps");
    row("heartbeat_answer", R"({"round_open":1})", "round_open");
    row("release_request", R"({"reason":"Because I say so"})", "reason");
    row("contribution_request", R"({"steps":0})", "steps");
    row("contribution_request", R"({"entry_loss":-0.5})", "entry_loss");
    row("contribution_request", R"({"exit_loss":null})", "exit_loss");
    row("contribution_request", R"({"delta_norm":"big"})", "delta_norm");
    row("contribution_request", R"({"parts":[]})", "parts");
    row("contribution_request", R"({"parts":[{"n":1,"bytes":10,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","first":0,"elements":1}]})", "parts[0].n");
    row("contribution_request", R"({"parts":[{"n":0,"bytes":9000000,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","first":0,"elements":1}]})", "parts[0].bytes");
    row("contribution_request", R"({"parts":[{"n":0,"bytes":10,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","first":5,"elements":1}]})", "parts[0].first");
    row("contribution_request", R"({"parts":[{"n":0,"bytes":10,"sha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","first":0,"elements":1,"path":"/x"}]})", "path");
    row("contribution_created", R"({"bearer":"short"})", "bearer");
    row("contribution_created", R"({"bearer":"aaaaaaaaaaaaaaaa\r\nX: y"})", "bearer");
    row("contribution_status", R"({"missing":[1,0]})", "missing");
    row("contribution_status", R"({"missing":[0,0]})", "missing");
    row("contribution_status", R"({"missing":[-1]})", "missing");
    row("contribution_status", R"({"missing":[16384]})", "missing");
    row("contribution_status", R"({"state":"done"})", "state");
    row("contribution_status_rejected", R"({"code":"a b"})", "code");
    row("commit_answer", R"({"receipt":{"signatures":[]}})", "signatures");
    row("commit_answer", R"({"receipt":null})", "receipt");
    row("receipt", R"({"round":0})", "round");
    row("receipt", R"({"parts_digest":"00"})", "parts_digest");
    row("status", R"({"state":"happy"})", "state");
    row("status", R"({"history":[{"round":1}]})", "history[0]");
    row("status", R"({"project":{"name":"two\nlines"}})", "project.name");
    row("status", R"({"initial_held_out_loss":-1})", "initial_held_out_loss");
    row("problem", R"({"status":200})", "status");
    row("problem", R"({"code":"A B"})", "code");
    row("problem", R"({"retry_after_ms":-1})", "retry_after_ms");
}

void TestMessages::wrongFields() {
    QFETCH(QString, file);
    QFETCH(QByteArray, patch);
    QFETCH(QString, says);
    QCOMPARE(readError(file, goldenOf(file)), QString());
    Json json = Json::parse(goldenOf(file));
    json.merge_patch(Json::parse(patch.toStdString()));
    const QString error = readError(file, json.dump());
    QVERIFY2(error.contains(says), qPrintable(error));
    // What is not even an object, or too large, or too deep.
    for (const std::string& text : {std::string(), std::string("null"), std::string("7"), std::string("<html>"), std::string(5 * kMiB, ' '), std::string(1000, '[')}) {
        QVERIFY(!readError(file, text).isEmpty());
    }
}

void TestMessages::optionalFields() {
    const EnrolRequest bare{samples::keyOf(samples::Who::Device).publicKey(), {}, {}, "x"};
    QVERIFY(EnrolRequest::parse(bare.serialise()).value() == bare);
    QVERIFY(bare.serialise().find("invite") == std::string::npos);
    const LeaseRequest noSpeed{0, 0, "x", {}};
    QVERIFY(LeaseRequest::parse(noSpeed.serialise()).value() == noSpeed);
    StatusAnswer status = samples::status();
    status.energy.reset();
    status.initialHeldOutLoss.reset();
    QVERIFY(StatusAnswer::parse(status.serialise()).value() == status);
    QVERIFY(status.serialise().find("\"initial_held_out_loss\":null") != std::string::npos);   // unknown is never 0
}

void TestMessages::partsOfTheModel() {
    ContributionRequest request = samples::contributionRequest();
    const std::int64_t elements = request.parts[0].elements;
    QVERIFY(checkParts(request.parts, core::Codec::Int8, 64, elements));
    QVERIFY(!checkParts(request.parts, core::Codec::Fp32, 64, elements));
    QVERIFY(!checkParts(request.parts, core::Codec::Int8, 32, elements));
    QVERIFY(!checkParts(request.parts, core::Codec::Int8, 64, elements + 1));
    QVERIFY(!checkParts({}, core::Codec::Int8, 64, elements));
    // Each field is part of what the receipt stands for.
    const core::Digest before = partsDigest(request.parts);
    for (int field = 0; field < 5; ++field) {
        auto parts = request.parts;
        if (field == 0) { ++parts[0].n; }
        if (field == 1) { ++parts[0].first; }
        if (field == 2) { ++parts[0].elements; }
        if (field == 3) { ++parts[0].bytes; }
        if (field == 4) { parts[0].sha256.bytes[31] ^= 1; }
        QVERIFY(partsDigest(parts) != before);
    }
}

void TestMessages::receipts() {
    const Root root = samples::root();
    const KeyPair rounds = samples::keyOf(samples::Who::Rounds);
    const auto receipt = verifyReceipt(signReceipt(samples::receipt(), rounds), root);
    QVERIFY2(receipt, receipt ? "" : receipt.error().text().c_str());
    QVERIFY(*receipt == samples::receipt());
    for (const auto who : {samples::Who::Targets, samples::Who::Timestamp, samples::Who::Device, samples::Who::Stranger}) {
        const KeyPair key = samples::keyOf(who);
        QVERIFY(!verifyReceipt(signReceipt(samples::receipt(), key), root));
    }
    // A rounds file is no receipt, although the same key signed it.
    QVERIFY(!verifyReceipt(signEnvelope(payloadType(Role::Rounds), samples::receipt().serialise(), {&rounds}), root));
    QVERIFY(!verifyReceipt(signReceipt(samples::receipt(), rounds), Root{}));
    // Two rounds keys of which two must sign metadata: one server's receipt is enough.
    Root strict = root;
    strict.roles[Role::Rounds].keyids.push_back(keyId(samples::keyOf(samples::Who::Targets).publicKey()));
    strict.roles[Role::Rounds].threshold = 2;
    QVERIFY(verifyReceipt(signReceipt(samples::receipt(), rounds), strict));
}

void TestMessages::states() {
    using S = ContributionState;
    const S all[] = {S::Open, S::Complete, S::Committed, S::Merged, S::Rejected, S::Expired};
    const std::set<std::pair<S, S>> allowed{{S::Open, S::Complete}, {S::Open, S::Expired}, {S::Complete, S::Committed}, {S::Complete, S::Expired}, {S::Committed, S::Merged}, {S::Committed, S::Rejected}};
    for (const S from : all) {
        QCOMPARE(parseContributionState(name(from)).value(), from);
        for (const S to : all) { QCOMPARE(mayFollow(from, to), allowed.count({from, to}) == 1); }
    }
    QVERIFY(!parseContributionState("Open"));
}

void TestMessages::problems() {
    for (int i = 0; i <= static_cast<int>(ProblemCode::Other); ++i) {
        const auto code = static_cast<ProblemCode>(i);
        const Problem problem = makeProblem(code, "Detail.");
        QVERIFY(problem.status >= 400 && problem.status < 600);
        QVERIFY(!problem.title.empty());
        QCOMPARE(parseProblemCode(name(code)), code);
        const auto again = Problem::parse(problem.serialise());
        QVERIFY(again && *again == problem);
        QVERIFY(problem.toError("x").message.find("Detail.") != std::string::npos);
    }
    // A code of a newer server: the status decides.
    Json json = Json::parse(samples::golden("problem.json"));
    json["code"] = "brand-new";
    json["status"] = 503;
    const auto problem = Problem::parse(json.dump());
    QVERIFY(problem);
    QCOMPARE(problem->code, ProblemCode::Other);
    QCOMPARE(int(problem->toError("").code), int(core::ErrorCode::ServerError));
    QCOMPARE(statusOf(ProblemCode::RoundClosed), 410);
    QCOMPARE(statusOf(ProblemCode::KeyReused), 422);
    QCOMPARE(statusOf(ProblemCode::UpgradeRequired), 426);
}

void TestMessages::textThatIsNoUtf8IsStillWritten() {
    const Problem problem = makeProblem(ProblemCode::BadRequest, "bytes \xff\xfe");
    QVERIFY(Problem::parse(problem.serialise()));
}

QTEST_GUILESS_MAIN(TestMessages)
#include "tst_messages.moc"
