// SPDX-License-Identifier: Apache-2.0
// The stores by themselves: what is written survives, faults change nothing, newer files are refused.
#include "net/server/file_blob_store.h"
#include "net/server/metadata_signer.h"
#include "net/server/sqlite_schema.h"
#include "net/server/sqlite_store.h"
#include "qtest_text.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sqlite3.h>

using namespace sunloco;
using server::SqliteStore;

namespace {

/// Lets the i-th step fail.
class FailAt final : public core::FaultPolicy {
public:
    explicit FailAt(int step) : m_left(step) {}
    core::Result<void> before(std::string_view step) override {
        if (m_left-- == 0) { return core::Error{core::ErrorCode::DiskFull, "injected", std::string(step)}; }
        return {};
    }
    [[nodiscard]] bool wasReached() const { return m_left < 0; }

private:
    int m_left;
};

std::size_t filesBelow(const std::filesystem::path& folder) {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) { n += entry.is_regular_file() ? 1 : 0; }
    return n;
}

server::RoundRow firstRound() {
    server::RoundRow row;
    row.deadline = 1'000'000;
    row.baseHash = core::sha256(core::asBytes("base"));
    return row;
}

server::DeviceRow device(const std::string& id) {
    server::DeviceRow row;
    row.id = id;
    row.key = protocol::KeyPair::generate()->publicKey();
    row.address = "192.0.2.1";
    row.enrolledAt = 1'000;
    return row;
}

}  // namespace

class TestStores : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blobsAreWhatTheirNameSays();
    void everyFileFaultLeavesNothingBehind();
    void newerDatabaseIsRefused();
    void damagedDatabaseIsASentence();
    void noncesAreUsedOnce();
    void anonymousEnrolmentsAreLimited();
    void everySqlFaultChangesNothing();
    void chainOfBases();
    void metadataIsRenewedInTime();

private:
    static std::unique_ptr<SqliteStore> open(const QTemporaryDir& folder, core::FaultPolicy* faults = nullptr) {
        auto store = SqliteStore::open(folder.path().toStdString() + "/server.db", SqliteStore::Open::Create, faults);
        if (!store) { qFatal("%s", store.error().text().c_str()); }
        return std::move(*store);
    }
};

void TestStores::blobsAreWhatTheirNameSays() {
    const QTemporaryDir folder;
    const auto store = server::FileBlobStore::open(folder.path().toStdString());
    QVERIFY(store);
    const auto name = (*store)->put(core::asBytes("hello"));
    QVERIFY(name);
    QCOMPARE(*name, core::sha256(core::asBytes("hello")));
    QCOMPARE(core::toText(*(*store)->load(*name, 100)), std::string("hello"));
    QCOMPARE(core::toText(*(*store)->read(*name, 1, 3)), std::string("ell"));
    QCOMPARE((*store)->load(*name, 4).error().code, core::ErrorCode::LimitExceeded);
    QVERIFY(!(*store)->read(*name, 3, 3));
    QCOMPARE((*store)->size(core::sha256(core::asBytes("other"))).error().code, core::ErrorCode::NotFound);
    // Another content under the name: noticed when it is loaded.
    std::ofstream((*store)->pathOf(*name)) << "jello";
    QCOMPARE((*store)->load(*name, 100).error().code, core::ErrorCode::HashMismatch);
    QVERIFY((*store)->remove(*name));
    auto writer = (*store)->beginWrite();
    QVERIFY((*writer)->write(core::asBytes("abc")));
    QCOMPARE((*writer)->finish(*name).error().code, core::ErrorCode::HashMismatch);
    writer->reset();
    QCOMPARE(filesBelow(folder.path().toStdString()), std::size_t{0});
}

void TestStores::everyFileFaultLeavesNothingBehind() {
    for (int step = 0;; ++step) {
        const QTemporaryDir folder;
        FailAt faults(step);
        const auto store = server::FileBlobStore::open(folder.path().toStdString(), &faults);
        QVERIFY(store);
        const auto name = (*store)->put(core::asBytes("some content"));
        if (!faults.wasReached()) {
            QVERIFY(name);
            QVERIFY(step >= 4);
            return;
        }
        QVERIFY(!name);
        QCOMPARE(filesBelow(folder.path().toStdString()), std::size_t{0});
        QVERIFY((*store)->put(core::asBytes("some content")));   // the next try works
    }
}

