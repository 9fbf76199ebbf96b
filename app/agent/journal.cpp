// SPDX-License-Identifier: Apache-2.0
#include "app/agent/journal.h"

#include "app/agent/journal_schema.h"
#include "engine/core/files.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <map>

namespace sunloco::agent {
namespace {

using core::Error;
using core::ErrorCode;

Error sqlError(const SQLite::Exception& e, const std::string& path) {
    switch (e.getErrorCode()) {
    case SQLITE_FULL: return {ErrorCode::DiskFull, "the disk is full: the journal could not be written; free some space", path};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {ErrorCode::InvalidData, "the journal is damaged; move it away and start again (projects must be joined anew)", path};
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {ErrorCode::Busy, "the journal is in use by another program", path};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN: return {ErrorCode::PermissionDenied, std::string("the journal cannot be opened for writing: ") + e.what(), path};
    default: return {ErrorCode::Io, std::string("the journal failed: ") + e.what(), path};
    }
}

std::optional<double> optionalDouble(const SQLite::Column& column) {
    if (column.isNull()) return std::nullopt;
    return column.getDouble();
}

std::int64_t count(std::size_t n) { return static_cast<std::int64_t>(n); }

constexpr const char* kUnitColumns =
    "lease_id, project, device, state, round, base_hash, first_example, examples, steps, min_steps, first_global_step, lease_expires, steps_done, tokens, entry_loss, "
    "exit_loss, delta_norm, active_seconds, idempotency_key, contribution_id, bearer, bearer_expires, receipt, receipt_digest, weight, crashes, problem, files_deleted, "
    "release_told, created_at, updated_at, finished_at";

WorkUnit unitFrom(SQLite::Statement& q) {
    WorkUnit u;
    int c = 0;
    const auto text = [&] { return q.getColumn(c++).getString(); };
    const auto number = [&] { return q.getColumn(c++).getInt64(); };
    const auto real = [&] { return q.getColumn(c++).getDouble(); };
    u.leaseId = text();
    u.projectId = text();
    u.device = text();
    u.state = stateFromName(text()).value_or(UnitState::Abandoned);
    u.round = number();
    u.baseHash = core::parseDigest(text()).value_or(core::Digest{});
    u.examples.first = number();
    u.examples.count = number();
    u.steps = number();
    u.minSteps = number();
    u.firstGlobalStep = number();
    u.leaseExpires = number();
    u.stepsDone = number();
    u.tokens = number();
    u.entryLoss = real();
    u.exitLoss = real();
    u.deltaNorm = real();
    u.activeSeconds = real();
    u.idempotencyKey = text();
    u.contributionId = text();
    u.bearer = text();
    u.bearerExpires = number();
    u.receipt = text();
    u.receiptDigest = text();
    u.weight = optionalDouble(q.getColumn(c++));
    u.crashes = static_cast<int>(number());
    u.problem = text();
    u.filesDeleted = number() != 0;
    u.releaseTold = number() != 0;
    u.createdAt = number();
    u.updatedAt = number();
    if (const SQLite::Column finished = q.getColumn(c); !finished.isNull()) u.finishedAt = finished.getInt64();
    return u;
}

void bindUnit(SQLite::Statement& q, const WorkUnit& u) {
    int i = 1;
    const auto put = [&](const auto& value) { q.bind(i++, value); };
    put(u.leaseId);
    put(u.projectId);
    put(u.device);
    put(std::string(stateName(u.state)));
    put(u.round);
    put(u.baseHash.hex());
    put(u.examples.first);
    put(u.examples.count);
    put(u.steps);
    put(u.minSteps);
    put(u.firstGlobalStep);
    put(u.leaseExpires);
    put(u.stepsDone);
    put(u.tokens);
    put(u.entryLoss);
    put(u.exitLoss);
    put(u.deltaNorm);
    put(u.activeSeconds);
    put(u.idempotencyKey);
    put(u.contributionId);
    put(u.bearer);
    put(u.bearerExpires);
    put(u.receipt);
    put(u.receiptDigest);
    if (u.weight) q.bind(i, *u.weight);
    else q.bind(i);
    ++i;
    put(u.crashes);
    put(u.problem);
    put(u.filesDeleted ? 1 : 0);
    put(u.releaseTold ? 1 : 0);
    put(u.createdAt);
    put(u.updatedAt);
    if (u.finishedAt) q.bind(i, *u.finishedAt);
    else q.bind(i);
}

}  // namespace

Journal::Journal(std::unique_ptr<SQLite::Database> db, core::FaultPolicy* faults) : m_db(std::move(db)), m_faults(faults), m_path(m_db->getFilename()) {}
Journal::~Journal() = default;

core::Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& path, core::FaultPolicy* faults) {
    if (auto fault = core::checkFault(faults, "sql.open"); !fault) return fault.error();
    try {
        auto db = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 2000);
        std::unique_ptr<Journal> journal(new Journal(std::move(db), faults));
        // Before anything that may write: a newer program's file stays as it is, byte for byte.
        if (auto known = journal->checkVersion(path); !known) return known.error();
        journal->m_db->exec("PRAGMA journal_mode=WAL");
        journal->m_db->exec("PRAGMA synchronous=FULL");
        journal->m_db->exec("PRAGMA foreign_keys=ON");
        if (auto migrated = journal->migrate(path); !migrated) return migrated.error();
        return journal;
    } catch (const SQLite::Exception& e) {
        return sqlError(e, path.string());
    }
}

