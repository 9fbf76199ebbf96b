// SPDX-License-Identifier: Apache-2.0
// Leases, contributions and their parts.
#include "net/server/sqlite_work.h"

#include <algorithm>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;
using protocol::ContributionState;
using protocol::ProblemCode;

namespace {

constexpr const char* kLeaseSelect =
    "SELECT id, device, round, state, first_example, examples, steps, created_at, expires_at, reported_steps, given_away FROM leases ";
constexpr const char* kContributionSelect =
    "SELECT id, lease, device, round, state, idempotency_key, body_digest, steps, tokens, entry_loss, exit_loss, delta_norm, leased_at, created_at, "
    "committed_at, receipt, weight, code FROM contributions ";

struct StoredLease {
    LeaseRow row;
    bool givenAway = false;   ///< somebody else trains its examples now
};

LeaseState leaseState(const std::string& text) {
    for (const auto state : {LeaseState::Open, LeaseState::Used, LeaseState::Released, LeaseState::Expired}) {
        if (text == name(state)) { return state; }
    }
    return LeaseState::Closed;
}

StoredLease leaseFrom(SQLite::Statement& statement) {
    RowReader row(statement);
    StoredLease lease;
    lease.row.id = row.text();
    lease.row.device = row.text();
    lease.row.round = row.number();
    lease.row.state = leaseState(row.text());
    lease.row.examples.first = row.number();
    lease.row.examples.count = row.number();
    lease.row.steps = row.number();
    lease.row.createdAt = row.number();
    lease.row.expiresAt = row.number();
    lease.row.reportedSteps = row.number();
    lease.givenAway = row.flag();
    return lease;
}

ContributionRow contributionFrom(SQLite::Statement& statement) {
    RowReader row(statement);
    ContributionRow c;
    c.id = row.text();
    c.lease = row.text();
    c.device = row.text();
    c.round = row.number();
    c.state = protocol::parseContributionState(row.text()).value_or(ContributionState::Expired);
    c.idempotencyKey = row.text();
    c.bodyDigest = row.digest();
    c.steps = row.number();
    c.tokens = row.number();
    c.entryLoss = row.real();
    c.exitLoss = row.real();
    c.deltaNorm = row.real();
    c.leasedAt = row.number();
    c.createdAt = row.number();
    c.committedAt = row.number();
    c.receipt = row.text();
    c.weight = row.real();
    c.code = row.text();
    return c;
}

std::string sql(const char* select, const char* rest) { return std::string(select) + rest; }

bool takesContributions(const std::optional<RoundRow>& newest, std::int64_t round) {
    return newest && newest->round == round && (newest->state == StoredRoundState::Open || newest->state == StoredRoundState::Halted);
}

Outcome<LeaseRow> refuseLease(ProblemCode code, const char* detail) { return Outcome<LeaseRow>::refuse(code, detail); }

}  // namespace

