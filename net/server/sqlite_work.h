// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the SQLite store: statements with bound values, rows, one transaction.
#include "net/server/sqlite_store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <type_traits>
#include <utility>

namespace sunloco::server {

core::Error storeError(const SQLite::Exception& e, const std::string& path);

class SqliteStore::Work {
public:
    explicit Work(SQLite::Database& db) : m_db(db) {}

    template <typename... Values>
    SQLite::Statement query(const char* sql, const Values&... values) {
        SQLite::Statement statement(m_db, sql);
        int index = 0;
        (bind(statement, ++index, values), ...);
        return statement;
    }
    /// Rows changed.
    template <typename... Values>
    int run(const char* sql, const Values&... values) {
        return query(sql, values...).exec();
    }
    [[nodiscard]] std::int64_t lastId() { return m_db.getLastInsertRowid(); }

    void put(const std::vector<MetadataFile>& files);
    void insertRound(const RoundRow& row);
    void insertCheckpoint(const protocol::CheckpointRef& checkpoint);
    void publish(const core::Digest& object, std::int64_t bytes);
    std::optional<RoundRow> newestRound();

private:
    static void bind(SQLite::Statement& s, int i, std::int64_t v) { s.bind(i, v); }
    static void bind(SQLite::Statement& s, int i, int v) { s.bind(i, v); }
    static void bind(SQLite::Statement& s, int i, double v) { s.bind(i, v); }
    static void bind(SQLite::Statement& s, int i, const std::string& v) { s.bind(i, v); }
    static void bind(SQLite::Statement& s, int i, std::string_view v) { s.bind(i, std::string(v)); }
    static void bind(SQLite::Statement& s, int i, const char* v) { s.bind(i, v); }
    static void bind(SQLite::Statement& s, int i, const core::Digest& v) { s.bind(i, v.hex()); }

    SQLite::Database& m_db;
};

/// Reads the columns of a row one after another.
class RowReader {
public:
    explicit RowReader(SQLite::Statement& statement) : m_statement(statement) {}
    std::string text() { return m_statement.getColumn(m_next++).getString(); }
    std::int64_t number() { return m_statement.getColumn(m_next++).getInt64(); }
    double real() { return m_statement.getColumn(m_next++).getDouble(); }
    bool flag() { return number() != 0; }
    core::Digest digest() { return core::parseDigest(text()).value_or(core::Digest{}); }
    [[nodiscard]] bool isNull() { return m_statement.getColumn(m_next).isNull(); }
    void skip() { ++m_next; }

private:
    SQLite::Statement& m_statement;
    int m_next = 0;
};

template <typename Body>
auto SqliteStore::transact(Body body) -> decltype(body(std::declval<Work&>())) {
    const std::lock_guard lock(m_mutex);
    if (const auto fault = core::checkFault(m_faults, "sql.exec"); !fault) { return fault.error(); }
    try {
        SQLite::Transaction transaction(*m_db, SQLite::TransactionBehavior::IMMEDIATE);
        Work work(*m_db);
        auto result = body(work);
        if (!result) { return result; }   // the destructor rolls back
        if (const auto fault = core::checkFault(m_faults, "sql.commit"); !fault) { return fault.error(); }
        transaction.commit();
        return result;
    } catch (const SQLite::Exception& e) {
        return storeError(e, m_path);
    }
}

}  // namespace sunloco::server