core::Result<void> Journal::checkVersion(const std::filesystem::path& path) const {
    const int version = m_db->execAndGet("PRAGMA user_version").getInt();
    if (version <= kVersion) return {};
    return Error{ErrorCode::VersionTooNew,
                 "the data folder was written by a newer SunLoCo (journal version " + std::to_string(version) + ", this program knows " + std::to_string(kVersion) +
                     "); install the newer version, or use another folder with --data-dir",
                 path.string()};
}

core::Result<void> Journal::migrate(const std::filesystem::path& path) {
    const int version = m_db->execAndGet("PRAGMA user_version").getInt();
    if (version == kVersion) return {};
    if (version > 0) {
        const std::string backup = path.string() + ".v" + std::to_string(version) + ".backup";
        m_db->backup(backup.c_str(), SQLite::Database::Save);
        if (auto synced = core::syncPath(backup); !synced) return synced;
    }
    for (int from = version; from < kVersion; ++from) {
        if (auto fault = core::checkFault(m_faults, "sql.migrate"); !fault) return fault;
        SQLite::Transaction transaction(*m_db);
        m_db->exec(journalMigration(from));
        m_db->exec("PRAGMA user_version=" + std::to_string(from + 1));
        transaction.commit();
    }
    return {};
}

core::Result<void> Journal::write(const std::function<void()>& work) const {
    if (auto fault = core::checkFault(m_faults, "sql.write"); !fault) return fault;
    try {
        SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
        work();
        if (auto fault = core::checkFault(m_faults, "sql.commit"); !fault) return fault;  // the destructor rolls back
        transaction.commit();
        return {};
    } catch (const SQLite::Exception& e) {
        return sqlError(e, m_path);
    }
}

core::Result<void> Journal::read(const std::function<void()>& work) const {
    if (auto fault = core::checkFault(m_faults, "sql.read"); !fault) return fault;
    try {
        work();
        return {};
    } catch (const SQLite::Exception& e) {
        return sqlError(e, m_path);
    }
}

core::Result<std::vector<ProjectRow>> Journal::projects() const {
    std::vector<ProjectRow> rows;
    auto done = read([&] {
        SQLite::Statement q(*m_db, "SELECT id, link, url, pin, name, description, device_id, invite, joined_at, sequence, base_round, base_hash, leaving FROM projects ORDER BY joined_at");
        while (q.executeStep()) {
            ProjectRow row;
            row.id = q.getColumn(0).getString();
            row.link = q.getColumn(1).getString();
            row.url = q.getColumn(2).getString();
            row.pin = q.getColumn(3).getString();
            row.name = q.getColumn(4).getString();
            row.description = q.getColumn(5).getString();
            row.deviceId = q.getColumn(6).getString();
            row.invite = q.getColumn(7).getString();
            row.joinedAt = q.getColumn(8).getInt64();
            row.sequence = q.getColumn(9).getInt64();
            row.baseRound = q.getColumn(10).getInt64();
            row.baseHash = q.getColumn(11).getString();
            row.leaving = q.getColumn(12).getInt() != 0;
            rows.push_back(std::move(row));
        }
    });
    if (!done) return done.error();
    return rows;
}

