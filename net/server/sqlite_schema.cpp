// SPDX-License-Identifier: Apache-2.0
#include "net/server/sqlite_schema.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <array>

namespace sunloco::server {
namespace {

// One entry a version. Never change an old one: add the next.
constexpr std::array<const char*, 1> kMigrations = {R"sql(
CREATE TABLE facts(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE metadata(role TEXT NOT NULL, version INTEGER NOT NULL, file BLOB NOT NULL, PRIMARY KEY(role, version)) WITHOUT ROWID;
CREATE TABLE objects(sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE devices(id TEXT PRIMARY KEY, public_key TEXT NOT NULL, trust TEXT NOT NULL, name TEXT NOT NULL, software TEXT NOT NULL,
  address TEXT NOT NULL, enrolled_at INTEGER NOT NULL, last_sequence INTEGER NOT NULL DEFAULT -1, blocked INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX devices_address ON devices(address, enrolled_at);
CREATE TABLE invites(code_hash TEXT PRIMARY KEY, created_at INTEGER NOT NULL, used_by TEXT, used_at INTEGER) WITHOUT ROWID;
CREATE TABLE nonces(device TEXT NOT NULL, nonce TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY(device, nonce)) WITHOUT ROWID;
CREATE INDEX nonces_expires ON nonces(expires);
CREATE TABLE rounds(round INTEGER PRIMARY KEY, state TEXT NOT NULL, opened_at INTEGER NOT NULL, deadline INTEGER NOT NULL, base_hash TEXT NOT NULL,
  first_global_step INTEGER NOT NULL, first_example INTEGER NOT NULL, next_example INTEGER NOT NULL,
  bytes_up INTEGER NOT NULL DEFAULT 0, bytes_down INTEGER NOT NULL DEFAULT 0,
  closed_at INTEGER NOT NULL DEFAULT 0, contributors INTEGER NOT NULL DEFAULT 0, tokens INTEGER NOT NULL DEFAULT 0,
  compute_seconds REAL NOT NULL DEFAULT 0, held_out_loss REAL, update_sha256 TEXT, update_bytes INTEGER, base_after TEXT);
CREATE TABLE leases(id TEXT PRIMARY KEY, device TEXT NOT NULL REFERENCES devices(id), round INTEGER NOT NULL REFERENCES rounds(round), state TEXT NOT NULL,
  first_example INTEGER NOT NULL, examples INTEGER NOT NULL, steps INTEGER NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  reported_steps INTEGER NOT NULL DEFAULT 0, given_away INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE INDEX leases_round ON leases(round, state);
CREATE INDEX leases_device ON leases(device, round);
CREATE TABLE contributions(id TEXT PRIMARY KEY, lease TEXT NOT NULL UNIQUE REFERENCES leases(id), device TEXT NOT NULL REFERENCES devices(id),
  round INTEGER NOT NULL REFERENCES rounds(round), state TEXT NOT NULL, idempotency_key TEXT NOT NULL, body_digest TEXT NOT NULL,
  steps INTEGER NOT NULL, tokens INTEGER NOT NULL, entry_loss REAL NOT NULL, exit_loss REAL NOT NULL, delta_norm REAL NOT NULL,
  leased_at INTEGER NOT NULL, created_at INTEGER NOT NULL, committed_at INTEGER NOT NULL DEFAULT 0, receipt TEXT NOT NULL DEFAULT '',
  weight REAL NOT NULL DEFAULT 0, code TEXT NOT NULL DEFAULT '', UNIQUE(device, idempotency_key)) WITHOUT ROWID;
CREATE INDEX contributions_round ON contributions(round, state);
CREATE TABLE parts(contribution TEXT NOT NULL REFERENCES contributions(id), n INTEGER NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL,
  first INTEGER NOT NULL, elements INTEGER NOT NULL, stored INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(contribution, n)) WITHOUT ROWID;
CREATE TABLE checkpoints(round INTEGER PRIMARY KEY, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, base_hash TEXT NOT NULL);
CREATE TABLE commands(id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, created_at INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0,
  answer TEXT NOT NULL DEFAULT '');
)sql"};

}  // namespace

int storeSchemaVersion() { return static_cast<int>(kMigrations.size()); }

core::Result<void> migrateStore(SQLite::Database& db, const std::string& path) {
    const int have = db.execAndGet("PRAGMA user_version").getInt();
    if (have > storeSchemaVersion()) {
        return core::Error{core::ErrorCode::VersionTooNew,
                           "this project was written by a newer sunloco-server (its database has version " + std::to_string(have) + ", this program knows up to " +
                               std::to_string(storeSchemaVersion()) + "). Install the newer version, or restore an older copy of the folder",
                           path};
    }
    for (int version = have; version < storeSchemaVersion(); ++version) {
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        if (db.execAndGet("PRAGMA user_version").getInt() != version) { continue; }   // another process was faster
        db.exec(kMigrations[static_cast<std::size_t>(version)]);
        db.exec("PRAGMA user_version = " + std::to_string(version + 1));
        transaction.commit();
    }
    return {};
}

}  // namespace sunloco::server
