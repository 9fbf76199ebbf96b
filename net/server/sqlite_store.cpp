// SPDX-License-Identifier: Apache-2.0
#include "net/server/sqlite_store.h"

#include "net/server/sqlite_schema.h"
#include "net/server/sqlite_work.h"

#include <sqlite3.h>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;
using protocol::ProblemCode;

namespace {

constexpr int kBusyMs = 10'000;
constexpr std::int64_t kHourMs = 3'600'000;
constexpr const char* kDeviceColumns = "id, public_key, trust, name, software, address, enrolled_at, last_sequence, blocked";
constexpr const char* kCommandColumns = "id, kind, done, answer";

Result<DeviceRow> deviceFrom(SQLite::Statement& statement) {
    RowReader row(statement);
    DeviceRow device;
    device.id = row.text();
    const auto key = protocol::parsePublicKey(row.text());
    if (!key) { return key.error(); }
    device.key = *key;
    device.trust = row.text() == protocol::name(protocol::Trust::Invited) ? protocol::Trust::Invited : protocol::Trust::Anonymous;
    device.name = row.text();
    device.software = row.text();
    device.address = row.text();
    device.enrolledAt = row.number();
    device.lastSequence = row.number();
    device.blocked = row.flag();
    return device;
}

CommandRow commandFrom(SQLite::Statement& statement) {
    RowReader row(statement);
    CommandRow command;
    command.id = row.number();
    command.kind = row.text();
    command.done = row.flag();
    command.answer = row.text();
    return command;
}

}  // namespace

core::Error storeError(const SQLite::Exception& e, const std::string& path) {
    switch (e.getErrorCode()) {
    case SQLITE_FULL: return {ErrorCode::DiskFull, "the disk is full: the project's database could not be written; free some space", path};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return {ErrorCode::InvalidData, "the project's database is damaged; restore the folder from a backup", path};
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return {ErrorCode::Busy, "the project's database is in use by another program", path};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN: return {ErrorCode::PermissionDenied, std::string("the project's database cannot be opened for writing: ") + e.what(), path};
    default: return {ErrorCode::Io, std::string("the project's database failed: ") + e.what(), path};
    }
}

SqliteStore::SqliteStore(std::unique_ptr<SQLite::Database> db, std::string path, core::FaultPolicy* faults)
    : m_db(std::move(db)), m_path(std::move(path)), m_faults(faults) {}
SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const std::filesystem::path& path, Open how, core::FaultPolicy* faults) {
    try {
        const int flags = SQLite::OPEN_READWRITE | (how == Open::Create ? SQLite::OPEN_CREATE : 0);
        auto db = std::make_unique<SQLite::Database>(path.string(), flags, kBusyMs);
        db->exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;");
        if (const auto done = migrateStore(*db, path.string()); !done) { return done.error(); }
        return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(db), path.string(), faults));
    } catch (const SQLite::Exception& e) {
        return storeError(e, path.string());
    }
}

void SqliteStore::Work::put(const std::vector<MetadataFile>& files) {
    for (const auto& file : files) {
        auto statement = query("INSERT OR REPLACE INTO metadata(role, version, file) VALUES(?, ?, ?)", protocol::name(file.role), file.version);
        statement.bind(3, file.text.data(), static_cast<int>(file.text.size()));
        statement.exec();
        // Clients ask for old versions of the root only.
        if (file.role != protocol::Role::Root) { run("DELETE FROM metadata WHERE role = ? AND version < ?", protocol::name(file.role), file.version); }
    }
}

void SqliteStore::Work::publish(const core::Digest& object, std::int64_t bytes) {
    run("INSERT OR REPLACE INTO objects(sha256, bytes) VALUES(?, ?)", object, bytes);
}

Result<std::optional<std::string>> SqliteStore::fact(const std::string& name) {
    return transact([&](Work& work) -> Result<std::optional<std::string>> {
        auto statement = work.query("SELECT value FROM facts WHERE name = ?", name);
        if (!statement.executeStep()) { return std::optional<std::string>(); }
        return std::optional(RowReader(statement).text());
    });
}

Result<void> SqliteStore::setFact(const std::string& name, const std::string& value) {
    return transact([&](Work& work) -> Result<void> {
        work.run("INSERT OR REPLACE INTO facts(name, value) VALUES(?, ?)", name, value);
        return {};
    });
}

Result<std::optional<MetadataFile>> SqliteStore::metadata(protocol::Role role, std::int64_t version) {
    return transact([&](Work& work) -> Result<std::optional<MetadataFile>> {
        auto statement = work.query("SELECT version, file FROM metadata WHERE role = ?1 AND (version = ?2 OR ?2 = 0) ORDER BY version DESC LIMIT 1",
                                    protocol::name(role), version);
        if (!statement.executeStep()) { return std::optional<MetadataFile>(); }
        RowReader row(statement);
        MetadataFile file;
        file.role = role;
        file.version = row.number();
        file.text = row.text();
        return std::optional(std::move(file));
    });
}

Result<void> SqliteStore::putMetadata(const std::vector<MetadataFile>& files) {
    return transact([&](Work& work) -> Result<void> {
        work.put(files);
        return {};
    });
}

Result<void> SqliteStore::publishObject(const core::Digest& name, std::int64_t bytes) {
    return transact([&](Work& work) -> Result<void> {
        work.publish(name, bytes);
        return {};
    });
}

