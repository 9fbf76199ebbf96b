// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/work_unit.h"
#include "engine/core/fault_policy.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace SQLite {
class Database;
class Statement;
}

namespace sunloco::agent {

struct ProjectRow {
    std::string id;                  ///< 64 hex: the root hash of the link
    std::string link;
    std::string url;                 ///< https://host:port
    std::string pin;                 ///< base64url, empty for a public certificate
    std::string name;
    std::string description;
    std::string deviceId;            ///< empty until enrolled
    std::string invite;              ///< until used
    core::UtcMs joinedAt = 0;
    std::int64_t sequence = 0;       ///< of lease requests; a lower one than the server has seen reveals a copied data folder
    std::int64_t baseRound = -1;     ///< of the base on the disk; -1 = none
    std::string baseHash;
    bool leaving = false;            ///< the user left; the row stays until the server knows of the leases given back
};

struct RoundRow {
    std::int64_t round = 0;
    std::optional<double> heldOutLoss;
    core::UtcMs closedAt = 0;
    std::int64_t contributors = 0;
    std::int64_t tokens = 0;
};

struct EnergyRow {
    core::UtcMs start = 0;           ///< of the 15-minute bucket
    double wattHours = 0;
    bool isEstimate = true;          ///< any part of it is an estimate
};

struct UnitTotals { std::int64_t sent = 0; std::int64_t merged = 0; std::int64_t tokensMerged = 0; };
struct DayRow { core::UtcMs dayStart = 0; std::int64_t tokens = 0; std::int64_t rounds = 0; };

/// The agent's memory: one SQLite file (WAL, synchronous FULL, numbered migrations). Every method is one transaction.
/// Errors: VersionTooNew for a file of a newer program; DiskFull; Io. Thread: the main thread.
class Journal {
public:
    /// Opens or makes the file; an older one is copied beside itself before it is upgraded.
    static core::Result<std::unique_ptr<Journal>> open(const std::filesystem::path& path, core::FaultPolicy* faults);
    ~Journal();

    core::Result<std::vector<ProjectRow>> projects() const;
    core::Result<void> saveProject(const ProjectRow& project);
    /// With everything that belongs to it, except energy.
    core::Result<void> removeProject(const std::string& id);

    /// The trust store's envelopes, exactly as they came.
    core::Result<void> saveMetadata(const std::string& project, const std::string& role, std::int64_t version, const std::string& envelope);
    core::Result<std::optional<std::string>> metadata(const std::string& project, const std::string& role) const;

    core::Result<void> saveUnit(const WorkUnit& unit);
    core::Result<std::vector<WorkUnit>> liveUnits(const std::string& project) const;   ///< those with something left to do, and committed ones
    core::Result<std::vector<WorkUnit>> recentUnits(int limit) const;                  ///< newest first
    core::Result<std::optional<WorkUnit>> unit(const std::string& leaseId) const;
    core::Result<UnitTotals> totals(const std::string& project) const;
    core::Result<std::vector<DayRow>> days(core::UtcMs from, const std::function<core::UtcMs(core::UtcMs)>& dayOf) const;

    core::Result<void> saveRounds(const std::string& project, const std::vector<RoundRow>& rounds);
    core::Result<std::vector<RoundRow>> rounds(const std::string& project) const;

    core::Result<void> addEnergy(core::UtcMs bucketStart, double wattHours, bool isEstimate);
    core::Result<std::vector<EnergyRow>> energy(core::UtcMs from, core::UtcMs to) const;

    core::Result<void> setValue(const std::string& key, const std::string& value);
    core::Result<std::string> value(const std::string& key) const;   ///< empty when never set

    core::Result<void> addEvent(core::UtcMs at, const std::string& kind, const std::string& text);

    static constexpr int kVersion = 2;

private:
    explicit Journal(std::unique_ptr<SQLite::Database> db, core::FaultPolicy* faults);
    core::Result<void> checkVersion(const std::filesystem::path& path) const;
    core::Result<void> migrate(const std::filesystem::path& path);
    core::Result<void> write(const std::function<void()>& work) const;
    core::Result<void> read(const std::function<void()>& work) const;
    core::Result<std::vector<WorkUnit>> units(const std::string& where, const std::function<void(SQLite::Statement&)>& bind) const;

    std::unique_ptr<SQLite::Database> m_db;
    core::FaultPolicy* m_faults;
    std::string m_path;
};

}  // namespace sunloco::agent
