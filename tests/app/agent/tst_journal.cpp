// SPDX-License-Identifier: Apache-2.0
// The journal's rows: what is written is what is read.
#include "app/agent/journal.h"
#include "tests/app/agent/journal_samples.h"
#include "tests/app/agent/unit_samples.h"

#include <QTemporaryDir>
#include <QtTest>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <array>
#include <limits>
#include <set>

using namespace sunloco;
using namespace sunloco::agent;
using namespace sunloco::agent::test;
namespace fs = std::filesystem;

namespace {

constexpr std::array<UnitState, 12> kStates{UnitState::Leased,     UnitState::Preparing, UnitState::Training, UnitState::Encoded,  UnitState::Creating, UnitState::Uploading,
                                            UnitState::Committing, UnitState::Committed, UnitState::Merged,   UnitState::Rejected, UnitState::Expired,  UnitState::Abandoned};

}  // namespace

class TestJournal : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void anEmptyJournal();
    void projects();
    void metadata();
    void units();
    void liveUnits();
    void totalsAndDays();
    void roundsRoundTrip();
    void energySums();
    void values();
    void eventsAreCapped();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_path;
};

void TestJournal::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_path = m_dir->filePath(QStringLiteral("journal.db")).toStdString();
}

void TestJournal::anEmptyJournal() {
    const auto journal = opened(m_path);
    QVERIFY(journal);
    QVERIFY(journal->projects()->empty());
    QVERIFY(journal->recentUnits(10)->empty());
    QVERIFY(journal->liveUnits("x")->empty());
    QVERIFY(!journal->unit("x")->has_value());
    QVERIFY(!journal->metadata("x", "root")->has_value());
    QVERIFY(journal->rounds("x")->empty());
    QVERIFY(journal->energy(0, std::numeric_limits<std::int64_t>::max())->empty());
    QCOMPARE(*journal->value("x"), std::string());
    QCOMPARE(journal->totals("x")->sent, std::int64_t{0});
    QCOMPARE(journal->totals("x")->tokensMerged, std::int64_t{0});
    QVERIFY(journal->days(0, [](core::UtcMs t) { return t; })->empty());
    QVERIFY(journal->removeProject("x").has_value());
}

