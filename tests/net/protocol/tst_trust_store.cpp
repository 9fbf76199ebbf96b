// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/limits.h"
#include "net/protocol/trust_store.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::protocol;
using samples::kDay;
using samples::kNow;
using samples::Who;

/// Attacks on signed metadata (TUF specification section 1.5.2): each is refused and changes nothing.
class TestTrustStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void acceptsTheGoldenFiles();
    void firstRootMustBeTheLinks();
    void rollback();
    void freeze();
    void mixAndMatch();
    void changedWithoutNewVersion();
    void wrongRole();
    void roundsKeyCannotChangeTheRecipe();
    void tooLarge();
    void rootChain();
    void newKeysForgetOldVersions();
    void restores();
    void restoreRefusesForeignFiles();
};

namespace {

#define OK(expression)                                                        \
    do {                                                                      \
        const auto outcome = (expression);                                    \
        QVERIFY2(outcome, outcome ? "" : outcome.error().text().c_str());     \
    } while (false)
#define REFUSED(expression, expectedCode)                                     \
    do {                                                                      \
        const TrustState before = store.state();                              \
        const auto outcome = (expression);                                    \
        QVERIFY(!outcome);                                                    \
        QCOMPARE(core::errorName(outcome.error().code), core::errorName(expectedCode)); \
        QVERIFY(store.state() == before);                                     \
    } while (false)

core::Digest linkRoot() { return core::sha256(core::asBytes(samples::rootFile(samples::root()))); }
TrustStore fresh() { return std::move(TrustStore::start(linkRoot(), samples::rootFile(samples::root()))).value(); }

/// Signed files of one moment.
struct Published {
    std::string targets;
    std::string rounds;
    std::string timestamp;
};
Published publish(std::int64_t timestampVersion, const Targets& targets, const Rounds& rounds, std::int64_t rootVersion = 1) {
    Published out{samples::targetsFile(targets), samples::roundsFile(rounds), {}};
    Timestamp timestamp = samples::timestampFor(out.targets, targets.version, out.rounds, rounds.version);
    timestamp.version = timestampVersion;
    timestamp.rootVersion = rootVersion;
    out.timestamp = samples::timestampFile(timestamp);
    return out;
}

core::Result<void> take(TrustStore& store, const Published& published, core::UtcMs now = kNow) {
    if (auto done = store.setTimestamp(published.timestamp, now); !done) { return done; }
    if (store.needsTargets()) {
        if (auto done = store.setTargets(published.targets, now); !done) { return done; }
    }
    if (store.needsRounds()) {
        if (auto done = store.setRounds(published.rounds, now); !done) { return done; }
    }
    return store.checkFresh(now);
}

}  // namespace

void TestTrustStore::acceptsTheGoldenFiles() {
    const std::string root = samples::golden("root.json");
    auto started = TrustStore::start(core::sha256(core::asBytes(root)), root);
    OK(started);
    TrustStore store = std::move(*started);
    QVERIFY(!store.needsTargets());
    QVERIFY(!store.checkFresh(kNow));
    OK(store.setTimestamp(samples::golden("timestamp.json"), kNow));
    QVERIFY(store.needsTargets());
    QVERIFY(store.needsRounds());
    OK(store.setTargets(samples::golden("targets.json"), kNow));
    OK(store.setRounds(samples::golden("rounds.json"), kNow));
    QVERIFY(!store.needsTargets());
    QVERIFY(!store.needsRounds());
    OK(store.checkFresh(kNow));
    QCOMPARE(store.rounds()->round, std::int64_t{7});
    QCOMPARE(store.targets()->manifest.claims.parameters, samples::targets().manifest.claims.parameters);
}

void TestTrustStore::firstRootMustBeTheLinks() {
    const auto wrong = TrustStore::start(samples::hashOf("another project"), samples::rootFile(samples::root()));
    QVERIFY(!wrong);
    QCOMPARE(int(wrong.error().code), int(core::ErrorCode::HashMismatch));
    QVERIFY(wrong.error().message.find("Get the link again") != std::string::npos);

    Root second = samples::root();
    second.version = 2;   // a later root cannot stand for the first, even if a link names it
    const std::string file = samples::rootFile(second);
    QVERIFY(!TrustStore::start(core::sha256(core::asBytes(file)), file));

    const KeyPair one = samples::keyOf(Who::Root);   // below its own threshold
    const std::string weak = signMetadata(Role::Root, samples::root().serialise(), {&one, &one});
    QVERIFY(!TrustStore::start(core::sha256(core::asBytes(weak)), weak));
}

