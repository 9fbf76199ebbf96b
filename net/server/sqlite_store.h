// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "net/server/store.h"

#include <filesystem>
#include <memory>
#include <mutex>

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace sunloco::server {

/// The store as one SQLite file (write-ahead log, synchronous=FULL: what a method has returned survives a power loss).
/// One connection behind a mutex; a second process (operator commands) opens its own.
class SqliteStore final : public Store {
public:
    enum class Open { MustExist, Create };
    static core::Result<std::unique_ptr<SqliteStore>> open(const std::filesystem::path& path, Open how, core::FaultPolicy* faults = nullptr);
    ~SqliteStore() override;

    core::Result<std::optional<std::string>> fact(const std::string& name) override;
    core::Result<void> setFact(const std::string& name, const std::string& value) override;
    core::Result<std::optional<MetadataFile>> metadata(protocol::Role role, std::int64_t version) override;
    core::Result<void> putMetadata(const std::vector<MetadataFile>& files) override;
    core::Result<void> publishObject(const core::Digest& name, std::int64_t bytes) override;
    core::Result<std::optional<std::int64_t>> publicObject(const core::Digest& name) override;

    core::Result<Outcome<Enrolled>> enrol(const EnrolAsk& ask) override;
    core::Result<std::optional<DeviceRow>> device(const std::string& id) override;
    core::Result<bool> useNonce(const std::string& device, const std::string& nonce, core::UtcMs expires) override;
    core::Result<void> addInvite(const core::Digest& hash, core::UtcMs now) override;

    core::Result<Outcome<LeaseRow>> lease(const LeaseAsk& ask) override;
    core::Result<Outcome<LeaseRow>> heartbeat(const std::string& id, const std::string& device, std::int64_t steps, core::UtcMs now, core::UtcMs expires) override;
    core::Result<Outcome<LeaseRow>> release(const std::string& id, const std::string& device) override;
    core::Result<void> sweep(core::UtcMs now) override;

    core::Result<Outcome<Created>> createContribution(const ContributionAsk& ask) override;
    core::Result<std::optional<ContributionRow>> contribution(const std::string& id) override;
    core::Result<std::vector<PartRow>> parts(const std::string& contribution) override;
    core::Result<Outcome<PartStored>> partStored(const std::string& contribution, std::int64_t n, const core::Digest& digest) override;
    core::Result<Outcome<Committed>> commit(const std::string& contribution, const std::string& device, const std::string& receipt, core::UtcMs now) override;
    core::Result<void> reject(const std::string& contribution, const std::string& code) override;
    core::Result<std::vector<ContributionRow>> contributionsOf(const std::string& device, std::size_t limit) override;
    core::Result<std::vector<ContributionRow>> acceptedOf(std::int64_t round) override;

    core::Result<RoundRow> currentRound() override;
    core::Result<std::vector<RoundRow>> closedRounds() override;
    core::Result<Counts> countsOf(std::int64_t round) override;
    core::Result<void> openFirstRound(const RoundRow& row, const protocol::CheckpointRef& checkpoint, const std::vector<MetadataFile>& metadata) override;
    core::Result<bool> fixContributions(std::int64_t round) override;
    core::Result<bool> reopen(std::int64_t round, core::UtcMs deadline, const std::vector<MetadataFile>& metadata) override;
    core::Result<bool> moveDeadline(std::int64_t round, core::UtcMs openedAt, core::UtcMs deadline, const std::vector<MetadataFile>& metadata) override;
    core::Result<bool> setHalted(std::int64_t round, bool halted) override;
    core::Result<bool> finishClosing(const RoundClosing& closing) override;
    core::Result<bool> rollBack(std::int64_t round, core::UtcMs now, const RoundRow& next, const protocol::CheckpointRef& checkpoint,
                                const std::vector<MetadataFile>& metadata) override;
    core::Result<void> setHeldOutLoss(std::int64_t round, double loss) override;
    core::Result<void> addBytes(std::int64_t up, std::int64_t down) override;
    core::Result<std::vector<protocol::CheckpointRef>> checkpoints() override;

    core::Result<std::int64_t> addCommand(const std::string& kind, core::UtcMs now) override;
    core::Result<std::vector<CommandRow>> openCommands() override;
    core::Result<void> answerCommand(std::int64_t id, const std::string& answer) override;
    core::Result<std::optional<CommandRow>> command(std::int64_t id) override;

private:
    class Work;   ///< one locked transaction (sqlite_work.h)
    SqliteStore(std::unique_ptr<SQLite::Database> db, std::string path, core::FaultPolicy* faults);
    /// Runs `body` in one transaction and turns SQLite's exceptions into errors.
    template <typename Body>
    auto transact(Body body) -> decltype(body(std::declval<Work&>()));

    std::mutex m_mutex;
    std::unique_ptr<SQLite::Database> m_db;
    std::string m_path;
    core::FaultPolicy* m_faults;
};

}  // namespace sunloco::server
