// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/protocol/claims.h"
#include "net/protocol/dsse.h"

#include <optional>
#include <vector>

namespace sunloco::protocol {

struct Root;

struct PartInfo {
    std::int64_t n = 0;                         ///< from 0
    std::int64_t bytes = 0;
    core::Digest sha256;
    std::int64_t first = 0;                     ///< element of the arena
    std::int64_t elements = 0;
    bool operator==(const PartInfo&) const = default;
};

/// SHA-256 over one line "n first elements bytes sha256\n" per part in order; stands for all parts in the receipt.
core::Digest partsDigest(const std::vector<PartInfo>& parts);
/// The parts are exactly those of an arena of so many elements in this codec (numbers, ranges, sizes).
core::Result<void> checkParts(const std::vector<PartInfo>& parts, core::Codec codec, std::int64_t block, std::int64_t elements);

/// POST /v1/contributions with Idempotency-Key. Parts are numbered 0, 1, ... and follow one another without gaps.
struct ContributionRequest {
    std::string leaseId;
    core::Digest baseHash;
    std::int64_t steps = 0;
    std::int64_t tokens = 0;
    double entryLoss = 0;                       ///< mean of the first steps, nats per token
    double exitLoss = 0;
    double deltaNorm = 0;                       ///< L2 of the pseudo-gradient
    std::vector<PartInfo> parts;
    bool operator==(const ContributionRequest&) const = default;
    static core::Result<ContributionRequest> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// 201, or 200 for the same key and body again.
struct ContributionCreated {
    std::string contributionId;
    std::string bearer;
    core::UtcMs bearerExpires = 0;
    bool operator==(const ContributionCreated&) const = default;
    static core::Result<ContributionCreated> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// POST /v1/contributions/{id}/bearer
struct BearerAnswer {
    std::string bearer;
    core::UtcMs bearerExpires = 0;
    bool operator==(const BearerAnswer&) const = default;
    static core::Result<BearerAnswer> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// open -> complete -> committed -> merged | rejected; open | complete -> expired.
enum class ContributionState { Open, Complete, Committed, Merged, Rejected, Expired };
std::string_view name(ContributionState state);
core::Result<ContributionState> parseContributionState(std::string_view text);
/// The table of allowed transitions.
bool mayFollow(ContributionState from, ContributionState to);

/// GET /v1/contributions/{id}: what is there, so what to send again.
struct ContributionStatus {
    ContributionState state = ContributionState::Open;
    std::vector<std::int64_t> missing;          ///< part numbers, ascending
    std::optional<Envelope> receipt;            ///< from committed on
    std::optional<std::string> code;            ///< why it was rejected, a name
    bool operator==(const ContributionStatus&) const = default;
    static core::Result<ContributionStatus> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

/// POST /v1/contributions/{id}/commit
struct CommitAnswer {
    ContributionState state = ContributionState::Committed;
    Envelope receipt;
    bool operator==(const CommitAnswer&) const = default;
    static core::Result<CommitAnswer> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

inline constexpr std::string_view kReceiptType = "application/vnd.sunloco.receipt+json";

/// What the server promises with the rounds key: it has these bytes. Only now may a device delete its own.
struct ReceiptPayload {
    std::string contributionId;
    std::string deviceId;
    std::string leaseId;
    std::int64_t round = 0;
    std::int64_t steps = 0;
    std::int64_t tokens = 0;
    core::Digest partsDigest;
    core::UtcMs acceptedAt = 0;
    bool operator==(const ReceiptPayload&) const = default;
    static core::Result<ReceiptPayload> parse(std::string_view payload);
    [[nodiscard]] std::string serialise() const;
};
Envelope signReceipt(const ReceiptPayload& receipt, const KeyPair& roundsKey);
/// Signature by the rounds role of this root, then the payload.
core::Result<ReceiptPayload> verifyReceipt(const Envelope& envelope, const Root& root);

/// GET /v1/devices/me/contributions (signed): a JSON array, newest first.
struct OwnContribution {
    std::string contributionId;
    std::string leaseId;
    std::int64_t round = 0;
    ContributionState state = ContributionState::Open;
    std::int64_t tokens = 0;
    double weight = 0;                          ///< share in the merge, 0 to 1; 0 until merged
    bool operator==(const OwnContribution&) const = default;
};
struct OwnContributions {
    std::vector<OwnContribution> rows;
    bool operator==(const OwnContributions&) const = default;
    static core::Result<OwnContributions> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
};

}  // namespace sunloco::protocol