void TestStores::newerDatabaseIsRefused() {
    const QTemporaryDir folder;
    open(folder);
    const std::string path = folder.path().toStdString() + "/server.db";
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    QCOMPARE(sqlite3_exec(db, ("PRAGMA user_version = " + std::to_string(server::storeSchemaVersion() + 1)).c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    const auto store = SqliteStore::open(path, SqliteStore::Open::MustExist);
    QVERIFY(!store);
    QCOMPARE(store.error().code, core::ErrorCode::VersionTooNew);
    QVERIFY(store.error().text().find("newer") != std::string::npos);
}

void TestStores::damagedDatabaseIsASentence() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString() + "/server.db";
    std::ofstream(path) << std::string(8'192, 'x');
    const auto store = SqliteStore::open(path, SqliteStore::Open::MustExist);
    QVERIFY(!store);
    QCOMPARE(store.error().code, core::ErrorCode::InvalidData);
    QVERIFY(!SqliteStore::open(folder.path().toStdString() + "/none.db", SqliteStore::Open::MustExist));
}

void TestStores::noncesAreUsedOnce() {
    const QTemporaryDir folder;
    const auto store = open(folder);
    QVERIFY(*store->useNonce("a", "n1", 5'000));
    QVERIFY(!*store->useNonce("a", "n1", 6'000));
    QVERIFY(*store->useNonce("b", "n1", 5'000));
    QVERIFY(store->sweep(4'999));
    QVERIFY(!*store->useNonce("a", "n1", 6'000));
    QVERIFY(store->sweep(5'001));
    QVERIFY(*store->useNonce("a", "n1", 9'000));
}

void TestStores::anonymousEnrolmentsAreLimited() {
    const QTemporaryDir folder;
    const auto store = open(folder);
    server::EnrolAsk ask;
    ask.maxPerAddressAndHour = 2;
    ask.device = device("a");
    QVERIFY(store->enrol(ask)->value.has_value());
    ask.device = device("b");
    QVERIFY(store->enrol(ask)->value.has_value());
    ask.device = device("c");
    QCOMPARE(store->enrol(ask)->code, protocol::ProblemCode::TooManyRequests);
    ask.device.enrolledAt += 3'700'000;
    QVERIFY(store->enrol(ask)->value.has_value());
    ask.device = device("a");
    QVERIFY(!store->enrol(ask)->value->isNew);   // a known device is no new enrolment
}

void TestStores::everySqlFaultChangesNothing() {
    // The steps of a contribution, with each SQL step failing once; the same steps again then give the same end.
    int reached = 0;
    for (int step = 0; step < 60; ++step) {
        const QTemporaryDir folder;
        FailAt faults(step);
        const auto store = open(folder, &faults);
        const auto until = [&](auto&& work) {
            for (int tries = 0; tries < 2; ++tries) {
                auto done = work();
                if (done) { return done; }
            }
            return work();
        };
        const server::RoundRow round = firstRound();
        QVERIFY(until([&] { return store->openFirstRound(round, {0, {round.baseHash, 10}, round.baseHash}, {}); }));
        server::EnrolAsk enrol;
        enrol.device = device("a");
        QVERIFY(until([&] { return store->enrol(enrol); })->value.has_value());
        server::LeaseAsk ask{"a", 1, 5, 1, 2, 1, 1'000, 60'000, 1'000};
        const auto lease = until([&] { return store->lease(ask); });
        QVERIFY(lease->value.has_value());
        QCOMPARE(lease->value->examples.first, std::int64_t{0});   // no examples were lost to the failed try
        server::ContributionAsk contribution;
        contribution.row.id = "c";
        contribution.row.lease = lease->value->id;
        contribution.row.device = "a";
        contribution.row.idempotencyKey = "key";
        contribution.row.steps = 5;
        contribution.row.tokens = 10;
        contribution.baseHash = round.baseHash;
        protocol::PartInfo part;
        part.bytes = 3;
        part.sha256 = core::sha256(core::asBytes("abc"));
        part.elements = 1;
        contribution.parts = {part};
        QVERIFY(until([&] { return store->createContribution(contribution); })->value.has_value());
        QVERIFY(until([&] { return store->partStored("c", 0, part.sha256); })->value.has_value());
        QVERIFY(until([&] { return store->commit("c", "a", "receipt", 2'000); })->value.has_value());
        const auto counts = until([&] { return store->countsOf(1); });
        QCOMPARE(counts->committed, std::int64_t{1});
        QCOMPARE(counts->uploading, std::int64_t{0});
        QCOMPARE(until([&] { return store->currentRound(); })->bytesUp, std::int64_t{3});
        reached += faults.wasReached() ? 1 : 0;
    }
    QVERIFY(reached >= 14);
    QVERIFY(reached < 60);
}

void TestStores::chainOfBases() {
    std::vector<protocol::CheckpointRef> checkpoints;
    std::vector<server::RoundRow> closed;
    const auto add = [&](std::int64_t round) {
        server::RoundRow row;
        row.round = round;
        row.state = server::StoredRoundState::Closed;
        row.update = protocol::UpdateRef{round, {}, {}};
        closed.push_back(row);
    };
    checkpoints.push_back({0, {}, {}});
    for (std::int64_t round = 1; round <= 20; ++round) { add(round); }
    QCOMPARE(server::chooseChain(checkpoints, closed, 21, 5)->updates.size(), std::size_t{20});
    checkpoints.insert(checkpoints.begin(), {20, {}, {}});
    // Newcomers go on with the old one for a while, so that nobody who is a little behind must load a full base.
    QCOMPARE(server::chooseChain(checkpoints, closed, 21, 5)->checkpoint.round, std::int64_t{0});
    for (std::int64_t round = 21; round <= 25; ++round) { add(round); }
    const auto chain = server::chooseChain(checkpoints, closed, 26, 5);
    QCOMPARE(chain->checkpoint.round, std::int64_t{20});
    QCOMPARE(chain->updates.size(), std::size_t{5});
    QCOMPARE(chain->updates.front().round, std::int64_t{21});
    // After a roll-back only what comes after it counts.
    server::RoundRow rolled;
    rolled.round = 26;
    rolled.state = server::StoredRoundState::RolledBack;
    closed.push_back(rolled);
    checkpoints.insert(checkpoints.begin(), {26, {}, {}});
    const auto after = server::chooseChain(checkpoints, closed, 27, 5);
    QCOMPARE(after->checkpoint.round, std::int64_t{26});
    QVERIFY(after->updates.empty());
    QVERIFY(!server::chooseChain({}, closed, 27, 5));
}

void TestStores::metadataIsRenewedInTime() {
    const QTemporaryDir folder;
    const auto store = open(folder);
    auto key = protocol::KeyPair::generate();
    const std::string text = protocol::signMetadata(protocol::Role::Root, "{}", {&*key});
    QVERIFY(store->putMetadata({{protocol::Role::Root, 1, text}, {protocol::Role::Targets, 1, text}}));
    const server::MetadataSigner signer(std::move(*protocol::KeyPair::generate()), std::move(*protocol::KeyPair::generate()));
    constexpr core::UtcMs start = 1'000'000'000'000;
    server::RoundRow round = firstRound();
    round.openedAt = start;
    round.deadline = start + 1;
    const protocol::CheckpointRef checkpoint{0, {round.baseHash, 10}, round.baseHash};
    const auto files = signer.roundFiles(*store, round, {checkpoint, {}}, start);
    QVERIFY(files);
    QVERIFY(store->openFirstRound(round, checkpoint, *files));
    QVERIFY(signer.renew(*store, start + server::kDayMs / 2 - 1)->empty());
    const auto later = signer.renew(*store, start + server::kDayMs / 2 + 1);
    QCOMPARE(later->size(), std::size_t{1});
    QCOMPARE(later->at(0).role, protocol::Role::Timestamp);
    QCOMPARE(later->at(0).version, std::int64_t{2});
    const auto weeks = signer.renew(*store, start + 16 * server::kDayMs);   // the server was off
    QCOMPARE(weeks->size(), std::size_t{2});
    QVERIFY(store->putMetadata(*weeks));
    QVERIFY(signer.renew(*store, start + 16 * server::kDayMs)->empty());
    QCOMPARE((*store->metadata(protocol::Role::Rounds, 0))->version, std::int64_t{2});
}

QTEST_GUILESS_MAIN(TestStores)
#include "tst_stores.moc"
