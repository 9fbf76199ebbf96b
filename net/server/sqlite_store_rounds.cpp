// SPDX-License-Identifier: Apache-2.0
// Rounds, their history and the full bases.
#include "net/server/sqlite_work.h"

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr const char* kRoundSelect =
    "SELECT round, state, opened_at, deadline, base_hash, first_global_step, first_example, next_example, bytes_up, bytes_down, closed_at, contributors, "
    "tokens, compute_seconds, held_out_loss, update_sha256, update_bytes, base_after FROM rounds ";

StoredRoundState roundState(const std::string& text) {
    for (const auto state : {StoredRoundState::Open, StoredRoundState::Closing, StoredRoundState::Halted, StoredRoundState::Finished, StoredRoundState::RolledBack}) {
        if (text == name(state)) { return state; }
    }
    return StoredRoundState::Closed;
}

RoundRow roundFrom(SQLite::Statement& statement) {
    RowReader row(statement);
    RoundRow r;
    r.round = row.number();
    r.state = roundState(row.text());
    r.openedAt = row.number();
    r.deadline = row.number();
    r.baseHash = row.digest();
    r.firstGlobalStep = row.number();
    r.firstExample = row.number();
    r.nextExample = row.number();
    r.bytesUp = row.number();
    r.bytesDown = row.number();
    r.closedAt = row.number();
    r.contributors = row.number();
    r.tokens = row.number();
    r.computeSeconds = row.real();
    if (row.isNull()) {
        row.skip();
    } else {
        r.heldOutLoss = row.real();
    }
    if (!row.isNull()) {
        protocol::UpdateRef update;
        update.round = r.round;
        update.object.sha256 = row.digest();
        update.object.bytes = row.number();
        update.baseHash = row.digest();
        r.update = update;
    }
    return r;
}

}  // namespace

std::optional<RoundRow> SqliteStore::Work::newestRound() {
    auto statement = query((std::string(kRoundSelect) + "ORDER BY round DESC LIMIT 1").c_str());
    if (!statement.executeStep()) { return std::nullopt; }
    return roundFrom(statement);
}

void SqliteStore::Work::insertRound(const RoundRow& row) {
    run("INSERT INTO rounds(round, state, opened_at, deadline, base_hash, first_global_step, first_example, next_example) VALUES(?, ?, ?, ?, ?, ?, ?, ?)", row.round,
        name(row.state), row.openedAt, row.deadline, row.baseHash, row.firstGlobalStep, row.firstExample, row.nextExample);
}

void SqliteStore::Work::insertCheckpoint(const protocol::CheckpointRef& checkpoint) {
    run("INSERT OR REPLACE INTO checkpoints(round, sha256, bytes, base_hash) VALUES(?, ?, ?, ?)", checkpoint.round, checkpoint.object.sha256, checkpoint.object.bytes,
        checkpoint.baseHash);
    publish(checkpoint.object.sha256, checkpoint.object.bytes);
}

Result<RoundRow> SqliteStore::currentRound() {
    return transact([&](Work& work) -> Result<RoundRow> {
        const auto row = work.newestRound();
        if (!row) { return Error{ErrorCode::InvalidData, "the project has no round: its making was not finished. Remove the folder and run init again", m_path}; }
        return *row;
    });
}

Result<std::vector<RoundRow>> SqliteStore::closedRounds() {
    return transact([&](Work& work) -> Result<std::vector<RoundRow>> {
        auto statement = work.query((std::string(kRoundSelect) + "WHERE state IN ('closed', 'rolled-back') ORDER BY round").c_str());
        std::vector<RoundRow> rows;
        while (statement.executeStep()) { rows.push_back(roundFrom(statement)); }
        return rows;
    });
}

Result<Store::Counts> SqliteStore::countsOf(std::int64_t round) {
    return transact([&](Work& work) -> Result<Counts> {
        auto statement = work.query("SELECT count(*) FILTER (WHERE state = 'committed'), count(*) FILTER (WHERE state IN ('open', 'complete')), "
                                    "count(DISTINCT device) FILTER (WHERE state = 'committed') FROM contributions WHERE round = ?", round);
        statement.executeStep();
        RowReader row(statement);
        Counts counts;
        counts.committed = row.number();
        counts.uploading = row.number();
        counts.devices = row.number();
        return counts;
    });
}

Result<void> SqliteStore::openFirstRound(const RoundRow& row, const protocol::CheckpointRef& checkpoint, const std::vector<MetadataFile>& metadata) {
    return transact([&](Work& work) -> Result<void> {
        work.insertRound(row);
        work.insertCheckpoint(checkpoint);
        work.put(metadata);
        return {};
    });
}

Result<bool> SqliteStore::fixContributions(std::int64_t round) {
    return transact([&](Work& work) -> Result<bool> {
        if (work.run("UPDATE rounds SET state = 'closing' WHERE round = ? AND state IN ('open', 'halted')", round) != 1) { return false; }
        work.run("UPDATE contributions SET state = 'expired' WHERE round = ? AND state IN ('open', 'complete')", round);
        work.run("UPDATE leases SET state = 'closed' WHERE round = ? AND state IN ('open', 'expired')", round);
        return true;
    });
}