Result<Outcome<LeaseRow>> SqliteStore::lease(const LeaseAsk& ask) {
    return transact([&](Work& work) -> Result<Outcome<LeaseRow>> {
        // A lower number than we have seen: the key lives on two machines (a copied disk image). The same number is a repeated request.
        if (work.run("UPDATE devices SET last_sequence = ?1 WHERE id = ?2 AND last_sequence <= ?1", ask.sequence, ask.device) != 1) {
            return refuseLease(ProblemCode::SequenceReused, "Another computer seems to use this device's key. Remove the copy, or leave and join again.");
        }
        const auto round = work.newestRound();
        if (!round) { return Error{ErrorCode::Internal, "the project has no round", {}}; }
        switch (round->state) {
        case StoredRoundState::Open: break;
        case StoredRoundState::Closing: return refuseLease(ProblemCode::RoundClosing, "The round is being merged; the next one opens in a moment.");
        case StoredRoundState::Halted: return refuseLease(ProblemCode::RoundClosing, "The project's operator has halted the training.");
        default: return refuseLease(ProblemCode::NoDataLeft, "The training is finished.");
        }
        // Resend lost work: the device has a lease already, perhaps one that ran out.
        auto mine = work.query(sql(kLeaseSelect, "WHERE device = ? AND round = ? AND (state = 'open' OR (state = 'expired' AND given_away = 0)) "
                                                 "ORDER BY state DESC LIMIT 1").c_str(), ask.device, round->round);
        if (mine.executeStep()) {
            LeaseRow row = leaseFrom(mine).row;
            row.state = LeaseState::Open;
            row.expiresAt = ask.now + ask.leaseMs;
            work.run("UPDATE leases SET state = 'open', expires_at = ? WHERE id = ?", row.expiresAt, row.id);
            return Outcome<LeaseRow>::of(std::move(row));
        }
        auto done = work.query("SELECT count(*) FROM leases l WHERE device = ? AND round = ? AND state = 'used' AND NOT EXISTS "
                               "(SELECT 1 FROM contributions c WHERE c.lease = l.id AND c.state = 'rejected')", ask.device, round->round);
        done.executeStep();
        if (RowReader(done).number() >= ask.leasesPerDevice) {
            return refuseLease(ProblemCode::RoundDoneForYou, "This device has done its part of the round; the next round opens when the others are ready.");
        }

        LeaseRow row;
        row.id = protocol::randomId();
        row.device = ask.device;
        row.round = round->round;
        row.createdAt = ask.now;
        row.expiresAt = ask.now + ask.leaseMs;
        row.steps = ask.steps;
        row.examples = {round->nextExample, ask.steps * ask.batch};
        const std::int64_t left = ask.epochExamples - (round->nextExample - round->firstExample);
        if (left < row.examples.count) {
            // Fresh examples do not suffice: first what others gave back, then a shorter lease.
            auto free = work.query(sql(kLeaseSelect, "WHERE round = ? AND state IN ('expired', 'released') AND given_away = 0 ORDER BY first_example LIMIT 1").c_str(), round->round);
            if (free.executeStep()) {
                const StoredLease old = leaseFrom(free);
                work.run("UPDATE leases SET given_away = 1 WHERE id = ? AND given_away = 0", old.row.id);
                row.examples = old.row.examples;
                row.steps = old.row.steps;
            } else if (left / ask.batch >= ask.minSteps) {
                row.steps = left / ask.batch;
                row.examples.count = row.steps * ask.batch;
            } else {
                return refuseLease(ProblemCode::NoDataLeft, "All text of this round is given out; ask again in the next round.");
            }
        }
        if (row.examples.first == round->nextExample) {
            if (work.run("UPDATE rounds SET next_example = ? WHERE round = ? AND next_example = ? AND state = 'open'", row.examples.first + row.examples.count, round->round,
                         round->nextExample) != 1) {
                return Error{ErrorCode::Conflict, "the round changed while a lease was given out", {}};
            }
        }
        work.run("INSERT INTO leases(id, device, round, state, first_example, examples, steps, created_at, expires_at) VALUES(?, ?, ?, 'open', ?, ?, ?, ?, ?)", row.id,
                 row.device, row.round, row.examples.first, row.examples.count, row.steps, row.createdAt, row.expiresAt);
        return Outcome<LeaseRow>::of(std::move(row));
    });
}

Result<Outcome<LeaseRow>> SqliteStore::heartbeat(const std::string& id, const std::string& device, std::int64_t steps, core::UtcMs now, core::UtcMs expires) {
    return transact([&](Work& work) -> Result<Outcome<LeaseRow>> {
        auto found = work.query(sql(kLeaseSelect, "WHERE id = ? AND device = ?").c_str(), id, device);
        if (!found.executeStep()) { return refuseLease(ProblemCode::NotFound, "There is no such lease."); }
        StoredLease lease = leaseFrom(found);
        const auto newest = work.newestRound();
        if (!takesContributions(newest, lease.row.round)) {
            lease.row.state = LeaseState::Closed;
            return Outcome<LeaseRow>::of(std::move(lease.row));
        }
        switch (lease.row.state) {
        case LeaseState::Expired:
            if (lease.givenAway) { return refuseLease(ProblemCode::LeaseExpired, "The lease ran out and its text was given to another device."); }
            [[fallthrough]];
        case LeaseState::Open:
            lease.row.state = LeaseState::Open;
            lease.row.expiresAt = std::max(expires, now);
            lease.row.reportedSteps = std::max(lease.row.reportedSteps, steps);
            work.run("UPDATE leases SET state = 'open', expires_at = ?, reported_steps = ? WHERE id = ? AND given_away = 0", lease.row.expiresAt, lease.row.reportedSteps, id);
            return Outcome<LeaseRow>::of(std::move(lease.row));
        case LeaseState::Used: return Outcome<LeaseRow>::of(std::move(lease.row));
        default: return refuseLease(ProblemCode::LeaseExpired, "This lease was given back.");
        }
    });
}

Result<Outcome<LeaseRow>> SqliteStore::release(const std::string& id, const std::string& device) {
    return transact([&](Work& work) -> Result<Outcome<LeaseRow>> {
        work.run("UPDATE leases SET state = 'released' WHERE id = ? AND device = ? AND state IN ('open', 'expired')", id, device);
        auto found = work.query(sql(kLeaseSelect, "WHERE id = ? AND device = ?").c_str(), id, device);
        if (!found.executeStep()) { return refuseLease(ProblemCode::NotFound, "There is no such lease."); }
        return Outcome<LeaseRow>::of(leaseFrom(found).row);
    });
}

