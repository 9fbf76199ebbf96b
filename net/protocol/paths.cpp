// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/paths.h"

#include "net/protocol/limits.h"
#include "net/protocol/names.h"

#include <vector>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

std::string rootPath(std::int64_t version) { return "/v1/meta/root/" + std::to_string(version) + ".json"; }
std::string objectPath(const core::Digest& sha256) { return "/v1/objects/sha256/" + sha256.hex(); }
std::string heartbeatPath(std::string_view leaseId) { return "/v1/leases/" + std::string(leaseId) + "/heartbeat"; }
std::string releasePath(std::string_view leaseId) { return "/v1/leases/" + std::string(leaseId) + "/release"; }
std::string contributionPath(std::string_view contributionId) { return "/v1/contributions/" + std::string(contributionId); }
std::string partPath(std::string_view contributionId, std::int64_t n) { return contributionPath(contributionId) + "/parts/" + std::to_string(n); }
std::string commitPath(std::string_view contributionId) { return contributionPath(contributionId) + "/commit"; }
std::string bearerPath(std::string_view contributionId) { return contributionPath(contributionId) + "/bearer"; }

namespace {

/// Without leading zeros, so that one number has one path.
bool readNumber(std::string_view text, std::int64_t max, std::int64_t& number) {
    if (text.empty() || text.size() > 10 || (text.size() > 1 && text.front() == '0')) { return false; }
    number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') { return false; }
        number = number * 10 + (c - '0');
    }
    return number <= max;
}

bool endsWith(std::string_view text, std::string_view end) { return text.size() >= end.size() && text.substr(text.size() - end.size()) == end; }

core::Result<Route> routeOf(const std::vector<std::string_view>& parts) {
    const Error unknown{ErrorCode::NotFound, "There is nothing at this address", {}};
    Route route;
    if (parts.size() == 4 && parts[1] == "meta" && parts[2] == "root" && endsWith(parts[3], ".json")) {
        route.endpoint = Endpoint::RootVersion;
        return readNumber(parts[3].substr(0, parts[3].size() - 5), kMaxVersion, route.number) && route.number >= 1 ? core::Result<Route>(route) : unknown;
    }
    if (parts.size() == 4 && parts[1] == "objects" && parts[2] == "sha256") {
        const auto digest = core::parseDigest(parts[3]);
        if (!digest) { return unknown; }
        route.endpoint = Endpoint::Object;
        route.digest = *digest;
        return route;
    }
    if (parts.size() < 3 || !isName(parts[2])) { return unknown; }
    route.id = parts[2];
    if (parts[1] == "leases" && parts.size() == 4 && (parts[3] == "heartbeat" || parts[3] == "release")) {
        route.endpoint = parts[3] == "heartbeat" ? Endpoint::Heartbeat : Endpoint::Release;
        return route;
    }
    if (parts[1] != "contributions") { return unknown; }
    if (parts.size() == 3) {
        route.endpoint = Endpoint::ContributionStatus;
    } else if (parts.size() == 4 && (parts[3] == "commit" || parts[3] == "bearer")) {
        route.endpoint = parts[3] == "commit" ? Endpoint::Commit : Endpoint::Bearer;
    } else if (parts.size() == 5 && parts[3] == "parts" && readNumber(parts[4], kMaxParts - 1, route.number)) {
        route.endpoint = Endpoint::PutPart;
    } else {
        return unknown;
    }
    return route;
}

}  // namespace

core::Result<Route> parseRoute(std::string_view path) {
    const struct {
        std::string_view path;
        Endpoint endpoint;
    } fixed[] = {
        {"/", Endpoint::Page},
        {"/metrics", Endpoint::Metrics},
        {kStatusPath, Endpoint::Status},
        {kRootPath, Endpoint::Root},
        {kTargetsPath, Endpoint::Targets},
        {kRoundsPath, Endpoint::Rounds},
        {kTimestampPath, Endpoint::Timestamp},
        {kDevicesPath, Endpoint::Enrol},
        {kOwnContributionsPath, Endpoint::OwnContributions},
        {kLeasePath, Endpoint::Lease},
        {kContributionsPath, Endpoint::CreateContribution},
    };
    for (const auto& row : fixed) {
        if (path == row.path) { return Route{row.endpoint, {}, 0, {}}; }
    }
    const Error unknown{ErrorCode::NotFound, "There is nothing at this address", {}};
    if (path.size() > kMaxUrlBytes || path.substr(0, 4) != "/v1/") { return unknown; }
    std::vector<std::string_view> parts;
    std::string_view rest = path.substr(1);
    while (parts.size() < 6) {
        const auto slash = rest.find('/');
        parts.push_back(rest.substr(0, slash));
        if (slash == std::string_view::npos) { return routeOf(parts); }
        rest.remove_prefix(slash + 1);
    }
    return unknown;
}

std::string_view methodOf(Endpoint endpoint) {
    switch (endpoint) {
    case Endpoint::Page:
    case Endpoint::Metrics:
    case Endpoint::Status:
    case Endpoint::Root:
    case Endpoint::RootVersion:
    case Endpoint::Targets:
    case Endpoint::Rounds:
    case Endpoint::Timestamp:
    case Endpoint::Object:
    case Endpoint::OwnContributions:
    case Endpoint::ContributionStatus: return "GET";
    case Endpoint::Enrol:
    case Endpoint::Lease:
    case Endpoint::Heartbeat:
    case Endpoint::Release:
    case Endpoint::CreateContribution:
    case Endpoint::Commit:
    case Endpoint::Bearer: return "POST";
    case Endpoint::PutPart: return "PUT";
    }
    return "GET";
}

bool needsSignature(Endpoint endpoint) { return methodOf(endpoint) == "POST" || endpoint == Endpoint::OwnContributions; }
bool needsBearer(Endpoint endpoint) { return endpoint == Endpoint::PutPart || endpoint == Endpoint::ContributionStatus; }

std::string_view bearerToken(std::string_view authorizationHeader) {
    constexpr std::string_view scheme = "Bearer ";
    if (authorizationHeader.substr(0, scheme.size()) != scheme) { return {}; }
    authorizationHeader.remove_prefix(scheme.size());
    return isToken(authorizationHeader, 16, kMaxBearerBytes) ? authorizationHeader : std::string_view();
}

}  // namespace sunloco::protocol