Result<bool> SqliteStore::reopen(std::int64_t round, core::UtcMs deadline, const std::vector<MetadataFile>& metadata) {
    return transact([&](Work& work) -> Result<bool> {
        if (work.run("UPDATE rounds SET state = 'open', deadline = ? WHERE round = ? AND state = 'closing'", deadline, round) != 1) { return false; }
        work.put(metadata);
        return true;
    });
}

Result<bool> SqliteStore::moveDeadline(std::int64_t round, core::UtcMs openedAt, core::UtcMs deadline, const std::vector<MetadataFile>& metadata) {
    return transact([&](Work& work) -> Result<bool> {
        if (work.run("UPDATE rounds SET opened_at = ?, deadline = ? WHERE round = ? AND state = 'open'", openedAt, deadline, round) != 1) { return false; }
        work.put(metadata);
        return true;
    });
}

Result<bool> SqliteStore::setHalted(std::int64_t round, bool halted) {
    return transact([&](Work& work) -> Result<bool> {
        const auto from = halted ? StoredRoundState::Open : StoredRoundState::Halted;
        const auto to = halted ? StoredRoundState::Halted : StoredRoundState::Open;
        return work.run("UPDATE rounds SET state = ? WHERE round = ? AND state = ?", name(to), round, name(from)) == 1;
    });
}

Result<bool> SqliteStore::finishClosing(const RoundClosing& closing) {
    return transact([&](Work& work) -> Result<bool> {
        if (work.run("UPDATE rounds SET state = 'closed', closed_at = ?, contributors = ?, tokens = ?, compute_seconds = ?, update_sha256 = ?, update_bytes = ?, base_after = ? "
                     "WHERE round = ? AND state = 'closing'", closing.closedAt, closing.contributors, closing.tokens, closing.computeSeconds, closing.update.object.sha256,
                     closing.update.object.bytes, closing.update.baseHash, closing.round) != 1) {
            return false;
        }
        for (const auto& [id, weight] : closing.weights) {
            work.run("UPDATE contributions SET state = 'merged', weight = ? WHERE id = ? AND round = ? AND state = 'committed'", weight, id, closing.round);
        }
        work.publish(closing.update.object.sha256, closing.update.object.bytes);
        if (closing.checkpoint) { work.insertCheckpoint(*closing.checkpoint); }
        work.insertRound(closing.next);
        work.put(closing.metadata);
        return true;
    });
}

Result<bool> SqliteStore::rollBack(std::int64_t round, core::UtcMs now, const RoundRow& next, const protocol::CheckpointRef& checkpoint, const std::vector<MetadataFile>& metadata) {
    return transact([&](Work& work) -> Result<bool> {
        if (work.run("UPDATE rounds SET state = 'rolled-back', closed_at = ?, base_after = ? WHERE round = ? AND state IN ('open', 'halted', 'finished')", now, checkpoint.baseHash,
                     round) != 1) {
            return false;
        }
        work.run("UPDATE contributions SET state = 'expired' WHERE round = ? AND state IN ('open', 'complete')", round);
        work.run("UPDATE contributions SET state = 'rejected', code = 'rolled-back' WHERE round = ? AND state = 'committed'", round);
        work.run("UPDATE leases SET state = 'closed' WHERE round = ? AND state IN ('open', 'expired')", round);
        work.insertCheckpoint(checkpoint);
        work.insertRound(next);
        work.put(metadata);
        return true;
    });
}

Result<void> SqliteStore::setHeldOutLoss(std::int64_t round, double loss) {
    return transact([&](Work& work) -> Result<void> {
        work.run("UPDATE rounds SET held_out_loss = ? WHERE round = ?", loss, round);
        return {};
    });
}

Result<void> SqliteStore::addBytes(std::int64_t up, std::int64_t down) {
    return transact([&](Work& work) -> Result<void> {
        work.run("UPDATE rounds SET bytes_up = bytes_up + ?, bytes_down = bytes_down + ? WHERE round = (SELECT max(round) FROM rounds)", up, down);
        return {};
    });
}

Result<std::vector<protocol::CheckpointRef>> SqliteStore::checkpoints() {
    return transact([&](Work& work) -> Result<std::vector<protocol::CheckpointRef>> {
        auto statement = work.query("SELECT round, sha256, bytes, base_hash FROM checkpoints ORDER BY round DESC");
        std::vector<protocol::CheckpointRef> rows;
        while (statement.executeStep()) {
            RowReader row(statement);
            protocol::CheckpointRef checkpoint;
            checkpoint.round = row.number();
            checkpoint.object.sha256 = row.digest();
            checkpoint.object.bytes = row.number();
            checkpoint.baseHash = row.digest();
            rows.push_back(checkpoint);
        }
        return rows;
    });
}

}  // namespace sunloco::server