void TestTrustStore::rollback() {
    TrustStore store = fresh();
    const Published now = publish(41, samples::targets(), samples::rounds());
    OK(take(store, now));
    REFUSED(store.setTimestamp(publish(40, samples::targets(), samples::rounds()).timestamp, kNow), core::ErrorCode::Conflict);

    Rounds older = samples::rounds();
    older.version = 16;
    REFUSED(store.setTimestamp(publish(42, samples::targets(), older).timestamp, kNow), core::ErrorCode::Conflict);
    Targets olderTargets = samples::targets();
    olderTargets.version = 2;
    REFUSED(store.setTimestamp(publish(42, olderTargets, samples::rounds()).timestamp, kNow), core::ErrorCode::Conflict);
    // The operator's own roll-back is a new version with an earlier round.
    Rounds back = samples::rounds();
    back.version = 18;
    back.round = 6;
    back.updates.pop_back();
    back.baseHash = back.updates.back().baseHash;
    OK(take(store, publish(42, samples::targets(), back)));
    QCOMPARE(store.rounds()->round, std::int64_t{6});
}

void TestTrustStore::freeze() {
    TrustStore store = fresh();
    const Published files = publish(41, samples::targets(), samples::rounds());
    OK(take(store, files));
    OK(store.checkFresh(kNow + kDay - 1));
    QCOMPARE(int(store.checkFresh(kNow + kDay).error().code), int(core::ErrorCode::Expired));
    TrustStore other = fresh();
    QCOMPARE(int(other.setTimestamp(files.timestamp, kNow + kDay).error().code), int(core::ErrorCode::Expired));
    OK(other.setTimestamp(files.timestamp, kNow));
    // The timestamp runs out between two downloads.
    QCOMPARE(int(other.setTargets(files.targets, kNow + kDay).error().code), int(core::ErrorCode::Expired));

    Targets stale = samples::targets();
    stale.expires = kNow - 1;
    Rounds staleRounds = samples::rounds();
    staleRounds.expires = kNow - 1;
    QCOMPARE(int(take(other, publish(42, stale, samples::rounds())).error().code), int(core::ErrorCode::Expired));
    QCOMPARE(int(take(other, publish(43, samples::targets(), staleRounds)).error().code), int(core::ErrorCode::Expired));
    // An expired root: nothing is built on it.
    QCOMPARE(int(other.setTimestamp(publish(44, samples::targets(), samples::rounds()).timestamp, kNow + 365 * kDay).error().code), int(core::ErrorCode::Expired));
}

void TestTrustStore::mixAndMatch() {
    TrustStore store = fresh();
    const Published first = publish(41, samples::targets(), samples::rounds());
    Rounds next = samples::rounds();
    next.version = 18;
    next.deadline += 1;
    const Published second = publish(42, samples::targets(), next);
    OK(store.setTimestamp(second.timestamp, kNow));
    REFUSED(store.setRounds(first.rounds, kNow), core::ErrorCode::HashMismatch);
    REFUSED(store.setRounds(second.rounds + " ", kNow), core::ErrorCode::HashMismatch);
    OK(store.setTargets(second.targets, kNow));
    OK(store.setRounds(second.rounds, kNow));
    // The timestamp says another version than the file has.
    Timestamp liar = samples::timestampFor(second.targets, 4, second.rounds, 18);
    liar.version = 43;
    OK(store.setTimestamp(samples::timestampFile(liar), kNow));
    REFUSED(store.setTargets(second.targets, kNow), core::ErrorCode::HashMismatch);
}

void TestTrustStore::changedWithoutNewVersion() {
    TrustStore store = fresh();
    OK(take(store, publish(41, samples::targets(), samples::rounds())));
    Targets changed = samples::targets();
    changed.manifest.source.licence = "Another";
    REFUSED(store.setTimestamp(publish(41, changed, samples::rounds()).timestamp, kNow), core::ErrorCode::Conflict);
    const Published next = publish(42, changed, samples::rounds());
    OK(store.setTimestamp(next.timestamp, kNow));
    REFUSED(store.setTargets(next.targets, kNow), core::ErrorCode::Conflict);
}

