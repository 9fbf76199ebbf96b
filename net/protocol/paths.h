// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

/// Paths, header names and media types of wire protocol v1, spelled once.
namespace sunloco::protocol {

// Headers, lower case (HTTP compares them without case).
inline constexpr std::string_view kTimeHeader = "sunloco-time";            ///< server clock, UTC ms; on every 401
inline constexpr std::string_view kIdempotencyHeader = "idempotency-key";
inline constexpr std::string_view kDigestHeader = "content-digest";
inline constexpr std::string_view kSignatureHeader = "signature";
inline constexpr std::string_view kSignatureInputHeader = "signature-input";

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kProblemType = "application/problem+json";
inline constexpr std::string_view kBytesType = "application/octet-stream";

// Metadata.
inline constexpr std::string_view kRootPath = "/v1/meta/root.json";
inline constexpr std::string_view kTargetsPath = "/v1/meta/targets.json";
inline constexpr std::string_view kRoundsPath = "/v1/meta/rounds.json";
inline constexpr std::string_view kTimestampPath = "/v1/meta/timestamp.json";
std::string rootPath(std::int64_t version);
// Objects.
std::string objectPath(const core::Digest& sha256);
// Control.
inline constexpr std::string_view kStatusPath = "/v1/status";
inline constexpr std::string_view kDevicesPath = "/v1/devices";
inline constexpr std::string_view kOwnContributionsPath = "/v1/devices/me/contributions";
inline constexpr std::string_view kLeasePath = "/v1/tasks/lease";
std::string heartbeatPath(std::string_view leaseId);
std::string releasePath(std::string_view leaseId);
inline constexpr std::string_view kContributionsPath = "/v1/contributions";
std::string contributionPath(std::string_view contributionId);
std::string partPath(std::string_view contributionId, std::int64_t n);
std::string commitPath(std::string_view contributionId);
std::string bearerPath(std::string_view contributionId);

enum class Endpoint {
    Page, Metrics, Status, Root, RootVersion, Targets, Rounds, Timestamp, Object,
    Enrol, OwnContributions, Lease, Heartbeat, Release,
    CreateContribution, ContributionStatus, PutPart, Commit, Bearer,
};
/// A path taken apart; ids, numbers and digests have been checked.
struct Route {
    Endpoint endpoint = Endpoint::Page;
    std::string id;             ///< lease or contribution
    std::int64_t number = 0;    ///< part or root version
    core::Digest digest;        ///< object
};
/// NotFound for an unknown path. The method is the caller's to compare with methodOf.
core::Result<Route> parseRoute(std::string_view path);
/// GET (also allows HEAD), POST or PUT.
std::string_view methodOf(Endpoint endpoint);
/// Who must prove what; see README "Endpoints".
bool needsSignature(Endpoint endpoint);
bool needsBearer(Endpoint endpoint);

/// "Bearer TOKEN" -> TOKEN; empty when it is anything else.
std::string_view bearerToken(std::string_view authorizationHeader);

}  // namespace sunloco::protocol
