// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/contribution_messages.h"

#include "net/protocol/fields.h"
#include "net/protocol/metadata.h"

#include <nlohmann/json.hpp>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

core::Digest partsDigest(const std::vector<PartInfo>& parts) {
    std::string lines;
    for (const auto& part : parts) {
        lines += std::to_string(part.n) + " " + std::to_string(part.first) + " " + std::to_string(part.elements) + " " + std::to_string(part.bytes) + " " + part.sha256.hex() + "\n";
    }
    return core::sha256(core::asBytes(lines));
}

core::Result<void> checkParts(const std::vector<PartInfo>& parts, core::Codec codec, std::int64_t block, std::int64_t elements) {
    const auto plan = planParts(codec, block, elements);
    if (plan.size() != parts.size()) {
        return Error{ErrorCode::InvalidData, "The contribution has " + std::to_string(parts.size()) + " parts, the model needs " + std::to_string(plan.size()), "parts"};
    }
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (plan[i] != PartPlan{parts[i].n, parts[i].first, parts[i].elements, parts[i].bytes}) {
            return Error{ErrorCode::InvalidData, "Part " + std::to_string(i) + " does not have the elements and the size that the model and the codec give", "parts"};
        }
    }
    return {};
}

namespace {

core::Result<std::vector<PartInfo>> readParts(const Json& list, const std::string& where) {
    std::vector<PartInfo> parts;
    std::int64_t nextElement = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto n = static_cast<std::int64_t>(i);
        Fields fields(list[i], where + "[" + std::to_string(i) + "]", Schema::Closed);
        PartInfo part;
        part.n = fields.integer("n", n, n);
        part.bytes = fields.integer("bytes", 1, kMaxPartBytes);
        part.sha256 = fields.digest("sha256");
        part.first = fields.integer("first", nextElement, nextElement);
        part.elements = fields.integer("elements", 1, kMaxPartBytes);
        if (auto fault = fields.fault()) { return *fault; }
        nextElement += part.elements;
        parts.push_back(part);
    }
    return parts;
}

Json partsJson(const std::vector<PartInfo>& parts) {
    Json list = Json::array();
    for (const auto& part : parts) {
        list.push_back({{"n", part.n}, {"bytes", part.bytes}, {"sha256", part.sha256.hex()}, {"first", part.first}, {"elements", part.elements}});
    }
    return list;
}

/// An envelope inside another document.
core::Result<Envelope> readReceipt(const Json& json) { return Envelope::parse(dump(json), kMaxReceiptBytes); }
Json receiptJson(const Envelope& envelope) {
    auto json = core::parseJson(envelope.serialise());
    return json ? std::move(*json) : Json();
}

}  // namespace

core::Result<ContributionRequest> ContributionRequest::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxContributionBytes, "contribution");
    if (!json) { return json.error(); }
    Fields fields(*json, "contribution", Schema::Closed);
    ContributionRequest request;
    request.leaseId = fields.name("lease_id");
    request.baseHash = fields.digest("base_hash");
    request.steps = fields.integer("steps", 1, kMaxSteps);
    request.tokens = fields.integer("tokens", 1, kMaxCount);
    request.entryLoss = fields.number("entry_loss", 0, kMaxMagnitude);
    request.exitLoss = fields.number("exit_loss", 0, kMaxMagnitude);
    request.deltaNorm = fields.number("delta_norm", 0, kMaxMagnitude);
    const Json& parts = fields.array("parts", 1, kMaxParts);
    if (!fields.failed()) { request.parts = fields.take(readParts(parts, fields.at("parts"))); }
    if (auto fault = fields.fault()) { return *fault; }
    return request;
}

std::string ContributionRequest::serialise() const {
    return dump({{"lease_id", leaseId},
                 {"base_hash", baseHash.hex()},
                 {"steps", steps},
                 {"tokens", tokens},
                 {"entry_loss", entryLoss},
                 {"exit_loss", exitLoss},
                 {"delta_norm", deltaNorm},
                 {"parts", partsJson(parts)}});
}