void TestTrustStore::wrongRole() {
    TrustStore store = fresh();
    const Published files = publish(41, samples::targets(), samples::rounds());
    REFUSED(store.setTargets(files.targets, kNow), core::ErrorCode::Conflict);   // before the timestamp
    REFUSED(store.setRounds(files.rounds, kNow), core::ErrorCode::Conflict);
    REFUSED(store.setTimestamp(files.rounds, kNow), core::ErrorCode::InvalidData);
    const KeyPair stranger = samples::keyOf(Who::Stranger);
    REFUSED(store.setTimestamp(signMetadata(Role::Timestamp, samples::timestamp().serialise(), {&stranger}), kNow), core::ErrorCode::SignatureInvalid);
    REFUSED(store.addRoot(files.timestamp), core::ErrorCode::InvalidData);
    REFUSED(store.setTimestamp("", kNow), core::ErrorCode::InvalidData);
    REFUSED(store.setTimestamp("<html>Log in to the hotel's network</html>", kNow), core::ErrorCode::InvalidData);
}

// Threat 11: a hacked project server has the online keys (rounds, timestamp) but not the offline ones.
void TestTrustStore::roundsKeyCannotChangeTheRecipe() {
    TrustStore store = fresh();
    OK(take(store, publish(41, samples::targets(), samples::rounds())));
    Targets evil = samples::targets();
    evil.version = 4;
    evil.manifest.recipe.innerSteps = 1'000'000;
    const KeyPair rounds = samples::keyOf(Who::Rounds);
    const KeyPair timestamp = samples::keyOf(Who::Timestamp);
    const std::string file = signMetadata(Role::Targets, evil.serialise(), {&rounds, &timestamp});
    Timestamp named = samples::timestampFor(file, 4, samples::roundsFile(samples::rounds()), 17);
    named.version = 42;
    OK(store.setTimestamp(samples::timestampFile(named), kNow));
    REFUSED(store.setTargets(file, kNow), core::ErrorCode::SignatureInvalid);
    QCOMPARE(store.targets()->manifest.recipe.innerSteps, std::int64_t{100});
}

void TestTrustStore::tooLarge() {
    TrustStore store = fresh();
    REFUSED(store.setTimestamp(std::string(kMaxTimestampBytes + 1, ' '), kNow), core::ErrorCode::LimitExceeded);
    REFUSED(store.addRoot(std::string(kMaxRootBytes + 1, ' ')), core::ErrorCode::LimitExceeded);
    QCOMPARE(int(TrustStore::start(linkRoot(), std::string(kMaxRootBytes + 1, ' ')).error().code), int(core::ErrorCode::LimitExceeded));
}

void TestTrustStore::rootChain() {
    TrustStore store = fresh();
    Root next = samples::root();
    next.version = 3;
    REFUSED(store.addRoot(samples::rootFile(next)), core::ErrorCode::Conflict);   // a gap
    next.version = 1;
    REFUSED(store.addRoot(samples::rootFile(next)), core::ErrorCode::Conflict);   // the same again
    next.version = 2;
    next.project.id = "another";
    REFUSED(store.addRoot(samples::rootFile(next)), core::ErrorCode::InvalidData);

    // New root keys: the old threshold and the new one must both sign.
    next = samples::root();
    next.version = 2;
    const KeyPair newKey = samples::keyOf(Who::Stranger);
    const KeyPair first = samples::keyOf(Who::Root);
    const KeyPair second = samples::keyOf(Who::Root2);
    next.keys.emplace(keyId(newKey.publicKey()), newKey.publicKey());
    next.roles[Role::Root] = {{keyId(newKey.publicKey())}, 1};
    const std::string payload = next.serialise();
    REFUSED(store.addRoot(signMetadata(Role::Root, payload, {&newKey})), core::ErrorCode::SignatureInvalid);
    REFUSED(store.addRoot(signMetadata(Role::Root, payload, {&first, &second})), core::ErrorCode::SignatureInvalid);
    REFUSED(store.addRoot(signMetadata(Role::Root, payload, {&newKey, &first})), core::ErrorCode::SignatureInvalid);
    OK(store.addRoot(signMetadata(Role::Root, payload, {&newKey, &first, &second})));
    QCOMPARE(store.root().version, std::int64_t{2});
    // From here on the old keys sign nothing any more.
    Root third = next;
    third.version = 3;
    REFUSED(store.addRoot(signMetadata(Role::Root, third.serialise(), {&first, &second})), core::ErrorCode::SignatureInvalid);
    // A timestamp made under the old root is refused, one made under the new root passes.
    REFUSED(store.setTimestamp(publish(41, samples::targets(), samples::rounds(), 1).timestamp, kNow), core::ErrorCode::Conflict);
    OK(take(store, publish(42, samples::targets(), samples::rounds(), 2)));
}