Result<std::optional<std::int64_t>> SqliteStore::publicObject(const core::Digest& name) {
    return transact([&](Work& work) -> Result<std::optional<std::int64_t>> {
        auto statement = work.query("SELECT bytes FROM objects WHERE sha256 = ?", name);
        if (!statement.executeStep()) { return std::optional<std::int64_t>(); }
        return std::optional(RowReader(statement).number());
    });
}

Result<Outcome<Enrolled>> SqliteStore::enrol(const EnrolAsk& ask) {
    return transact([&](Work& work) -> Result<Outcome<Enrolled>> {
        const std::string select = std::string("SELECT ") + kDeviceColumns + " FROM devices WHERE id = ?";
        auto known = work.query(select.c_str(), ask.device.id);
        if (known.executeStep()) {
            auto row = deviceFrom(known);
            if (!row) { return row.error(); }
            return Outcome<Enrolled>::of({std::move(*row), false});
        }
        DeviceRow device = ask.device;
        device.trust = protocol::Trust::Anonymous;
        if (ask.inviteHash) {
            const int taken = work.run("UPDATE invites SET used_by = ?, used_at = ? WHERE code_hash = ? AND used_by IS NULL", device.id, device.enrolledAt, *ask.inviteHash);
            if (taken == 1) {
                device.trust = protocol::Trust::Invited;
            } else {
                auto used = work.query("SELECT used_by FROM invites WHERE code_hash = ?", *ask.inviteHash);
                return used.executeStep() ? Outcome<Enrolled>::refuse(ProblemCode::InviteUsed, "This invitation was used already; ask the project for a new one.")
                                          : Outcome<Enrolled>::refuse(ProblemCode::InviteRequired, "This invitation is not one of this project; check the code.");
            }
        } else if (ask.requireInvite) {
            return Outcome<Enrolled>::refuse(ProblemCode::InviteRequired, "This project takes part by invitation only; ask it for a code.");
        } else if (ask.maxPerAddressAndHour > 0) {
            auto recent = work.query("SELECT count(*) FROM devices WHERE address = ? AND enrolled_at > ?", device.address, device.enrolledAt - kHourMs);
            recent.executeStep();
            if (RowReader(recent).number() >= ask.maxPerAddressAndHour) {
                return Outcome<Enrolled>::refuse(ProblemCode::TooManyRequests, "Too many devices joined from this address within an hour; try again later.");
            }
        }
        work.run("INSERT INTO devices(id, public_key, trust, name, software, address, enrolled_at) VALUES(?, ?, ?, ?, ?, ?, ?)", device.id,
                 protocol::toBase64(device.key), protocol::name(device.trust), device.name, device.software, device.address, device.enrolledAt);
        return Outcome<Enrolled>::of({std::move(device), true});
    });
}

Result<std::optional<DeviceRow>> SqliteStore::device(const std::string& id) {
    return transact([&](Work& work) -> Result<std::optional<DeviceRow>> {
        const std::string select = std::string("SELECT ") + kDeviceColumns + " FROM devices WHERE id = ?";
        auto statement = work.query(select.c_str(), id);
        if (!statement.executeStep()) { return std::optional<DeviceRow>(); }
        auto row = deviceFrom(statement);
        if (!row) { return row.error(); }
        return std::optional(std::move(*row));
    });
}

Result<bool> SqliteStore::useNonce(const std::string& device, const std::string& nonce, core::UtcMs expires) {
    return transact([&](Work& work) -> Result<bool> {
        return work.run("INSERT OR IGNORE INTO nonces(device, nonce, expires) VALUES(?, ?, ?)", device, nonce, expires) == 1;
    });
}

Result<void> SqliteStore::addInvite(const core::Digest& hash, core::UtcMs now) {
    return transact([&](Work& work) -> Result<void> {
        work.run("INSERT INTO invites(code_hash, created_at) VALUES(?, ?)", hash, now);
        return {};
    });
}

Result<std::int64_t> SqliteStore::addCommand(const std::string& kind, core::UtcMs now) {
    return transact([&](Work& work) -> Result<std::int64_t> {
        work.run("INSERT INTO commands(kind, created_at) VALUES(?, ?)", kind, now);
        return work.lastId();
    });
}

Result<std::vector<CommandRow>> SqliteStore::openCommands() {
    return transact([&](Work& work) -> Result<std::vector<CommandRow>> {
        const std::string select = std::string("SELECT ") + kCommandColumns + " FROM commands WHERE done = 0 ORDER BY id";
        auto statement = work.query(select.c_str());
        std::vector<CommandRow> rows;
        while (statement.executeStep()) {
            rows.push_back(commandFrom(statement));
        }
        return rows;
    });
}

Result<void> SqliteStore::answerCommand(std::int64_t id, const std::string& answer) {
    return transact([&](Work& work) -> Result<void> {
        work.run("UPDATE commands SET done = 1, answer = ? WHERE id = ? AND done = 0", answer, id);
        return {};
    });
}

Result<std::optional<CommandRow>> SqliteStore::command(std::int64_t id) {
    return transact([&](Work& work) -> Result<std::optional<CommandRow>> {
        const std::string select = std::string("SELECT ") + kCommandColumns + " FROM commands WHERE id = ?";
        auto statement = work.query(select.c_str(), id);
        if (!statement.executeStep()) { return std::optional<CommandRow>(); }
        return std::optional(commandFrom(statement));
    });
}

}  // namespace sunloco::server