core::Result<void> Journal::saveProject(const ProjectRow& p) {
    return write([&] {
        SQLite::Statement q(*m_db,
                            "INSERT INTO projects(id, link, url, pin, name, description, device_id, invite, joined_at, sequence, base_round, base_hash, leaving) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?) "
                            "ON CONFLICT(id) DO UPDATE SET link=excluded.link, url=excluded.url, pin=excluded.pin, name=excluded.name, description=excluded.description, "
                            "device_id=excluded.device_id, invite=excluded.invite, sequence=excluded.sequence, base_round=excluded.base_round, base_hash=excluded.base_hash, "
                            "leaving=excluded.leaving");
        q.bind(1, p.id);
        q.bind(2, p.link);
        q.bind(3, p.url);
        q.bind(4, p.pin);
        q.bind(5, p.name);
        q.bind(6, p.description);
        q.bind(7, p.deviceId);
        q.bind(8, p.invite);
        q.bind(9, p.joinedAt);
        q.bind(10, p.sequence);
        q.bind(11, p.baseRound);
        q.bind(12, p.baseHash);
        q.bind(13, p.leaving ? 1 : 0);
        q.exec();
    });
}

core::Result<void> Journal::removeProject(const std::string& id) {
    return write([&] {
        for (const char* sql : {"DELETE FROM parts WHERE lease_id IN (SELECT lease_id FROM units WHERE project=?)", "DELETE FROM units WHERE project=?",
                                "DELETE FROM metadata WHERE project=?", "DELETE FROM rounds WHERE project=?", "DELETE FROM projects WHERE id=?"}) {
            SQLite::Statement q(*m_db, sql);
            q.bind(1, id);
            q.exec();
        }
    });
}

core::Result<void> Journal::saveMetadata(const std::string& project, const std::string& role, std::int64_t version, const std::string& envelope) {
    return write([&] {
        SQLite::Statement q(*m_db, "INSERT OR REPLACE INTO metadata(project, role, version, envelope) VALUES(?,?,?,?)");
        q.bind(1, project);
        q.bind(2, role);
        q.bind(3, version);
        q.bind(4, envelope);
        q.exec();
    });
}

core::Result<std::optional<std::string>> Journal::metadata(const std::string& project, const std::string& role) const {
    std::optional<std::string> envelope;
    auto done = read([&] {
        SQLite::Statement q(*m_db, "SELECT envelope FROM metadata WHERE project=? AND role=?");
        q.bind(1, project);
        q.bind(2, role);
        if (q.executeStep()) envelope = q.getColumn(0).getString();
    });
    if (!done) return done.error();
    return envelope;
}

core::Result<void> Journal::saveUnit(const WorkUnit& unit) {
    return write([&] {
        std::string marks;
        for (int i = 0; i < 32; ++i) marks += i == 0 ? "?" : ",?";
        SQLite::Statement q(*m_db, std::string("INSERT OR REPLACE INTO units(") + kUnitColumns + ") VALUES(" + marks + ")");
        bindUnit(q, unit);
        q.exec();
        SQLite::Statement clear(*m_db, "DELETE FROM parts WHERE lease_id=?");
        clear.bind(1, unit.leaseId);
        clear.exec();
        SQLite::Statement add(*m_db, "INSERT INTO parts(lease_id, n, file, bytes, sha256, first, elements, stored) VALUES(?,?,?,?,?,?,?,?)");
        for (std::size_t n = 0; n < unit.parts.size(); ++n) {
            const UnitPart& p = unit.parts[n];
            add.reset();
            add.bind(1, unit.leaseId);
            add.bind(2, count(n));
            add.bind(3, p.part.file);
            add.bind(4, static_cast<std::int64_t>(p.part.bytes));
            add.bind(5, p.part.sha256.hex());
            add.bind(6, p.part.firstElement);
            add.bind(7, p.part.elements);
            add.bind(8, p.stored ? 1 : 0);
            add.exec();
        }
    });
}

