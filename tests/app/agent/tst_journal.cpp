// SPDX-License-Identifier: Apache-2.0
// The journal's rows, its versions and what is left of it after failures.
#include "app/agent/journal.h"
#include "app/agent/journal_schema.h"
#include "tests/app/agent/full_disk_vfs.h"
#include "tests/app/agent/unit_samples.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <limits>
#include <set>

using namespace sunloco;
using namespace sunloco::agent;
using namespace sunloco::agent::test;
namespace fs = std::filesystem;

namespace {

constexpr std::array<UnitState, 12> kStates{UnitState::Leased,     UnitState::Preparing, UnitState::Training, UnitState::Encoded,  UnitState::Creating, UnitState::Uploading,
                                            UnitState::Committing, UnitState::Committed, UnitState::Merged,   UnitState::Rejected, UnitState::Expired,  UnitState::Abandoned};

/// Lets the `failAt`-th step fail.
class NthFault final : public core::FaultPolicy {
public:
    core::Result<void> before(std::string_view step) override {
        if (count++ != failAt) return {};
        failed = std::string(step);
        return core::Error{core::ErrorCode::Io, "made to fail", failed};
    }
    int failAt = -1;
    int count = 0;
    std::string failed;
};

ProjectRow project(const std::string& id, core::UtcMs joinedAt = 1'700'000'000'000) {
    ProjectRow row;
    row.id = id;
    row.link = "https://h:1/#root=" + id;
    row.url = "https://h:1";
    row.pin = "pin-of-" + id;
    row.name = "Wiesen & Wälder 'of' \"" + id + "\"; DROP TABLE projects";
    row.description = "line 1\nline 2";
    row.deviceId = "device-" + id;
    row.invite = "invite-" + id;
    row.joinedAt = joinedAt;
    row.sequence = 9'000'000'000'000;
    row.baseRound = 12;
    row.baseHash = digestOf(id).hex();
    row.leaving = true;
    return row;
}

std::string textOf(const ProjectRow& p) {
    return core::Json{p.id, p.link, p.url, p.pin, p.name, p.description, p.deviceId, p.invite, p.joinedAt, p.sequence, p.baseRound, p.baseHash, p.leaving}.dump();
}
std::string textOf(const RoundRow& r) { return core::Json{r.round, r.heldOutLoss ? core::Json(*r.heldOutLoss) : core::Json(nullptr), r.closedAt, r.contributors, r.tokens}.dump(); }

/// Every row of every table, read with a connection of its own.
std::string contentOf(const fs::path& path) {
    SQLite::Database db(path.string(), SQLite::OPEN_READONLY, 2000);
    std::string out = "version " + std::to_string(db.execAndGet("PRAGMA user_version").getInt()) + "\n";
    SQLite::Statement tables(db, "SELECT name FROM sqlite_master WHERE type='table' AND name NOT LIKE 'sqlite_%' ORDER BY name");
    while (tables.executeStep()) {
        const std::string name = tables.getColumn(0).getString();
        SQLite::Statement rows(db, "SELECT * FROM " + name + " ORDER BY 1, 2");
        while (rows.executeStep()) {
            out += name;
            for (int i = 0; i < rows.getColumnCount(); ++i) out += "|" + (rows.getColumn(i).isNull() ? std::string("NULL") : rows.getColumn(i).getString());
            out += "\n";
        }
    }
    return out;
}

std::string bytesOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::unique_ptr<Journal> opened(const fs::path& path, core::FaultPolicy* faults = nullptr) {
    auto journal = Journal::open(path, faults);
    if (!journal) {
        qWarning("%s", journal.error().text().c_str());
        return nullptr;
    }
    return std::move(*journal);
}

/// What is in the journal of a program that works; each does one write.
std::vector<std::function<core::Result<void>(Journal&)>> writes() {
    std::vector<std::function<core::Result<void>(Journal&)>> all;
    all.push_back([](Journal& j) { return j.saveProject(project("aa")); });
    all.push_back([](Journal& j) { return j.saveProject(project("bb")); });
    all.push_back([](Journal& j) { return j.saveMetadata("aa", "targets", 3, "{envelope 3}"); });
    all.push_back([](Journal& j) { return j.saveMetadata("aa", "targets", 4, "{envelope 4}"); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Leased, "l1", "aa")); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Uploading, "l1", "aa")); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Merged, "l1", "aa")); });
    all.push_back([](Journal& j) { return j.saveUnit(unitIn(UnitState::Committed, "l2", "bb")); });
    all.push_back([](Journal& j) { return j.saveRounds("aa", {{1, 3.5, 100, 2, 1000}, {2, std::nullopt, 200, 3, 2000}}); });
    all.push_back([](Journal& j) { return j.addEnergy(900'000, 1.5, false); });
    all.push_back([](Journal& j) { return j.addEnergy(900'000, 0.5, true); });
    all.push_back([](Journal& j) { return j.setValue("override", "{}"); });
    all.push_back([](Journal& j) { return j.setValue("override", "{\"kind\":\"pause\"}"); });
    all.push_back([](Journal& j) { return j.addEvent(5, "joined", "text"); });
    all.push_back([](Journal& j) { return j.removeProject("aa"); });
    return all;
}

// ---- the other end of the process tests ------------------------------------------------------------------------------------------------

/// Writes until it is killed; tells each write that is done, so the parent knows what must be there.
int writeForever(const char* path, int from) {
    auto journal = Journal::open(path, nullptr);
    if (!journal) return 1;
    for (int i = from;; ++i) {
        WorkUnit unit = unitIn(i % 2 == 0 ? UnitState::Uploading : UnitState::Merged, "lease-" + std::to_string(i % 40));
        unit.round = i;
        for (UnitPart& part : unit.parts) part.part.firstElement = i;   // parts and unit belong together
        if (!(*journal)->saveUnit(unit)) return 2;
        if (!(*journal)->addEnergy(0, 1, false)) return 3;
        std::printf("%d\n", i);
        std::fflush(stdout);
    }
}

/// Opens as somebody who may not write there. 0: the journal said so.
int openWithoutRights(const char* path) {
    if (::geteuid() == 0 && (::setegid(65534) != 0 || ::seteuid(65534) != 0)) return 9;
    const auto journal = Journal::open(path, nullptr);
    if (journal) return 1;
    std::printf("%s\n", journal.error().text().c_str());
    return journal.error().code == core::ErrorCode::PermissionDenied ? 0 : 2;
}

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
    void survivesARestart();
    void olderVersionIsCopiedAndUpgraded();
    void upgradeThatFails();
    void newerVersionIsRefused_data();
    void newerVersionIsRefused();
    void damaged_data();
    void damaged();
    void damagedPages();
    void noPlaceToWrite();
    void everyFaultLeavesItAsBefore();
    void aFaultWhileReading();
    void fullDisk();
    void killedWhileWriting();

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

void TestJournal::survivesARestart() {
    {
        const auto journal = opened(m_path);
        for (const auto& write : writes()) QVERIFY(write(*journal).has_value());
    }
    const std::string before = contentOf(m_path);
    const auto journal = opened(m_path);
    QCOMPARE(contentOf(m_path), before);
    QCOMPARE(textOf(journal->projects()->at(0)), textOf(project("bb")));
    QCOMPARE(textOf(**journal->unit("l2")), textOf(unitIn(UnitState::Committed, "l2", "bb")));
    QCOMPARE(*journal->value("override"), std::string("{\"kind\":\"pause\"}"));
    QCOMPARE(journal->energy(0, 1'000'000)->at(0).wattHours, 2.0);
    SQLite::Database db(m_path.string(), SQLite::OPEN_READONLY);
    QCOMPARE(db.execAndGet("PRAGMA journal_mode").getString(), std::string("wal"));
    QCOMPARE(db.execAndGet("PRAGMA user_version").getInt(), Journal::kVersion);
    QCOMPARE(db.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
}

namespace {

/// A journal as version 1 of the program left it.
void makeVersionOne(const fs::path& path) {
    SQLite::Database db(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec("PRAGMA journal_mode=WAL");
    db.exec(journalMigration(0));
    db.exec("PRAGMA user_version=1");
    db.exec("INSERT INTO kept VALUES('override', 'of version 1')");
    db.exec("INSERT INTO energy VALUES(900000, 1.5, 0)");
}

}  // namespace

void TestJournal::olderVersionIsCopiedAndUpgraded() {
    makeVersionOne(m_path);
    const std::string before = contentOf(m_path);
    {
        const auto journal = opened(m_path);
        QVERIFY(journal);
        QCOMPARE(*journal->value("override"), std::string("of version 1"));
        QCOMPARE(journal->energy(0, 1'000'000)->size(), std::size_t{1});
        QVERIFY(journal->saveRounds("p", {{1, 2.0, 3, 4, 5}}).has_value());
    }
    const fs::path backup = m_path.string() + ".v1.backup";
    QVERIFY(fs::exists(backup));
    QCOMPARE(contentOf(backup), before);
    // Once is enough.
    const auto written = fs::last_write_time(backup);
    QVERIFY(opened(m_path));
    QVERIFY(fs::last_write_time(backup) == written);
    // A new journal has nothing to copy.
    const fs::path fresh = m_dir->filePath(QStringLiteral("fresh.db")).toStdString();
    QVERIFY(opened(fresh));
    QVERIFY(!fs::exists(fresh.string() + ".v0.backup"));
}

void TestJournal::upgradeThatFails() {
    makeVersionOne(m_path);
    const std::string before = contentOf(m_path);
    NthFault faults;
    for (faults.failAt = 0;; ++faults.failAt) {
        faults.count = 0;
        faults.failed.clear();
        const auto journal = Journal::open(m_path, &faults);
        if (faults.failed.empty()) {
            QVERIFY(journal.has_value());
            break;
        }
        QVERIFY(!journal.has_value());
        QCOMPARE(contentOf(m_path), before);
    }
    QVERIFY(faults.failAt >= 2);   // opening and the one step
    // Nothing half-made is left of a new file either.
    const fs::path fresh = m_dir->filePath(QStringLiteral("fresh.db")).toStdString();
    for (int i = 0; i <= Journal::kVersion; ++i) {
        faults.failAt = i;
        faults.count = 0;
        QVERIFY(!Journal::open(fresh, &faults).has_value());
    }
    QVERIFY(opened(fresh)->setValue("a", "b").has_value());
}

void TestJournal::newerVersionIsRefused_data() {
    QTest::addColumn<QByteArray>("mode");
    QTest::newRow("in today's mode") << QByteArray("WAL");
    QTest::newRow("in a mode of its own") << QByteArray("DELETE");
}

void TestJournal::newerVersionIsRefused() {
    QFETCH(QByteArray, mode);
    {
        SQLite::Database db(m_path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec("PRAGMA journal_mode=" + mode.toStdString());
        db.exec("CREATE TABLE of_the_future(x); INSERT INTO of_the_future VALUES(42); PRAGMA user_version=" + std::to_string(Journal::kVersion + 1));
    }
    const std::string before = bytesOf(m_path);
    const auto journal = Journal::open(m_path, nullptr);
    QVERIFY(!journal.has_value());
    QCOMPARE(journal.error().code, core::ErrorCode::VersionTooNew);
    QVERIFY(journal.error().text().find("newer") != std::string::npos);
    QVERIFY(journal.error().text().find(m_path.string()) != std::string::npos);
    QVERIFY(bytesOf(m_path) == before);
    for (const auto& entry : fs::directory_iterator(m_path.parent_path())) QVERIFY2(entry.path().string().find("backup") == std::string::npos, entry.path().c_str());
}

void TestJournal::damaged_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("text") << QByteArray("this is no journal, but it is long enough to look at all of it\n").repeated(100);
    QTest::newRow("zeros after a good name") << QByteArray("SQLite format 3\0", 16) + QByteArray(4096, '\0');
    QTest::newRow("noise after a good name") << QByteArray("SQLite format 3\0", 16) + QByteArray("\xff\x01\x7f\x80", 4).repeated(2000);
    QTest::newRow("cut short") << QByteArray("SQLite fo");
}

void TestJournal::damaged() {
    QFETCH(QByteArray, content);
    {
        std::ofstream out(m_path, std::ios::binary);
        out.write(content.constData(), content.size());
    }
    const auto journal = Journal::open(m_path, nullptr);
    QVERIFY(!journal.has_value());
    QVERIFY2(journal.error().code == core::ErrorCode::InvalidData, journal.error().text().c_str());
    QVERIFY(journal.error().text().find("damaged") != std::string::npos);
    QVERIFY(bytesOf(m_path) == content.toStdString());   // for whoever wants to rescue it
}

/// The first page is whole, the rest is not: that shows when rows are read, and must not crash.
void TestJournal::damagedPages() {
    {
        const auto journal = opened(m_path);
        for (int i = 0; i < 60; ++i) QVERIFY(journal->saveUnit(unitIn(UnitState::Merged, "l" + std::to_string(i))).has_value());
    }
    std::string bytes = bytesOf(m_path);
    QVERIFY(bytes.size() > 20'000);
    for (std::size_t i = 4096; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
    {
        std::ofstream out(m_path, std::ios::binary);
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    const auto journal = Journal::open(m_path, nullptr);
    if (!journal) {
        QCOMPARE(journal.error().code, core::ErrorCode::InvalidData);
        return;
    }
    const auto units = (*journal)->recentUnits(100);
    QVERIFY(!units.has_value());
    QCOMPARE(units.error().code, core::ErrorCode::InvalidData);
    const auto saved = (*journal)->saveUnit(unitIn(UnitState::Leased, "new"));
    QVERIFY(!saved.has_value());
    QCOMPARE(saved.error().code, core::ErrorCode::InvalidData);
}

void TestJournal::noPlaceToWrite() {
    const auto missing = Journal::open(m_dir->filePath(QStringLiteral("no/such/folder/journal.db")).toStdString(), nullptr);
    QVERIFY(!missing.has_value());
    QVERIFY(fs::create_directory(m_dir->filePath(QStringLiteral("folder.db")).toStdString()));
    const auto folder = Journal::open(m_dir->filePath(QStringLiteral("folder.db")).toStdString(), nullptr);
    QVERIFY(!folder.has_value());

    const auto refusedIn = [&](const QString& path) {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--open-without-rights"), path});
        const bool ended = child.waitForFinished(20'000);
        return ended && child.exitStatus() == QProcess::NormalExit && child.exitCode() == 0 && child.readAllStandardOutput().contains("journal.db");
    };
    QVERIFY(::chmod(m_dir->path().toUtf8().constData(), 0555) == 0);
    QVERIFY(refusedIn(QString::fromStdString(m_path.string())));   // there is none, and none can be made
    QVERIFY(::chmod(m_dir->path().toUtf8().constData(), 0755) == 0);
    QVERIFY(opened(m_path)->setValue("a", "b").has_value());
    QVERIFY(::chmod(m_path.c_str(), 0444) == 0);
    QVERIFY(::chmod(m_dir->path().toUtf8().constData(), 0555) == 0);
    const std::string before = bytesOf(m_path);
    QVERIFY(refusedIn(QString::fromStdString(m_path.string())));   // there is one that cannot be changed
    QVERIFY(::chmod(m_dir->path().toUtf8().constData(), 0755) == 0);
    QVERIFY(bytesOf(m_path) == before);
}

void TestJournal::everyFaultLeavesItAsBefore() {
    const auto all = writes();
    NthFault faults;
    const fs::path calm = m_dir->filePath(QStringLiteral("calm.db")).toStdString();
    {
        const auto journal = opened(calm, &faults);
        for (const auto& write : all) QVERIFY(write(*journal).has_value());
    }
    const std::string wanted = contentOf(calm);
    const int steps = faults.count;
    QVERIFY(steps >= static_cast<int>(2 * all.size()));
    for (int i = 0; i < steps; ++i) {
        const fs::path path = m_dir->filePath(QStringLiteral("fault-%1.db").arg(i)).toStdString();
        NthFault fault;
        fault.failAt = i;
        auto journal = Journal::open(path, &fault);
        if (!journal) {
            QVERIFY(!fault.failed.empty());
            journal = Journal::open(path, &fault);   // again, when the trouble is over
        }
        QVERIFY(journal.has_value());
        for (const auto& write : all) {
            const bool atRisk = fault.failed.empty();
            const std::string before = atRisk ? contentOf(path) : std::string();
            if (const auto done = write(**journal); !done) {
                QVERIFY(!fault.failed.empty());
                QCOMPARE(done.error().message, std::string("made to fail"));
                QVERIFY2(contentOf(path) == before, fault.failed.c_str());
                QVERIFY(write(**journal).has_value());
            }
        }
        QVERIFY2(!fault.failed.empty(), std::to_string(i).c_str());
        QCOMPARE(contentOf(path), wanted);
    }
}

void TestJournal::aFaultWhileReading() {
    NthFault faults;
    const auto journal = opened(m_path, &faults);
    QVERIFY(journal->setValue("a", "b").has_value());
    const std::vector<std::function<bool()>> reads{
        [&] { return journal->projects().has_value(); },     [&] { return journal->metadata("p", "r").has_value(); }, [&] { return journal->liveUnits("p").has_value(); },
        [&] { return journal->recentUnits(1).has_value(); }, [&] { return journal->unit("l").has_value(); },          [&] { return journal->totals("p").has_value(); },
        [&] { return journal->rounds("p").has_value(); },    [&] { return journal->energy(0, 1).has_value(); },       [&] { return journal->value("a").has_value(); },
        [&] { return journal->days(0, [](core::UtcMs t) { return t; }).has_value(); },
    };
    for (const auto& read : reads) {
        faults.failAt = faults.count;
        QVERIFY(!read());
        QVERIFY(read());
    }
}

void TestJournal::fullDisk() {
    installFullDiskVfs();
    for (const auto& [trouble, code] : {std::pair{DiskTrouble::Full, core::ErrorCode::DiskFull}, {DiskTrouble::BrokenWrites, core::ErrorCode::Io}}) {
        const auto journal = opened(m_path);
        QVERIFY(journal->setValue("a", "before").has_value());
        QVERIFY(journal->saveUnit(unitIn(UnitState::Uploading, "l1", "bb")).has_value());
        const std::string before = contentOf(m_path);
        takeRefusedWrites();
        for (const auto& write : writes()) {
            setDiskTrouble(trouble);
            const auto done = write(*journal);
            setDiskTrouble(DiskTrouble::None);
            if (done) continue;   // nothing had to be written
            QVERIFY2(done.error().code == code, done.error().text().c_str());
            QCOMPARE(contentOf(m_path), before);
        }
        QVERIFY(takeRefusedWrites() > 5);
        // Space again: everything goes on.
        QCOMPARE(*journal->value("a"), std::string("before"));
        QVERIFY(journal->setValue("a", "after").has_value());
        QCOMPARE(*journal->value("a"), std::string("after"));
        QVERIFY(journal->setValue("a", "before").has_value());
    }
    setDiskTrouble(DiskTrouble::Full);
    const auto fresh = Journal::open(m_dir->filePath(QStringLiteral("fresh.db")).toStdString(), nullptr);
    setDiskTrouble(DiskTrouble::None);
    QVERIFY(!fresh.has_value());
    QCOMPARE(fresh.error().code, core::ErrorCode::DiskFull);
    QVERIFY(opened(m_dir->filePath(QStringLiteral("fresh.db")).toStdString()));
}

void TestJournal::killedWhileWriting() {
    int last = -1;
    double energy = 0;
    for (int run = 0; run < 8; ++run) {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--write-forever"), QString::fromStdString(m_path.string()), QString::number(last + 1)});
        QVERIFY(child.waitForStarted());
        QByteArray told;
        const int wanted = 5 + run * 9;
        while (told.count('\n') < wanted) {
            QVERIFY2(child.waitForReadyRead(20'000), child.errorString().toUtf8().constData());
            told += child.readAllStandardOutput();
        }
        ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
        QVERIFY(child.waitForFinished());
        told += child.readAllStandardOutput();
        const QByteArray whole = told.left(told.lastIndexOf('\n'));
        const int acknowledged = whole.mid(whole.lastIndexOf('\n') + 1).toInt();

        const auto journal = opened(m_path);
        QVERIFY(journal);
        int newest = -1;
        const auto units = journal->recentUnits(100);
        for (const WorkUnit& unit : *units) {
            newest = std::max(newest, static_cast<int>(unit.round));
            QCOMPARE(unit.parts.size(), std::size_t{2});
            for (const UnitPart& part : unit.parts) QCOMPARE(part.part.firstElement, unit.round);   // never the unit of one write and the parts of another
            QVERIFY(unit.state == (unit.round % 2 == 0 ? UnitState::Uploading : UnitState::Merged));
        }
        QVERIFY2(newest == acknowledged || newest == acknowledged + 1, (std::to_string(newest) + " of " + std::to_string(acknowledged)).c_str());
        const double sum = journal->energy(0, 1)->at(0).wattHours;
        const double told1 = energy + acknowledged - last;
        QVERIFY(sum == told1 || sum == told1 + 1);
        energy = sum;
        last = newest;
        SQLite::Database db(m_path.string(), SQLite::OPEN_READONLY, 2000);
        QCOMPARE(db.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
    }
}

int main(int argc, char** argv) {
    if (argc == 4 && std::string_view(argv[1]) == "--write-forever") return writeForever(argv[2], std::atoi(argv[3]));
    if (argc == 3 && std::string_view(argv[1]) == "--open-without-rights") return openWithoutRights(argv[2]);
    QCoreApplication app(argc, argv);
    TestJournal test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_journal.moc"
