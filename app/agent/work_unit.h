// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "engine/core/job.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// One lease's way from the server's offer to the signed receipt, as a pure transition function. Nothing here touches a disk, a socket or a clock.
namespace sunloco::agent {

enum class UnitState {
    Leased,      ///< the server gave it; nothing is on the disk yet
    Preparing,   ///< base and shards are fetched, the job folder is written
    Training,    ///< the job folder is complete; the worker trains whenever the rules allow
    Encoded,     ///< result.json and all parts are on the disk
    Creating,    ///< the contribution is being announced (idempotent by its key)
    Uploading,   ///< parts are on their way
    Committing,  ///< all parts are there; the commit is on its way
    Committed,   ///< the signed receipt is in the journal
    Merged,      ///< the server has used it
    Rejected,    ///< the server will not use it
    Expired,     ///< the round or the lease ended before it was delivered
    Abandoned,   ///< given back: the worker cannot do it, or the user left the project
};

/// Stable lower-case name, the journal's and the ContributionRow's spelling.
std::string_view stateName(UnitState state);
std::optional<UnitState> stateFromName(std::string_view name);
/// Nothing more happens to the work itself; the server may still say what became of it.
bool isFinal(UnitState state);

struct UnitPart {
    core::PayloadPart part;
    bool stored = false;             ///< the server has confirmed it
};

/// Everything the journal keeps of one lease.
struct WorkUnit {
    std::string leaseId;
    std::string projectId;
    std::string device = "cpu";
    UnitState state = UnitState::Leased;
    std::int64_t round = 0;
    core::Digest baseHash;           ///< of the base that the job trains from, and only from
    core::ExampleRange examples;
    std::int64_t steps = 0;
    std::int64_t minSteps = 0;
    std::int64_t firstGlobalStep = 0;
    core::UtcMs leaseExpires = 0;
    // result
    std::int64_t stepsDone = 0;
    std::int64_t tokens = 0;
    double entryLoss = 0;
    double exitLoss = 0;
    double deltaNorm = 0;
    double activeSeconds = 0;
    std::vector<UnitPart> parts;
    // delivery
    std::string idempotencyKey;
    std::string contributionId;
    std::string bearer;
    core::UtcMs bearerExpires = 0;
    std::string receipt;             ///< the DSSE envelope as it came
    std::string receiptDigest;       ///< hex SHA-256 of it
    std::optional<double> weight;
    // bookkeeping
    int crashes = 0;
    std::string problem;             ///< plain English, empty when well
    bool filesDeleted = false;
    bool releaseTold = false;        ///< the server knows that the lease was given back
    core::UtcMs createdAt = 0;
    core::UtcMs updatedAt = 0;
    std::optional<core::UtcMs> finishedAt;   ///< when training ended
};

namespace event {
struct Restarted {};                                             ///< the program starts with this unit in its journal
struct PreparationBegan {};
struct PreparationDone {};
struct PreparationFailed { core::Error error; };                 ///< of a kind that asking again cannot cure
struct WorkerFinished { core::JobResult result; };
struct WorkerCrashed { std::string why; };                       ///< died, or broke the frame protocol
struct WorkerRefused { core::Error error; };                     ///< the job is wrong, out of memory, numeric failure
struct ContributionCreated { std::string id; std::string bearer; core::UtcMs bearerExpires = 0; };
struct BearerRenewed { std::string bearer; core::UtcMs expires = 0; };
struct PartStored { std::size_t index = 0; };
struct PartsMissing { std::vector<std::size_t> indices; };       ///< the server lacks these, whatever we believed
struct ReceiptVerified { std::string envelope; std::string digest; };
struct Refused { std::string code; std::string reason; };        ///< the server says no, for good
struct RoundEnded { std::string reason; };                       ///< the base has moved on, or the server says 410
struct LeaseLost { std::string reason; };                        ///< the server does not know the lease any more
struct ServerMerged { std::optional<double> weight; };
struct ServerRejected { std::string reason; };
struct ReleaseConfirmed {};
struct FilesGone {};
struct UserLeft {};
}  // namespace event

using UnitEvent = std::variant<event::Restarted, event::PreparationBegan, event::PreparationDone, event::PreparationFailed, event::WorkerFinished, event::WorkerCrashed,
                               event::WorkerRefused, event::ContributionCreated, event::BearerRenewed, event::PartStored, event::PartsMissing, event::ReceiptVerified,
                               event::Refused, event::RoundEnded, event::LeaseLost, event::ServerMerged, event::ServerRejected, event::ReleaseConfirmed, event::FilesGone,
                               event::UserLeft>;

enum class UnitAction {
    Prepare,             ///< fetch what is missing, write the job folder
    OfferToWorker,       ///< the job folder is ready: train when the rules allow
    StopWorker,          ///< the job is of no use any more
    CreateContribution,
    UploadParts,
    Commit,
    ReleaseLease,
    DeleteFiles,         ///< the job folder with the delta
};

struct Transition {
    WorkUnit unit;
    std::vector<UnitAction> actions;
    bool accepted = false;   ///< false: the event has no meaning in this state; the unit is as it was
};

/// A worker that dies so often on one lease gives it back.
inline constexpr int kMostCrashes = 3;

/// The whole life of a unit. The caller persists `unit` before it carries out `actions`; every action may be carried out twice.
Transition next(const WorkUnit& unit, const UnitEvent& event, core::UtcMs now);

}  // namespace sunloco::agent