void TestJournal::projects() {
    const auto journal = opened(m_path);
    const ProjectRow later = project("aa", 2'000);
    ProjectRow earlier = project("bb", 1'000);
    QVERIFY(journal->saveProject(later).has_value());
    QVERIFY(journal->saveProject(earlier).has_value());
    auto rows = *journal->projects();
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(textOf(rows[0]), textOf(earlier));   // in the order of joining
    QCOMPARE(textOf(rows[1]), textOf(later));
    earlier.name = "other";
    earlier.deviceId = "";
    earlier.invite = "";
    earlier.sequence = 1;
    earlier.baseRound = -1;
    earlier.leaving = false;
    QVERIFY(journal->saveProject(earlier).has_value());
    rows = *journal->projects();
    QCOMPARE(textOf(rows[0]), textOf(earlier));
    QVERIFY(journal->saveUnit(unitIn(UnitState::Merged, "l1", "aa")).has_value());
    QVERIFY(journal->saveUnit(unitIn(UnitState::Merged, "l2", "bb")).has_value());
    QVERIFY(journal->saveMetadata("aa", "root", 1, "e").has_value());
    QVERIFY(journal->saveRounds("aa", {{1, 2.0, 3, 4, 5}}).has_value());
    QVERIFY(journal->addEnergy(0, 1, true).has_value());
    QVERIFY(journal->removeProject("aa").has_value());
    QCOMPARE(journal->projects()->size(), std::size_t{1});
    QVERIFY(!journal->unit("l1")->has_value());
    QVERIFY(journal->unit("l2")->has_value());
    QCOMPARE((*journal->unit("l2"))->parts.size(), std::size_t{2});
    QVERIFY(!journal->metadata("aa", "root")->has_value());
    QVERIFY(journal->rounds("aa")->empty());
    QCOMPARE(journal->energy(0, 1)->size(), std::size_t{1});   // energy was used all the same
    QVERIFY(contentOf(m_path).find("parts|l1") == std::string::npos);
}

void TestJournal::metadata() {
    const auto journal = opened(m_path);
    const std::string envelope = std::string("bytes exactly as they came: \"\\u00e4\" ä \n\t") + std::string(300'000, 'x');
    QVERIFY(journal->saveMetadata("p", "root", 1, "one").has_value());
    QVERIFY(journal->saveMetadata("p", "targets", 1, "two").has_value());
    QVERIFY(journal->saveMetadata("q", "root", 1, "three").has_value());
    QVERIFY(journal->saveMetadata("p", "root", 2, envelope).has_value());
    QCOMPARE(**journal->metadata("p", "root"), envelope);
    QCOMPARE(**journal->metadata("p", "targets"), std::string("two"));
    QCOMPARE(**journal->metadata("q", "root"), std::string("three"));
}

void TestJournal::units() {
    const auto journal = opened(m_path);
    for (const UnitState state : kStates) {
        WorkUnit unit = unitIn(state, "lease-" + std::string(stateName(state)));
        unit.crashes = 2;
        unit.problem = "Problem mit Ümlaut 'n \"quotes\"\nand lines";
        unit.filesDeleted = isFinal(state);
        unit.releaseTold = state == UnitState::Abandoned;
        QVERIFY(journal->saveUnit(unit).has_value());
        const auto read = journal->unit(unit.leaseId);
        QVERIFY(read.has_value() && read->has_value());
        QCOMPARE(textOf(**read), textOf(unit));
    }
    QCOMPARE(journal->recentUnits(100)->size(), kStates.size());
    // A unit is replaced as a whole: fewer parts, nothing optional.
    WorkUnit smaller = unitIn(UnitState::Merged, "lease-merged");
    smaller.parts.pop_back();
    smaller.weight.reset();
    smaller.finishedAt.reset();
    QVERIFY(journal->saveUnit(smaller).has_value());
    QCOMPARE(textOf(**journal->unit("lease-merged")), textOf(smaller));
    QCOMPARE(journal->recentUnits(100)->size(), kStates.size());
    // Numbers at their edges; more parts than one digit sorts right.
    WorkUnit edge = unitIn(UnitState::Uploading, "edge");
    edge.tokens = std::numeric_limits<std::int64_t>::max();
    edge.examples.first = std::numeric_limits<std::int64_t>::max();
    edge.leaseExpires = std::numeric_limits<std::int64_t>::min();
    edge.deltaNorm = std::numeric_limits<double>::denorm_min();
    edge.entryLoss = std::numeric_limits<double>::max();
    edge.parts.clear();
    for (int n = 0; n < 25; ++n) edge.parts.push_back(partOf("edge", n, n % 2 == 0));
    QVERIFY(journal->saveUnit(edge).has_value());
    QCOMPARE(textOf(**journal->unit("edge")), textOf(edge));
    // Newest first, and no more than asked for.
    WorkUnit newest = unitIn(UnitState::Leased, "newest");
    newest.createdAt += 5'000;
    QVERIFY(journal->saveUnit(newest).has_value());
    const auto recent = *journal->recentUnits(2);
    QCOMPARE(recent.size(), std::size_t{2});
    QCOMPARE(recent[0].leaseId, std::string("newest"));
    QVERIFY(journal->recentUnits(0)->empty());
}

void TestJournal::liveUnits() {
    const auto journal = opened(m_path);
    for (const UnitState state : kStates) {
        for (const bool deleted : {false, true}) {
            for (const bool told : {false, true}) {
                WorkUnit unit = unitIn(state, std::string(stateName(state)) + (deleted ? "+deleted" : "") + (told ? "+told" : ""), "p");
                unit.filesDeleted = deleted;
                unit.releaseTold = told;
                QVERIFY(journal->saveUnit(unit).has_value());
            }
        }
    }
    QVERIFY(journal->saveUnit(unitIn(UnitState::Training, "of-another", "q")).has_value());
    std::set<std::string> live;
    const auto units = journal->liveUnits("p");
    for (const WorkUnit& unit : *units) live.insert(unit.leaseId);
    for (const UnitState state : kStates) {
        for (const bool deleted : {false, true}) {
            for (const bool told : {false, true}) {
                const std::string id = std::string(stateName(state)) + (deleted ? "+deleted" : "") + (told ? "+told" : "");
                const bool open = !isFinal(state) || state == UnitState::Committed || !deleted || (state == UnitState::Abandoned && !told);
                QVERIFY2(live.contains(id) == open, id.c_str());
            }
        }
    }
    QVERIFY(!live.contains("of-another"));
}

void TestJournal::totalsAndDays() {
    const auto journal = opened(m_path);
    constexpr core::UtcMs kDay = 86'400'000;
    int n = 0;
    const auto add = [&](UnitState state, core::UtcMs finished, std::int64_t tokens, const std::string& of) {
        WorkUnit unit = unitIn(state, "l" + std::to_string(n++), of);
        unit.finishedAt = finished;
        unit.tokens = tokens;
        QVERIFY(journal->saveUnit(unit).has_value());
    };
    for (const UnitState state : kStates) add(state, 10 * kDay + 1, 1'000, "p");   // of these, committed and merged count
    add(UnitState::Merged, 10 * kDay + 5, 20, "p");
    add(UnitState::Merged, 11 * kDay, 300, "q");
    add(UnitState::Committed, 9 * kDay, 4, "p");
    const auto totals = *journal->totals("p");
    QCOMPARE(totals.sent, std::int64_t{4});
    QCOMPARE(totals.merged, std::int64_t{2});
    QCOMPARE(totals.tokensMerged, std::int64_t{1'020});
    const auto dayOf = [](core::UtcMs t) { return t / kDay * kDay; };
    const auto days = *journal->days(10 * kDay, dayOf);
    QCOMPARE(days.size(), std::size_t{2});
    QCOMPARE(days[0].dayStart, 10 * kDay);
    QCOMPARE(days[0].tokens, std::int64_t{2'020});
    QCOMPARE(days[0].rounds, std::int64_t{3});
    QCOMPARE(days[1].dayStart, 11 * kDay);
    QCOMPARE(days[1].tokens, std::int64_t{300});
    QCOMPARE(journal->days(9 * kDay, dayOf)->size(), std::size_t{3});
}

void TestJournal::roundsRoundTrip() {
    const auto journal = opened(m_path);
    const RoundRow one{1, 3.25, 1'700'000'000'001, 12, 9'000'000'000};
    const RoundRow two{2, std::nullopt, 1'700'000'000'002, 0, 0};
    const RoundRow ten{10, 0.0, 3, 4, 5};
    QVERIFY(journal->saveRounds("p", {ten, two, one}).has_value());
    QVERIFY(journal->saveRounds("q", {one}).has_value());
    QVERIFY(journal->saveRounds("p", {}).has_value());
    auto rows = *journal->rounds("p");
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(textOf(rows[0]), textOf(one));
    QCOMPARE(textOf(rows[1]), textOf(two));
    QCOMPARE(textOf(rows[2]), textOf(ten));
    const RoundRow known{2, 2.5, 7, 8, 9};   // the loss is known later
    QVERIFY(journal->saveRounds("p", {known}).has_value());
    rows = *journal->rounds("p");
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(textOf(rows[1]), textOf(known));
}

void TestJournal::energySums() {
    const auto journal = opened(m_path);
    QVERIFY(journal->addEnergy(900'000, 0.25, false).has_value());
    QVERIFY(journal->addEnergy(900'000, 0.5, false).has_value());
    QVERIFY(journal->addEnergy(0, 2, true).has_value());
    QVERIFY(journal->addEnergy(1'800'000, 4, false).has_value());
    QVERIFY(journal->addEnergy(1'800'000, 0, true).has_value());
    QVERIFY(journal->addEnergy(1'800'000, 1, false).has_value());
    const auto all = *journal->energy(0, 2'700'000);
    QCOMPARE(all.size(), std::size_t{3});
    QCOMPARE(all[0].start, core::UtcMs{0});
    QCOMPARE(all[1].wattHours, 0.75);
    QVERIFY(all[0].isEstimate && !all[1].isEstimate);
    QCOMPARE(all[2].wattHours, 5.0);
    QVERIFY(all[2].isEstimate);   // any part of it
    QCOMPARE(journal->energy(900'000, 1'800'000)->size(), std::size_t{1});   // from included, to not
    QVERIFY(journal->energy(1'800'001, 2'700'000)->empty());
}

void TestJournal::values() {
    const auto journal = opened(m_path);
    QVERIFY(journal->setValue("a", "1").has_value());
    QVERIFY(journal->setValue("b", "2").has_value());
    QVERIFY(journal->setValue("a", "").has_value());
    QCOMPARE(*journal->value("a"), std::string());
    QCOMPARE(*journal->value("b"), std::string("2"));
}

void TestJournal::eventsAreCapped() {
    {
        const auto journal = opened(m_path);
        for (int i = 0; i < 20; ++i) QVERIFY(journal->addEvent(i, "kind", "text " + std::to_string(i)).has_value());
    }
    {
        // As if many had been written; one by one would take minutes of flushing.
        SQLite::Database db(m_path.string(), SQLite::OPEN_READWRITE);
        db.exec("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<10500) INSERT INTO events(at, kind, text) SELECT i, 'k', 't' FROM n");
    }
    const auto journal = opened(m_path);
    QVERIFY(journal->addEvent(99, "last", "text").has_value());
    SQLite::Database db(m_path.string(), SQLite::OPEN_READONLY, 2000);
    QCOMPARE(db.execAndGet("SELECT COUNT(*) FROM events").getInt(), 10'000);
    QCOMPARE(db.execAndGet("SELECT kind FROM events ORDER BY id DESC LIMIT 1").getString(), std::string("last"));
}

QTEST_GUILESS_MAIN(TestJournal)
#include "tst_journal.moc"
