// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "engine/core/recipe.h"
#include "engine/core/sha256.h"

#include <optional>

namespace sunloco::protocol {

/// POST /v1/tasks/lease. Asking again while a lease is open gets the same lease.
struct LeaseRequest {
    std::int64_t roundSeen = 0;                 ///< newest round of verified metadata; 0 = none
    std::int64_t sequence = 0;                  ///< grows with every request of this key; shows copied keys
    std::string software;
    std::optional<double> tokensPerSecond;      ///< measured; lets the server size the work
    bool operator==(const LeaseRequest&) const = default;
    static core::Result<LeaseRequest> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// Positions in the round's shuffled order of examples.
struct ExampleRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const ExampleRange&) const = default;
};

/// The work of one device for one round.
struct Lease {
    std::string leaseId;
    std::int64_t round = 1;
    core::Digest baseHash;
    ExampleRange examples;
    std::int64_t steps = 1;                     ///< inner steps wanted
    std::int64_t minSteps = 1;                  ///< fewer count for nothing
    std::int64_t firstGlobalStep = 0;
    std::uint64_t seed = 0;
    core::UtcMs expiresAt = 0;
    core::Codec uploadCodec = core::Codec::Int8;
    std::int64_t codecBlock = 64;
    bool operator==(const Lease&) const = default;
    static core::Result<Lease> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// POST /v1/leases/{id}/heartbeat
struct HeartbeatRequest {
    std::int64_t steps = 0;
    bool operator==(const HeartbeatRequest&) const = default;
    static core::Result<HeartbeatRequest> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};
struct HeartbeatAnswer {
    bool roundOpen = true;                      ///< false: stop, upload what counts
    core::UtcMs expiresAt = 0;
    bool operator==(const HeartbeatAnswer&) const = default;
    static core::Result<HeartbeatAnswer> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// POST /v1/leases/{id}/release; the answer is {}.
struct ReleaseRequest {
    std::string reason;                         ///< a name: "user-left", "worker-failed", "too-slow"
    bool operator==(const ReleaseRequest&) const = default;
    static core::Result<ReleaseRequest> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

}  // namespace sunloco::protocol
