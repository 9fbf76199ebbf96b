// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/trust_store.h"
#include "tests/net/protocol/samples.h"

#include <QtTest>

#include <functional>
#include <map>

using namespace sunloco;
using namespace sunloco::protocol;
using samples::kNow;

/// The order of downloads of one refresh, against a server that is a map of paths.
class TestMetadataRefresh : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void firstTimeFetchesAll();
    void nothingNewCostsTwoRequests();
    void onlyWhatIsNew();
    void followsNewRoots();
    void serverMovesOnBetweenTwoRequests();
    void givesUpOnAServerThatNeverFits();
    void missingFileIsAnError();
    void endlessRootsAreCut();
};

namespace {

using Site = std::map<std::string, std::string>;

struct Log {
    std::vector<std::string> paths;
    core::Result<void> outcome;
};

/// Runs a refresh; `onRequest` may change the site before an answer.
Log refresh(TrustStore& store, Site& site, const std::function<void(const std::string&)>& onRequest = {}) {
    Log log;
    MetadataRefresh refresh(store, kNow);
    while (log.outcome && refresh.next()) {
        const auto fetch = *refresh.next();
        log.paths.push_back(fetch.path);
        if (onRequest) { onRequest(fetch.path); }
        const auto file = site.find(fetch.path);
        if (file != site.end() && file->second.size() > fetch.maxBytes) { log.outcome = core::Error{core::ErrorCode::LimitExceeded, "too large", fetch.path}; }
        else { log.outcome = file == site.end() ? refresh.notFound() : refresh.received(file->second); }
    }
    return log;
}

void publish(Site& site, std::int64_t version, const Rounds& rounds, std::int64_t rootVersion = 1) {
    const std::string targets = samples::targetsFile(samples::targets());
    const std::string roundsFile = samples::roundsFile(rounds);
    Timestamp timestamp = samples::timestampFor(targets, 3, roundsFile, rounds.version);
    timestamp.version = version;
    timestamp.rootVersion = rootVersion;
    site["/v1/meta/targets.json"] = targets;
    site["/v1/meta/rounds.json"] = roundsFile;
    site["/v1/meta/timestamp.json"] = samples::timestampFile(timestamp);
}

Rounds roundsOfVersion(std::int64_t version) {
    Rounds rounds = samples::rounds();
    rounds.version = version;
    return rounds;
}

TrustStore fresh() {
    const std::string file = samples::rootFile(samples::root());
    return std::move(TrustStore::start(core::sha256(core::asBytes(file)), file)).value();
}

using Paths = std::vector<std::string>;

}  // namespace

void TestMetadataRefresh::firstTimeFetchesAll() {
    Site site;
    publish(site, 1, roundsOfVersion(17));
    TrustStore store = fresh();
    const Log log = refresh(store, site);
    QVERIFY2(log.outcome, log.outcome ? "" : log.outcome.error().text().c_str());
    QVERIFY((log.paths == Paths{"/v1/meta/root/2.json", "/v1/meta/timestamp.json", "/v1/meta/targets.json", "/v1/meta/rounds.json"}));
    QVERIFY(store.checkFresh(kNow));
}

void TestMetadataRefresh::nothingNewCostsTwoRequests() {
    Site site;
    publish(site, 1, roundsOfVersion(17));
    TrustStore store = fresh();
    QVERIFY(refresh(store, site).outcome);
    const Log log = refresh(store, site);
    QVERIFY(log.outcome);
    QVERIFY((log.paths == Paths{"/v1/meta/root/2.json", "/v1/meta/timestamp.json"}));
}

void TestMetadataRefresh::onlyWhatIsNew() {
    Site site;
    publish(site, 1, roundsOfVersion(17));
    TrustStore store = fresh();
    QVERIFY(refresh(store, site).outcome);
    publish(site, 2, roundsOfVersion(18));
    const Log log = refresh(store, site);
    QVERIFY(log.outcome);
    QVERIFY((log.paths == Paths{"/v1/meta/root/2.json", "/v1/meta/timestamp.json", "/v1/meta/rounds.json"}));
    QCOMPARE(store.rounds()->version, std::int64_t{18});
}

void TestMetadataRefresh::followsNewRoots() {
    Site site;
    for (std::int64_t version = 2; version <= 3; ++version) {
        Root root = samples::root();
        root.version = version;
        site["/v1/meta/root/" + std::to_string(version) + ".json"] = samples::rootFile(root);
    }
    publish(site, 1, roundsOfVersion(17), 3);
    TrustStore store = fresh();
    const Log log = refresh(store, site);
    QVERIFY2(log.outcome, log.outcome ? "" : log.outcome.error().text().c_str());
    QVERIFY((Paths{log.paths.begin(), log.paths.begin() + 4} == Paths{"/v1/meta/root/2.json", "/v1/meta/root/3.json", "/v1/meta/root/4.json", "/v1/meta/timestamp.json"}));
    QCOMPARE(store.root().version, std::int64_t{3});
}

void TestMetadataRefresh::serverMovesOnBetweenTwoRequests() {
    Site site;
    publish(site, 1, roundsOfVersion(17));
    TrustStore store = fresh();
    bool moved = false;
    const Log log = refresh(store, site, [&](const std::string& path) {
        if (path == "/v1/meta/rounds.json" && !moved) {
            moved = true;
            publish(site, 2, roundsOfVersion(18));
        }
    });
    QVERIFY2(log.outcome, log.outcome ? "" : log.outcome.error().text().c_str());
    QCOMPARE(log.paths.back(), std::string("/v1/meta/rounds.json"));
    QCOMPARE(log.paths.size(), std::size_t{6});
    QCOMPARE(store.rounds()->version, std::int64_t{18});
}

void TestMetadataRefresh::givesUpOnAServerThatNeverFits() {
    Site site;
    publish(site, 1, roundsOfVersion(17));
    site["/v1/meta/rounds.json"] = samples::roundsFile(roundsOfVersion(16));
    TrustStore store = fresh();
    const Log log = refresh(store, site);
    QVERIFY(!log.outcome);
    QCOMPARE(int(log.outcome.error().code), int(core::ErrorCode::HashMismatch));
    QVERIFY(log.paths.size() <= 12);
    QVERIFY(!store.rounds().has_value());
}

void TestMetadataRefresh::missingFileIsAnError() {
    Site site;
    TrustStore store = fresh();
    const Log log = refresh(store, site);
    QVERIFY(!log.outcome);
    QCOMPARE(int(log.outcome.error().code), int(core::ErrorCode::NotFound));
    QCOMPARE(log.outcome.error().context, std::string("/v1/meta/timestamp.json"));
}

void TestMetadataRefresh::endlessRootsAreCut() {
    Site site;
    TrustStore store = fresh();
    const Log log = refresh(store, site, [&](const std::string& path) {
        if (path.rfind("/v1/meta/root/", 0) != 0) { return; }
        Root root = samples::root();
        root.version = std::stoll(path.substr(14));
        site[path] = samples::rootFile(root);
    });
    QVERIFY(!log.outcome);
    QCOMPARE(int(log.outcome.error().code), int(core::ErrorCode::LimitExceeded));
    QVERIFY(log.paths.size() < 100);
}

QTEST_GUILESS_MAIN(TestMetadataRefresh)
#include "tst_metadata_refresh.moc"