Result<void> SqliteStore::sweep(core::UtcMs now) {
    return transact([&](Work& work) -> Result<void> {
        work.run("UPDATE leases SET state = 'expired' WHERE state = 'open' AND expires_at < ?", now);
        work.run("DELETE FROM nonces WHERE expires < ?", now);
        return {};
    });
}

Result<Outcome<Created>> SqliteStore::createContribution(const ContributionAsk& ask) {
    return transact([&](Work& work) -> Result<Outcome<Created>> {
        using Answer = Outcome<Created>;
        auto same = work.query(sql(kContributionSelect, "WHERE device = ? AND idempotency_key = ?").c_str(), ask.row.device, ask.row.idempotencyKey);
        if (same.executeStep()) {
            ContributionRow row = contributionFrom(same);
            if (row.bodyDigest != ask.row.bodyDigest) { return Answer::refuse(ProblemCode::KeyReused, "This Idempotency-Key was used with another body."); }
            return Answer::of({std::move(row), true});
        }
        auto found = work.query(sql(kLeaseSelect, "WHERE id = ? AND device = ?").c_str(), ask.row.lease, ask.row.device);
        if (!found.executeStep()) { return Answer::refuse(ProblemCode::NotFound, "There is no such lease."); }
        const StoredLease lease = leaseFrom(found);
        const auto newest = work.newestRound();
        if (!takesContributions(newest, lease.row.round)) { return Answer::refuse(ProblemCode::RoundClosed, "The round of this lease is closed."); }
        if (lease.row.state == LeaseState::Used) { return Answer::refuse(ProblemCode::RoundDoneForYou, "This lease has a contribution already."); }
        if (lease.row.state != LeaseState::Open && (lease.row.state != LeaseState::Expired || lease.givenAway)) {
            return Answer::refuse(ProblemCode::LeaseExpired, "The lease was given back or ran out, and its text went to another device.");
        }
        if (ask.baseHash != newest->baseHash) { return Answer::refuse(ProblemCode::BaseMismatch, "The contribution was trained from another base than this round's."); }
        if (ask.row.steps > lease.row.steps) { return Answer::refuse(ProblemCode::BadRequest, "The contribution claims more steps than the lease has."); }
        ContributionRow row = ask.row;
        row.round = lease.row.round;
        row.leasedAt = lease.row.createdAt;
        row.state = ContributionState::Open;
        work.run("INSERT INTO contributions(id, lease, device, round, state, idempotency_key, body_digest, steps, tokens, entry_loss, exit_loss, delta_norm, leased_at, "
                 "created_at) VALUES(?, ?, ?, ?, 'open', ?, ?, ?, ?, ?, ?, ?, ?, ?)", row.id, row.lease, row.device, row.round, row.idempotencyKey, row.bodyDigest, row.steps,
                 row.tokens, row.entryLoss, row.exitLoss, row.deltaNorm, row.leasedAt, row.createdAt);
        for (const auto& part : ask.parts) {
            work.run("INSERT INTO parts(contribution, n, bytes, sha256, first, elements) VALUES(?, ?, ?, ?, ?, ?)", row.id, part.n, part.bytes, part.sha256, part.first,
                     part.elements);
        }
        work.run("UPDATE leases SET state = 'used' WHERE id = ? AND state IN ('open', 'expired') AND given_away = 0", row.lease);
        return Answer::of({std::move(row), false});
    });
}

Result<std::optional<ContributionRow>> SqliteStore::contribution(const std::string& id) {
    return transact([&](Work& work) -> Result<std::optional<ContributionRow>> {
        auto found = work.query(sql(kContributionSelect, "WHERE id = ?").c_str(), id);
        if (!found.executeStep()) { return std::optional<ContributionRow>(); }
        return std::optional(contributionFrom(found));
    });
}

Result<std::vector<PartRow>> SqliteStore::parts(const std::string& contribution) {
    return transact([&](Work& work) -> Result<std::vector<PartRow>> {
        auto statement = work.query("SELECT n, bytes, sha256, first, elements, stored FROM parts WHERE contribution = ? ORDER BY n", contribution);
        std::vector<PartRow> rows;
        while (statement.executeStep()) {
            RowReader row(statement);
            PartRow part;
            part.info.n = row.number();
            part.info.bytes = row.number();
            part.info.sha256 = row.digest();
            part.info.first = row.number();
            part.info.elements = row.number();
            part.stored = row.flag();
            rows.push_back(part);
        }
        return rows;
    });
}

