// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <string>

namespace SQLite {
class Database;
}

namespace sunloco::server {

/// Brings a database to this program's schema, step by step, each in one transaction; refuses a newer one (VersionTooNew).
core::Result<void> migrateStore(SQLite::Database& db, const std::string& path);

/// The user_version that `migrateStore` ends with.
int storeSchemaVersion();

}  // namespace sunloco::server