void TestTrustStore::newKeysForgetOldVersions() {
    TrustStore store = fresh();
    Rounds huge = samples::rounds();
    huge.version = kMaxVersion;   // a thief of the rounds key wants to block all later versions
    OK(take(store, publish(41, samples::targets(), huge)));
    Root next = samples::root();
    next.version = 2;
    const KeyPair newRounds = samples::keyOf(Who::Stranger);
    next.keys.emplace(keyId(newRounds.publicKey()), newRounds.publicKey());
    next.roles[Role::Rounds] = {{keyId(newRounds.publicKey())}, 1};
    OK(store.addRoot(samples::rootFile(next)));
    QVERIFY(!store.rounds().has_value());
    QVERIFY(store.targets().has_value());
    QVERIFY(store.state().rounds.empty());

    Rounds good = samples::rounds();
    good.version = 18;
    const std::string roundsFile = signMetadata(Role::Rounds, good.serialise(), {&newRounds});
    Timestamp timestamp = samples::timestampFor(samples::targetsFile(samples::targets()), 3, roundsFile, 18);
    timestamp.rootVersion = 2;
    OK(store.setTimestamp(samples::timestampFile(timestamp), kNow));
    OK(store.setRounds(roundsFile, kNow));
    OK(store.checkFresh(kNow));
}

void TestTrustStore::restores() {
    TrustStore store = fresh();
    OK(take(store, publish(41, samples::targets(), samples::rounds())));
    auto again = TrustStore::restore(linkRoot(), store.state());
    OK(again);
    QVERIFY(again->state() == store.state());
    OK(again->checkFresh(kNow));
    QVERIFY(again->rounds() == store.rounds());
    // The rollback guard survives the restart.
    QCOMPARE(int(again->setTimestamp(publish(40, samples::targets(), samples::rounds()).timestamp, kNow).error().code), int(core::ErrorCode::Conflict));
    // Only the root so far.
    OK(TrustStore::restore(linkRoot(), fresh().state()));
    // A crash between two writes: newer timestamp, older rounds. It is simply fetched again.
    Rounds next = samples::rounds();
    next.version = 18;
    TrustState torn = store.state();
    torn.timestamp = publish(42, samples::targets(), next).timestamp;
    auto healed = TrustStore::restore(linkRoot(), torn);
    OK(healed);
    QVERIFY(healed->needsRounds());
    QVERIFY(!healed->needsTargets());
}

void TestTrustStore::restoreRefusesForeignFiles() {
    TrustStore store = fresh();
    OK(take(store, publish(41, samples::targets(), samples::rounds())));
    QVERIFY(!TrustStore::restore(samples::hashOf("another"), store.state()));
    for (std::string TrustState::*file : {&TrustState::root, &TrustState::timestamp, &TrustState::targets, &TrustState::rounds}) {
        TrustState changed = store.state();
        const auto at = (changed.*file).find("\"sig\":\"") + 10;
        (changed.*file)[at] = (changed.*file)[at] == 'A' ? 'B' : 'A';
        QVERIFY(!TrustStore::restore(linkRoot(), changed));
    }
    TrustState none;
    QVERIFY(!TrustStore::restore(linkRoot(), none));
}

QTEST_GUILESS_MAIN(TestTrustStore)
#include "tst_trust_store.moc"
