// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/work_unit.h"

#include <nlohmann/json.hpp>
#include <string>

/// Units with a different value in every field, and a text form that shows every field.
namespace sunloco::agent::test {

inline core::Digest digestOf(const std::string& text) { return core::sha256(core::asBytes(text)); }

inline UnitPart partOf(const std::string& lease, int n, bool stored) {
    UnitPart p;
    p.part.file = "part-000" + std::to_string(n) + ".slcd";
    p.part.bytes = 1'000'000'000'000ULL + static_cast<std::uint64_t>(n);
    p.part.sha256 = digestOf(lease + std::to_string(n));
    p.part.firstElement = n * (std::int64_t{1} << 22);
    p.part.elements = (std::int64_t{1} << 22) - n;
    p.stored = stored;
    return p;
}

/// A unit as it looks in this state, with two parts once there is a result and a receipt once there can be one.
inline WorkUnit unitIn(UnitState state, const std::string& lease = "lease-1", const std::string& project = "project-1") {
    WorkUnit u;
    u.leaseId = lease;
    u.projectId = project;
    u.device = "cuda:0";
    u.state = state;
    u.round = 7;
    u.baseHash = digestOf("base");
    u.examples = {4'000'000'000'123, 640};
    u.steps = 80;
    u.minSteps = 20;
    u.firstGlobalStep = 480;
    u.leaseExpires = 1'800'000'000'001;
    u.idempotencyKey = "key-of-" + lease;
    u.createdAt = 1'700'000'000'002;
    u.updatedAt = 1'700'000'000'003;
    if (state == UnitState::Leased || state == UnitState::Preparing || state == UnitState::Training) return u;
    u.stepsDone = 79;
    u.tokens = 5'000'000'000;
    u.entryLoss = 4.125;
    u.exitLoss = 3.0625;
    u.deltaNorm = 1e-7;
    u.activeSeconds = 12.5;
    u.finishedAt = 1'700'000'000'004;
    u.parts = {partOf(lease, 0, false), partOf(lease, 1, false)};
    if (state == UnitState::Encoded || state == UnitState::Creating) return u;
    u.contributionId = "contribution-of-" + lease;
    u.bearer = "bearer-of-" + lease;
    u.bearerExpires = 1'700'000'000'005;
    if (state == UnitState::Uploading) return u;
    for (UnitPart& part : u.parts) part.stored = true;
    if (state == UnitState::Committed || state == UnitState::Merged) {
        u.receipt = "{\"payload\":\"" + lease + "\"}";
        u.receiptDigest = digestOf(u.receipt).hex();
    }
    if (state == UnitState::Merged) u.weight = 0.25;
    return u;
}

inline std::string textOf(const WorkUnit& u) {
    core::Json parts = core::Json::array();
    for (const UnitPart& p : u.parts) parts.push_back({p.part.file, p.part.bytes, p.part.sha256.hex(), p.part.firstElement, p.part.elements, p.stored});
    const core::Json all{u.leaseId, u.projectId, u.device, stateName(u.state), u.round, u.baseHash.hex(), u.examples.first, u.examples.count, u.steps, u.minSteps, u.firstGlobalStep, u.leaseExpires,
                         u.stepsDone, u.tokens, u.entryLoss, u.exitLoss, u.deltaNorm, u.activeSeconds, parts, u.idempotencyKey, u.contributionId, u.bearer, u.bearerExpires, u.receipt, u.receiptDigest,
                         u.weight ? core::Json(*u.weight) : core::Json(nullptr), u.crashes, u.problem, u.filesDeleted, u.releaseTold, u.createdAt, u.updatedAt,
                         u.finishedAt ? core::Json(*u.finishedAt) : core::Json(nullptr)};
    return all.dump();
}

}  // namespace sunloco::agent::test