core::Result<ContributionCreated> ContributionCreated::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "answer to a contribution");
    if (!json) { return json.error(); }
    Fields fields(*json, "answer", Schema::Open);
    ContributionCreated answer;
    answer.contributionId = fields.name("contribution_id");
    answer.bearer = fields.token("bearer", 16, kMaxBearerBytes);
    answer.bearerExpires = fields.time("bearer_expires");
    if (auto fault = fields.fault()) { return *fault; }
    return answer;
}

std::string ContributionCreated::serialise() const { return dump({{"contribution_id", contributionId}, {"bearer", bearer}, {"bearer_expires", bearerExpires}}); }

core::Result<BearerAnswer> BearerAnswer::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "upload permit");
    if (!json) { return json.error(); }
    Fields fields(*json, "answer", Schema::Open);
    BearerAnswer answer;
    answer.bearer = fields.token("bearer", 16, kMaxBearerBytes);
    answer.bearerExpires = fields.time("bearer_expires");
    if (auto fault = fields.fault()) { return *fault; }
    return answer;
}

std::string BearerAnswer::serialise() const { return dump({{"bearer", bearer}, {"bearer_expires", bearerExpires}}); }

std::string_view name(ContributionState state) {
    switch (state) {
    case ContributionState::Open: return "open";
    case ContributionState::Complete: return "complete";
    case ContributionState::Committed: return "committed";
    case ContributionState::Merged: return "merged";
    case ContributionState::Rejected: return "rejected";
    case ContributionState::Expired: return "expired";
    }
    return "open";
}

core::Result<ContributionState> parseContributionState(std::string_view text) {
    for (const auto state : {ContributionState::Open, ContributionState::Complete, ContributionState::Committed, ContributionState::Merged, ContributionState::Rejected,
                             ContributionState::Expired}) {
        if (name(state) == text) { return state; }
    }
    return Error{ErrorCode::InvalidData, "The state of a contribution must be open, complete, committed, merged, rejected or expired", {}};
}

// README "States of a contribution"
bool mayFollow(ContributionState from, ContributionState to) {
    switch (from) {
    case ContributionState::Open: return to == ContributionState::Complete || to == ContributionState::Expired;
    case ContributionState::Complete: return to == ContributionState::Committed || to == ContributionState::Expired;
    case ContributionState::Committed: return to == ContributionState::Merged || to == ContributionState::Rejected;
    case ContributionState::Merged:
    case ContributionState::Rejected:
    case ContributionState::Expired: return false;
    }
    return false;
}

core::Result<ContributionStatus> ContributionStatus::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxAnswerBytes, "state of a contribution");
    if (!json) { return json.error(); }
    Fields fields(*json, "answer", Schema::Open);
    ContributionStatus status;
    status.state = fields.take(parseContributionState(fields.name("state")));
    const Json& missing = fields.array("missing", 0, kMaxParts);
    std::int64_t last = -1;
    for (const Json& n : missing) {
        const bool whole = n.is_number_unsigned() && n.get<std::uint64_t>() < static_cast<std::uint64_t>(kMaxParts);
        if (!whole || n.get<std::int64_t>() <= last) {
            fields.fail(ErrorCode::InvalidData, "\"answer.missing\" must list part numbers in ascending order");
            break;
        }
        last = n.get<std::int64_t>();
        status.missing.push_back(last);
    }
    if (fields.has("receipt")) { status.receipt = fields.take(readReceipt(fields.object("receipt"))); }
    if (fields.has("code")) { status.code = fields.name("code"); }
    if (auto fault = fields.fault()) { return *fault; }
    return status;
}

std::string ContributionStatus::serialise() const {
    Json json = {{"state", name(state)}, {"missing", missing}};
    if (receipt) { json["receipt"] = receiptJson(*receipt); }
    if (code) { json["code"] = *code; }
    return dump(json);
}

