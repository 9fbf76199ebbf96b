// SPDX-License-Identifier: Apache-2.0
#include "app/agent/journal_schema.h"

namespace sunloco::agent {

const char* journalMigration(int from) {
    switch (from) {
    case 0:
        return R"sql(
CREATE TABLE projects(
  id TEXT PRIMARY KEY, link TEXT NOT NULL, url TEXT NOT NULL, pin TEXT NOT NULL, name TEXT NOT NULL, description TEXT NOT NULL,
  device_id TEXT NOT NULL, invite TEXT NOT NULL, joined_at INTEGER NOT NULL, sequence INTEGER NOT NULL,
  base_round INTEGER NOT NULL, base_hash TEXT NOT NULL, leaving INTEGER NOT NULL);
CREATE TABLE metadata(project TEXT NOT NULL, role TEXT NOT NULL, version INTEGER NOT NULL, envelope TEXT NOT NULL, PRIMARY KEY(project, role));
CREATE TABLE units(
  lease_id TEXT PRIMARY KEY, project TEXT NOT NULL, device TEXT NOT NULL, state TEXT NOT NULL, round INTEGER NOT NULL, base_hash TEXT NOT NULL,
  first_example INTEGER NOT NULL, examples INTEGER NOT NULL, steps INTEGER NOT NULL, min_steps INTEGER NOT NULL, first_global_step INTEGER NOT NULL,
  lease_expires INTEGER NOT NULL, steps_done INTEGER NOT NULL, tokens INTEGER NOT NULL, entry_loss REAL, exit_loss REAL, delta_norm REAL,
  active_seconds REAL, idempotency_key TEXT NOT NULL, contribution_id TEXT NOT NULL, bearer TEXT NOT NULL, bearer_expires INTEGER NOT NULL,
  receipt TEXT NOT NULL, receipt_digest TEXT NOT NULL, weight REAL, crashes INTEGER NOT NULL, problem TEXT NOT NULL,
  files_deleted INTEGER NOT NULL, release_told INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER);
CREATE INDEX units_by_project ON units(project, state);
CREATE INDEX units_by_age ON units(created_at);
CREATE TABLE parts(
  lease_id TEXT NOT NULL, n INTEGER NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, first INTEGER NOT NULL,
  elements INTEGER NOT NULL, stored INTEGER NOT NULL, PRIMARY KEY(lease_id, n));
CREATE TABLE energy(start_utc INTEGER PRIMARY KEY, watt_hours REAL NOT NULL, estimate INTEGER NOT NULL);
CREATE TABLE kept(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE events(id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
)sql";
    case 1:
        return R"sql(
CREATE TABLE rounds(
  project TEXT NOT NULL, round INTEGER NOT NULL, held_out_loss REAL, closed_at INTEGER NOT NULL, contributors INTEGER NOT NULL, tokens INTEGER NOT NULL,
  PRIMARY KEY(project, round));
)sql";
    default: return "";
    }
}

}  // namespace sunloco::agent
