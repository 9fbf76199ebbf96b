// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/problem.h"
#include "net/server/rows.h"

#include <functional>

namespace sunloco::server {

/// What a request came to: a value, or a problem the client is told about. Storage failures are core::Error.
template <typename T>
struct Outcome {
    std::optional<T> value;
    protocol::ProblemCode code = protocol::ProblemCode::InternalError;
    std::string detail;
    explicit operator bool() const { return value.has_value(); }
    static Outcome refuse(protocol::ProblemCode code, std::string detail) { return {std::nullopt, code, std::move(detail)}; }
    static Outcome of(T value) { return {std::move(value), protocol::ProblemCode::InternalError, {}}; }
};

struct EnrolAsk {
    DeviceRow device;
    std::optional<core::Digest> inviteHash;
    bool requireInvite = false;
    std::int64_t maxPerAddressAndHour = 0;   ///< anonymous enrolments; 0 = no limit
};
struct Enrolled {
    DeviceRow device;
    bool isNew = false;
};

struct LeaseAsk {
    std::string device;
    std::int64_t sequence = 0;
    std::int64_t steps = 0;                  ///< wanted of the new lease
    std::int64_t minSteps = 1;               ///< what is left of the data may give a shorter one
    std::int64_t batch = 1;                  ///< examples a step
    std::int64_t leasesPerDevice = 1;
    std::int64_t epochExamples = 0;          ///< examples in all shards; a round never uses one twice
    std::int64_t leaseMs = 0;
    core::UtcMs now = 0;
};

struct ContributionAsk {
    ContributionRow row;
    std::vector<protocol::PartInfo> parts;
    core::Digest baseHash;
};
struct Created {
    ContributionRow row;
    bool isReplay = false;
};

enum class PartAnswer { Stored, SameThere };
struct PartStored {
    PartAnswer answer = PartAnswer::Stored;
    bool complete = false;                   ///< that was the last missing part
};

struct Committed {
    ContributionRow row;
    bool isReplay = false;
};

/// What closing a round changes, written in one transaction.
struct RoundClosing {
    std::int64_t round = 1;
    core::UtcMs closedAt = 0;
    protocol::UpdateRef update;
    std::int64_t contributors = 0;
    std::int64_t tokens = 0;
    double computeSeconds = 0;
    std::map<std::string, double> weights;                  ///< by contribution id: merged
    RoundRow next;
    std::optional<protocol::CheckpointRef> checkpoint;      ///< a new full base
    std::vector<MetadataFile> metadata;                     ///< rounds and timestamp
};

/// An operator's command for a running server.
struct CommandRow {
    std::int64_t id = 0;
    std::string kind;                        ///< "close-round", "rollback", "halt", "resume"
    bool done = false;
    std::string answer;                      ///< JSON
};

/// Everything the server remembers besides objects. Each method is one transaction; all may be called from any thread. SQLite now,
/// PostgreSQL fits the same interface. Every change of a state names the state it starts from, so two processes cannot both do it.
class Store {
public:
    virtual ~Store() = default;

    // Small facts by name.
    virtual core::Result<std::optional<std::string>> fact(const std::string& name) = 0;
    virtual core::Result<void> setFact(const std::string& name, const std::string& value) = 0;

    // Metadata files; version 0 = the newest.
    virtual core::Result<std::optional<MetadataFile>> metadata(protocol::Role role, std::int64_t version) = 0;
    virtual core::Result<void> putMetadata(const std::vector<MetadataFile>& files) = 0;

    // Objects that everybody may download, with their size.
    virtual core::Result<void> publishObject(const core::Digest& name, std::int64_t bytes) = 0;
    virtual core::Result<std::optional<std::int64_t>> publicObject(const core::Digest& name) = 0;

    // Devices.
    virtual core::Result<Outcome<Enrolled>> enrol(const EnrolAsk& ask) = 0;
    virtual core::Result<std::optional<DeviceRow>> device(const std::string& id) = 0;
    /// True when the nonce is new; it is remembered until `expires`.
    virtual core::Result<bool> useNonce(const std::string& device, const std::string& nonce, core::UtcMs expires) = 0;
    virtual core::Result<void> addInvite(const core::Digest& hash, core::UtcMs now) = 0;