Result<Outcome<PartStored>> SqliteStore::partStored(const std::string& contribution, std::int64_t n, const core::Digest& digest) {
    return transact([&](Work& work) -> Result<Outcome<PartStored>> {
        using Answer = Outcome<PartStored>;
        auto state = work.query("SELECT state, round FROM contributions WHERE id = ?", contribution);
        if (!state.executeStep()) { return Answer::refuse(ProblemCode::NotFound, "There is no such contribution."); }
        RowReader row(state);
        const auto now = protocol::parseContributionState(row.text()).value_or(ContributionState::Expired);
        const std::int64_t round = row.number();
        if (now == ContributionState::Expired || now == ContributionState::Rejected) { return Answer::refuse(ProblemCode::RoundClosed, "The round of this contribution is closed."); }
        auto part = work.query("SELECT bytes, stored FROM parts WHERE contribution = ? AND n = ? AND sha256 = ?", contribution, n, digest);
        if (!part.executeStep()) { return Answer::refuse(ProblemCode::OtherDigest, "This part was announced with another digest."); }
        RowReader partRow(part);
        const std::int64_t bytes = partRow.number();
        PartStored stored;
        if (partRow.flag()) {
            stored.answer = PartAnswer::SameThere;
        } else {
            work.run("UPDATE parts SET stored = 1 WHERE contribution = ? AND n = ? AND stored = 0", contribution, n);
            work.run("UPDATE rounds SET bytes_up = bytes_up + ? WHERE round = ?", bytes, round);
        }
        stored.complete = work.run("UPDATE contributions SET state = 'complete' WHERE id = ?1 AND state = 'open' AND NOT EXISTS "
                                   "(SELECT 1 FROM parts WHERE contribution = ?1 AND stored = 0)", contribution) == 1;
        return Answer::of(stored);
    });
}

Result<Outcome<Committed>> SqliteStore::commit(const std::string& contribution, const std::string& device, const std::string& receipt, core::UtcMs now) {
    return transact([&](Work& work) -> Result<Outcome<Committed>> {
        using Answer = Outcome<Committed>;
        // Everything that the creation checked may have changed since: device, round and parts are looked at again, here.
        const int changed = work.run("UPDATE contributions SET state = 'committed', committed_at = ?, receipt = ? WHERE id = ? AND device = ? AND state = 'complete' "
                                     "AND EXISTS (SELECT 1 FROM rounds r WHERE r.round = contributions.round AND r.state IN ('open', 'halted')) "
                                     "AND EXISTS (SELECT 1 FROM devices d WHERE d.id = contributions.device AND d.blocked = 0)",
                                     now, receipt, contribution, device);
        auto found = work.query(sql(kContributionSelect, "WHERE id = ? AND device = ?").c_str(), contribution, device);
        if (!found.executeStep()) { return Answer::refuse(ProblemCode::NotFound, "There is no such contribution."); }
        ContributionRow row = contributionFrom(found);
        if (changed == 1) { return Answer::of({std::move(row), false}); }
        switch (row.state) {
        case ContributionState::Committed:
        case ContributionState::Merged: return Answer::of({std::move(row), true});
        case ContributionState::Open: return Answer::refuse(ProblemCode::MissingParts, "Parts are missing; ask which ones.");
        default: return Answer::refuse(ProblemCode::RoundClosed, "The round of this contribution is closed.");
        }
    });
}

Result<void> SqliteStore::reject(const std::string& contribution, const std::string& code) {
    return transact([&](Work& work) -> Result<void> {
        work.run("UPDATE contributions SET state = 'rejected', code = ? WHERE id = ? AND state = 'committed'", code, contribution);
        return {};
    });
}

Result<std::vector<ContributionRow>> SqliteStore::contributionsOf(const std::string& device, std::size_t limit) {
    return transact([&](Work& work) -> Result<std::vector<ContributionRow>> {
        auto statement = work.query(sql(kContributionSelect, "WHERE device = ? ORDER BY created_at DESC, id LIMIT ?").c_str(), device, static_cast<std::int64_t>(limit));
        std::vector<ContributionRow> rows;
        while (statement.executeStep()) { rows.push_back(contributionFrom(statement)); }
        return rows;
    });
}

Result<std::vector<ContributionRow>> SqliteStore::acceptedOf(std::int64_t round) {
    return transact([&](Work& work) -> Result<std::vector<ContributionRow>> {
        auto statement = work.query(sql(kContributionSelect, "WHERE round = ? AND state IN ('committed', 'merged') ORDER BY id").c_str(), round);
        std::vector<ContributionRow> rows;
        while (statement.executeStep()) { rows.push_back(contributionFrom(statement)); }
        return rows;
    });
}

}  // namespace sunloco::server