core::Result<std::vector<WorkUnit>> Journal::units(const std::string& where, const std::function<void(SQLite::Statement&)>& bind) const {
    std::vector<WorkUnit> units;
    auto done = read([&] {
        SQLite::Statement q(*m_db, std::string("SELECT ") + kUnitColumns + " FROM units " + where);
        bind(q);
        while (q.executeStep()) units.push_back(unitFrom(q));
        SQLite::Statement parts(*m_db, "SELECT file, bytes, sha256, first, elements, stored FROM parts WHERE lease_id=? ORDER BY n");
        for (WorkUnit& unit : units) {
            parts.reset();
            parts.bind(1, unit.leaseId);
            while (parts.executeStep()) {
                UnitPart p;
                p.part.file = parts.getColumn(0).getString();
                p.part.bytes = static_cast<std::uint64_t>(parts.getColumn(1).getInt64());
                p.part.sha256 = core::parseDigest(parts.getColumn(2).getString()).value_or(core::Digest{});
                p.part.firstElement = parts.getColumn(3).getInt64();
                p.part.elements = parts.getColumn(4).getInt64();
                p.stored = parts.getColumn(5).getInt() != 0;
                unit.parts.push_back(std::move(p));
            }
        }
    });
    if (!done) return done.error();
    return units;
}

core::Result<std::vector<WorkUnit>> Journal::liveUnits(const std::string& project) const {
    return units(
        "WHERE project=? AND (state NOT IN ('merged','rejected','expired','abandoned') OR (files_deleted=0) OR (state='abandoned' AND release_told=0)) ORDER BY created_at",
        [&](SQLite::Statement& q) { q.bind(1, project); });
}

core::Result<std::vector<WorkUnit>> Journal::recentUnits(int limit) const {
    return units("ORDER BY created_at DESC, lease_id LIMIT ?", [&](SQLite::Statement& q) { q.bind(1, limit); });
}

core::Result<std::optional<WorkUnit>> Journal::unit(const std::string& leaseId) const {
    auto found = units("WHERE lease_id=?", [&](SQLite::Statement& q) { q.bind(1, leaseId); });
    if (!found) return found.error();
    if (found->empty()) return std::optional<WorkUnit>();
    return std::optional<WorkUnit>(std::move(found->front()));
}

core::Result<UnitTotals> Journal::totals(const std::string& project) const {
    UnitTotals totals;
    auto done = read([&] {
        SQLite::Statement q(*m_db,
                            "SELECT COUNT(*), SUM(state='merged'), SUM(CASE WHEN state='merged' THEN tokens ELSE 0 END) FROM units WHERE project=? AND state IN ('committed','merged')");
        q.bind(1, project);
        if (q.executeStep()) {
            totals.sent = q.getColumn(0).getInt64();
            totals.merged = q.getColumn(1).getInt64();
            totals.tokensMerged = q.getColumn(2).getInt64();
        }
    });
    if (!done) return done.error();
    return totals;
}

core::Result<std::vector<DayRow>> Journal::days(core::UtcMs from, const std::function<core::UtcMs(core::UtcMs)>& dayOf) const {
    std::map<core::UtcMs, DayRow> byDay;
    auto done = read([&] {
        SQLite::Statement q(*m_db, "SELECT finished_at, tokens FROM units WHERE finished_at>=? AND state IN ('committed','merged')");
        q.bind(1, from);
        while (q.executeStep()) {
            const core::UtcMs day = dayOf(q.getColumn(0).getInt64());
            DayRow& row = byDay[day];
            row.dayStart = day;
            row.tokens += q.getColumn(1).getInt64();
            ++row.rounds;
        }
    });
    if (!done) return done.error();
    std::vector<DayRow> rows;
    for (const auto& [day, row] : byDay) rows.push_back(row);
    return rows;
}

