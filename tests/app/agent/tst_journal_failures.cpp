// SPDX-License-Identifier: Apache-2.0
// The journal over restarts, versions of the program and failures: what was written is there, or the file is as before.
#include "app/agent/journal.h"
#include "app/agent/journal_schema.h"
#include "tests/app/agent/full_disk_vfs.h"
#include "tests/app/agent/journal_samples.h"
#include "tests/app/agent/unit_samples.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>

using namespace sunloco;
using namespace sunloco::agent;
using namespace sunloco::agent::test;
namespace fs = std::filesystem;

namespace {

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

std::string bytesOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
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

class TestJournalFailures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
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

void TestJournalFailures::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_path = m_dir->filePath(QStringLiteral("journal.db")).toStdString();
}

void TestJournalFailures::survivesARestart() {
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

void TestJournalFailures::olderVersionIsCopiedAndUpgraded() {
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

void TestJournalFailures::upgradeThatFails() {
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

void TestJournalFailures::newerVersionIsRefused_data() {
    QTest::addColumn<QByteArray>("mode");
    QTest::newRow("in today's mode") << QByteArray("WAL");
    QTest::newRow("in a mode of its own") << QByteArray("DELETE");
}

void TestJournalFailures::newerVersionIsRefused() {
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

void TestJournalFailures::damaged_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("text") << QByteArray("this is no journal, but it is long enough to look at all of it\n").repeated(100);
    QTest::newRow("zeros after a good name") << QByteArray("SQLite format 3\0", 16) + QByteArray(4096, '\0');
    QTest::newRow("noise after a good name") << QByteArray("SQLite format 3\0", 16) + QByteArray("\xff\x01\x7f\x80", 4).repeated(2000);
    QTest::newRow("cut short") << QByteArray("SQLite fo");
}

void TestJournalFailures::damaged() {
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
void TestJournalFailures::damagedPages() {
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

void TestJournalFailures::noPlaceToWrite() {
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

void TestJournalFailures::everyFaultLeavesItAsBefore() {
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

void TestJournalFailures::aFaultWhileReading() {
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

void TestJournalFailures::fullDisk() {
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

void TestJournalFailures::killedWhileWriting() {
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
    TestJournalFailures test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_journal_failures.moc"