    // Leases.
    virtual core::Result<Outcome<LeaseRow>> lease(const LeaseAsk& ask) = 0;
    /// Prolongs; a lease that expired comes back as long as nobody got its examples.
    virtual core::Result<Outcome<LeaseRow>> heartbeat(const std::string& id, const std::string& device, std::int64_t steps, core::UtcMs now, core::UtcMs expires) = 0;
    virtual core::Result<Outcome<LeaseRow>> release(const std::string& id, const std::string& device) = 0;
    /// Expires overdue leases and drops old nonces.
    virtual core::Result<void> sweep(core::UtcMs now) = 0;

    // Contributions.
    virtual core::Result<Outcome<Created>> createContribution(const ContributionAsk& ask) = 0;
    virtual core::Result<std::optional<ContributionRow>> contribution(const std::string& id) = 0;
    virtual core::Result<std::vector<PartRow>> parts(const std::string& contribution) = 0;
    virtual core::Result<Outcome<PartStored>> partStored(const std::string& contribution, std::int64_t n, const core::Digest& digest) = 0;
    virtual core::Result<Outcome<Committed>> commit(const std::string& contribution, const std::string& device, const std::string& receipt, core::UtcMs now) = 0;
    virtual core::Result<void> reject(const std::string& contribution, const std::string& code) = 0;
    virtual core::Result<std::vector<ContributionRow>> contributionsOf(const std::string& device, std::size_t limit) = 0;
    /// Committed ones (and merged ones, for a round that is closed), by id.
    virtual core::Result<std::vector<ContributionRow>> acceptedOf(std::int64_t round) = 0;

    // Rounds.
    virtual core::Result<RoundRow> currentRound() = 0;
    /// Closed rounds, ascending.
    virtual core::Result<std::vector<RoundRow>> closedRounds() = 0;
    struct Counts {
        std::int64_t committed = 0;
        std::int64_t uploading = 0;
        std::int64_t devices = 0;            ///< with a committed contribution
    };
    virtual core::Result<Counts> countsOf(std::int64_t round) = 0;
    virtual core::Result<void> openFirstRound(const RoundRow& row, const protocol::CheckpointRef& checkpoint, const std::vector<MetadataFile>& metadata) = 0;
    /// open or halted -> closing; uploads that are not committed expire. False when the round was in another state.
    virtual core::Result<bool> fixContributions(std::int64_t round) = 0;
    virtual core::Result<bool> reopen(std::int64_t round, core::UtcMs deadline, const std::vector<MetadataFile>& metadata) = 0;
    virtual core::Result<bool> moveDeadline(std::int64_t round, core::UtcMs openedAt, core::UtcMs deadline, const std::vector<MetadataFile>& metadata) = 0;
    virtual core::Result<bool> setHalted(std::int64_t round, bool halted) = 0;
    virtual core::Result<bool> finishClosing(const RoundClosing& closing) = 0;
    /// Ends the open round without a merge; the next one starts from an earlier base.
    virtual core::Result<bool> rollBack(std::int64_t round, core::UtcMs now, const RoundRow& next, const protocol::CheckpointRef& checkpoint,
                                        const std::vector<MetadataFile>& metadata) = 0;
    virtual core::Result<void> setHeldOutLoss(std::int64_t round, double loss) = 0;
    virtual core::Result<void> addBytes(std::int64_t up, std::int64_t down) = 0;
    /// Full bases, newest first.
    virtual core::Result<std::vector<protocol::CheckpointRef>> checkpoints() = 0;

    // Operator's commands.
    virtual core::Result<std::int64_t> addCommand(const std::string& kind, core::UtcMs now) = 0;
    virtual core::Result<std::vector<CommandRow>> openCommands() = 0;
    virtual core::Result<void> answerCommand(std::int64_t id, const std::string& answer) = 0;
    virtual core::Result<std::optional<CommandRow>> command(std::int64_t id) = 0;
};

}  // namespace sunloco::server