core::Result<void> Journal::saveRounds(const std::string& project, const std::vector<RoundRow>& rounds) {
    return write([&] {
        SQLite::Statement q(*m_db, "INSERT OR REPLACE INTO rounds(project, round, held_out_loss, closed_at, contributors, tokens) VALUES(?,?,?,?,?,?)");
        for (const RoundRow& row : rounds) {
            q.reset();
            q.bind(1, project);
            q.bind(2, row.round);
            if (row.heldOutLoss) q.bind(3, *row.heldOutLoss);
            else q.bind(3);
            q.bind(4, row.closedAt);
            q.bind(5, row.contributors);
            q.bind(6, row.tokens);
            q.exec();
        }
    });
}

core::Result<std::vector<RoundRow>> Journal::rounds(const std::string& project) const {
    std::vector<RoundRow> rows;
    auto done = read([&] {
        SQLite::Statement q(*m_db, "SELECT round, held_out_loss, closed_at, contributors, tokens FROM rounds WHERE project=? ORDER BY round");
        q.bind(1, project);
        while (q.executeStep()) {
            rows.push_back({q.getColumn(0).getInt64(), optionalDouble(q.getColumn(1)), q.getColumn(2).getInt64(), q.getColumn(3).getInt64(), q.getColumn(4).getInt64()});
        }
    });
    if (!done) return done.error();
    return rows;
}

core::Result<void> Journal::addEnergy(core::UtcMs bucketStart, double wattHours, bool isEstimate) {
    return write([&] {
        SQLite::Statement q(*m_db,
                            "INSERT INTO energy(start_utc, watt_hours, estimate) VALUES(?,?,?) ON CONFLICT(start_utc) DO UPDATE SET "
                            "watt_hours=watt_hours+excluded.watt_hours, estimate=MAX(estimate, excluded.estimate)");
        q.bind(1, bucketStart);
        q.bind(2, wattHours);
        q.bind(3, isEstimate ? 1 : 0);
        q.exec();
    });
}

core::Result<std::vector<EnergyRow>> Journal::energy(core::UtcMs from, core::UtcMs to) const {
    std::vector<EnergyRow> rows;
    auto done = read([&] {
        SQLite::Statement q(*m_db, "SELECT start_utc, watt_hours, estimate FROM energy WHERE start_utc>=? AND start_utc<? ORDER BY start_utc");
        q.bind(1, from);
        q.bind(2, to);
        while (q.executeStep()) rows.push_back({q.getColumn(0).getInt64(), q.getColumn(1).getDouble(), q.getColumn(2).getInt() != 0});
    });
    if (!done) return done.error();
    return rows;
}

core::Result<void> Journal::setValue(const std::string& key, const std::string& value) {
    return write([&] {
        SQLite::Statement q(*m_db, "INSERT OR REPLACE INTO kept(key, value) VALUES(?,?)");
        q.bind(1, key);
        q.bind(2, value);
        q.exec();
    });
}

core::Result<std::string> Journal::value(const std::string& key) const {
    std::string value;
    auto done = read([&] {
        SQLite::Statement q(*m_db, "SELECT value FROM kept WHERE key=?");
        q.bind(1, key);
        if (q.executeStep()) value = q.getColumn(0).getString();
    });
    if (!done) return done.error();
    return value;
}

core::Result<void> Journal::addEvent(core::UtcMs at, const std::string& kind, const std::string& text) {
    return write([&] {
        SQLite::Statement q(*m_db, "INSERT INTO events(at, kind, text) VALUES(?,?,?)");
        q.bind(1, at);
        q.bind(2, kind);
        q.bind(3, text);
        q.exec();
        m_db->exec("DELETE FROM events WHERE id <= (SELECT MAX(id) FROM events) - 10000");
    });
}

}  // namespace sunloco::agent