core::Result<CommitAnswer> CommitAnswer::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "answer to a commit");
    if (!json) { return json.error(); }
    Fields fields(*json, "answer", Schema::Open);
    CommitAnswer answer;
    answer.state = fields.take(parseContributionState(fields.name("state")));
    const Json& receipt = fields.object("receipt");
    if (!fields.failed()) { answer.receipt = fields.take(readReceipt(receipt)); }
    if (auto fault = fields.fault()) { return *fault; }
    return answer;
}

std::string CommitAnswer::serialise() const { return dump({{"state", name(state)}, {"receipt", receiptJson(receipt)}}); }

core::Result<ReceiptPayload> ReceiptPayload::parse(std::string_view payload) {
    const auto json = parseBody(payload, kMaxReceiptBytes, "receipt");
    if (!json) { return json.error(); }
    Fields fields(*json, "receipt", Schema::Closed);
    ReceiptPayload receipt;
    receipt.contributionId = fields.name("contribution_id");
    receipt.deviceId = fields.name("device_id");
    receipt.leaseId = fields.name("lease_id");
    receipt.round = fields.integer("round", 1, kMaxRound);
    receipt.steps = fields.integer("steps", 1, kMaxSteps);
    receipt.tokens = fields.integer("tokens", 1, kMaxCount);
    receipt.partsDigest = fields.digest("parts_digest");
    receipt.acceptedAt = fields.time("accepted_at");
    if (auto fault = fields.fault()) { return *fault; }
    return receipt;
}

std::string ReceiptPayload::serialise() const {
    return dump({{"contribution_id", contributionId},
                 {"device_id", deviceId},
                 {"lease_id", leaseId},
                 {"round", round},
                 {"steps", steps},
                 {"tokens", tokens},
                 {"parts_digest", partsDigest.hex()},
                 {"accepted_at", acceptedAt}});
}

Envelope signReceipt(const ReceiptPayload& receipt, const KeyPair& roundsKey) { return signEnvelope(kReceiptType, receipt.serialise(), {&roundsKey}); }

core::Result<ReceiptPayload> verifyReceipt(const Envelope& envelope, const Root& root) {
    // A receipt is a promise of one server, so one of the rounds keys is enough whatever that role's threshold is.
    RoleKeys signers = root.keysOf(Role::Rounds);
    signers.threshold = signers.threshold < 1 ? signers.threshold : 1;
    if (auto valid = verifyEnvelope(envelope, kReceiptType, signers); !valid) { return valid.error(); }
    return ReceiptPayload::parse(envelope.payload);
}

core::Result<OwnContributions> OwnContributions::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxAnswerBytes, "list of contributions");
    if (!json) { return json.error(); }
    if (!json->is_array() || json->size() > kMaxOwnContributions) { return Error{ErrorCode::InvalidData, "The list of contributions must be an array of at most 10000", {}}; }
    OwnContributions list;
    for (std::size_t i = 0; i < json->size(); ++i) {
        Fields fields((*json)[i], "contributions[" + std::to_string(i) + "]", Schema::Open);
        OwnContribution row;
        row.contributionId = fields.name("contribution_id");
        row.leaseId = fields.name("lease_id");
        row.round = fields.integer("round", 1, kMaxRound);
        row.state = fields.take(parseContributionState(fields.name("state")));
        row.tokens = fields.integer("tokens", 0, kMaxCount);
        row.weight = fields.number("weight", 0, 1);
        if (auto fault = fields.fault()) { return *fault; }
        list.rows.push_back(std::move(row));
    }
    return list;
}

std::string OwnContributions::serialise() const {
    Json list = Json::array();
    for (const auto& row : rows) {
        list.push_back({{"contribution_id", row.contributionId},
                        {"lease_id", row.leaseId},
                        {"round", row.round},
                        {"state", name(row.state)},
                        {"tokens", row.tokens},
                        {"weight", row.weight}});
    }
    return dump(list);
}

}  // namespace sunloco::protocol
