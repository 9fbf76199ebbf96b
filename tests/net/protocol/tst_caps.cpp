// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;

/// The largest documents that the limits allow are read, and one entry more is refused: no limit contradicts another.
class TestCaps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parts();
    void shards();
    void updates();
    void history();
    void deepAndWide();
};

namespace {
const core::Digest& anyHash() {
    static const core::Digest digest = samples::hashOf("any");
    return digest;
}
}  // namespace

void TestCaps::parts() {
    ContributionRequest request = samples::contributionRequest();
    request.parts.clear();
    for (std::int64_t n = 0; n < kMaxParts; ++n) { request.parts.push_back({n, kMaxPartBytes, anyHash(), n * partElements(core::Codec::Int8), partElements(core::Codec::Int8)}); }
    const auto read = ContributionRequest::parse(request.serialise());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY(*read == request);
    request.parts.push_back({kMaxParts, 100, anyHash(), kMaxParts * partElements(core::Codec::Int8), 10});
    QVERIFY(!ContributionRequest::parse(request.serialise()));
    // The answer that names them all as missing.
    ContributionStatus status;
    for (std::int64_t n = 0; n < kMaxParts; ++n) { status.missing.push_back(n); }
    const auto readStatus = ContributionStatus::parse(status.serialise());
    QVERIFY(readStatus && *readStatus == status);
}

void TestCaps::shards() {
    Targets targets = samples::targets();
    targets.manifest.shards.assign(kMaxShards, {{anyHash(), kMaxObjectBytes}, 1'000'000'000});
    targets.manifest.heldOut.assign(kMaxHeldOutShards, {{anyHash(), kMaxObjectBytes}, 1'000'000'000});
    targets.manifest.claims = computeClaims(targets.manifest.model, targets.manifest.recipe, targets.manifest.sizes());
    const std::string file = samples::targetsFile(targets);
    QVERIFY(file.size() <= kMaxTargetsBytes);
    const auto read = Targets::parse(targets.serialise());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(read->manifest.shards.size(), static_cast<std::size_t>(kMaxShards));
    targets.manifest.shards.push_back(targets.manifest.shards.front());
    QVERIFY(!Targets::parse(targets.serialise()));
}

void TestCaps::updates() {
    Rounds rounds = samples::rounds();
    rounds.updates.clear();
    rounds.checkpoint.round = 900'000'000;
    for (std::int64_t i = 1; i <= kMaxUpdates; ++i) { rounds.updates.push_back({rounds.checkpoint.round + i, {anyHash(), kMaxObjectBytes}, anyHash()}); }
    rounds.round = rounds.checkpoint.round + kMaxUpdates + 1;
    rounds.baseHash = anyHash();
    QVERIFY(samples::roundsFile(rounds).size() <= kMaxRoundsBytes);
    const auto read = Rounds::parse(rounds.serialise());
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY(*read == rounds);
    rounds.updates.push_back({rounds.round, {anyHash(), 1}, anyHash()});
    ++rounds.round;
    QVERIFY(!Rounds::parse(rounds.serialise()));
}

void TestCaps::history() {
    StatusAnswer status = samples::status();
    status.history.assign(kMaxHistoryRows, {999'999'999, 1000, kMaxCount, 4.123456789, kMaxCount, kMaxCount, 86'400.5, kMaxUtcMs, 1e6});
    QVERIFY(StatusAnswer::parse(status.serialise()).value() == status);
    OwnContributions list;
    list.rows.assign(kMaxOwnContributions, {std::string(26, 'a'), std::string(26, 'b'), 999'999'999, ContributionState::Committed, kMaxCount, 0.123456789});
    QVERIFY(OwnContributions::parse(list.serialise()).value() == list);
    list.rows.push_back(list.rows.front());
    QVERIFY(!OwnContributions::parse(list.serialise()));
}

// Threat 5.
void TestCaps::deepAndWide() {
    const std::string deep = std::string(1'000'000, '[');
    QVERIFY(!StatusAnswer::parse(deep));
    QVERIFY(!Envelope::parse(deep, kMaxTargetsBytes));
    std::string wide = "[";
    for (int i = 0; i < 300'000; ++i) { wide += "0,"; }
    QVERIFY(!OwnContributions::parse(wide + "0]"));
    QVERIFY(!HeartbeatRequest::parse("{\"steps\":1" + std::string(kMaxSmallMessageBytes, ' ') + "}"));
    QVERIFY(!HeartbeatRequest::parse("{\"steps\":1,\"steps\":2}"));
    QVERIFY(!HeartbeatRequest::parse("{\"steps\":1e400}"));
    QVERIFY(!HeartbeatRequest::parse("{\"steps\":NaN}"));
    QVERIFY(!HeartbeatRequest::parse("{\"steps\":1}{}"));
    QVERIFY(!HeartbeatRequest::parse("{\"st\xff\":1}"));
}

QTEST_GUILESS_MAIN(TestCaps)
#include "tst_caps.moc"
