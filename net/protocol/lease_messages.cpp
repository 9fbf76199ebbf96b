// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/lease_messages.h"

#include "net/protocol/claims.h"
#include "net/protocol/fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::protocol {

using core::ErrorCode;
using core::Json;

core::Result<LeaseRequest> LeaseRequest::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "request for a lease");
    if (!json) { return json.error(); }
    Fields fields(*json, "request", Schema::Closed);
    LeaseRequest request;
    request.roundSeen = fields.integer("round_seen", 0, kMaxRound);
    request.sequence = fields.integer("sequence", 0, kMaxCount);
    request.software = fields.text("software", 1, kMaxTitleBytes, Lines::One);
    if (fields.has("tokens_per_second")) { request.tokensPerSecond = fields.number("tokens_per_second", 0, kMaxMagnitude); }
    if (auto fault = fields.fault()) { return *fault; }
    return request;
}

std::string LeaseRequest::serialise() const {
    Json json = {{"round_seen", roundSeen}, {"sequence", sequence}, {"software", software}};
    if (tokensPerSecond) { json["tokens_per_second"] = *tokensPerSecond; }
    return dump(json);
}

core::Result<Lease> Lease::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxAnswerBytes, "lease");
    if (!json) { return json.error(); }
    Fields fields(*json, "lease", Schema::Open);
    Lease lease;
    lease.leaseId = fields.name("lease_id");
    lease.round = fields.integer("round", 1, kMaxRound);
    lease.baseHash = fields.digest("base_hash");
    Fields examples(fields.object("examples"), fields.at("examples"), Schema::Open);
    lease.examples.first = examples.integer("first", 0, kMaxCount);
    lease.examples.count = examples.integer("count", 1, kMaxCount);
    if (auto fault = examples.fault()) { fields.fail(std::move(*fault)); }
    lease.steps = fields.integer("steps", 1, kMaxSteps);
    lease.minSteps = fields.integer("min_steps", 1, lease.steps);
    lease.firstGlobalStep = fields.integer("first_global_step", 0, kMaxCount);
    lease.seed = fields.seed("seed");
    lease.expiresAt = fields.time("expires_at");
    const std::string codec = fields.name("upload_codec");
    if (!fields.failed()) { lease.uploadCodec = fields.take(core::parseCodec(codec), core::Codec::Fp32); }
    lease.codecBlock = fields.integer("codec_block", 1, 65'535);
    if (!fields.failed() && fragmentBytes(lease.uploadCodec, lease.codecBlock, partElements(lease.uploadCodec)) > kMaxPartBytes) {
        fields.fail(ErrorCode::LimitExceeded, "\"lease.codec_block\" makes parts larger than 8 MiB");
    }
    if (auto fault = fields.fault()) { return *fault; }
    return lease;
}

std::string Lease::serialise() const {
    return dump({{"lease_id", leaseId},
                 {"round", round},
                 {"base_hash", baseHash.hex()},
                 {"examples", {{"first", examples.first}, {"count", examples.count}}},
                 {"steps", steps},
                 {"min_steps", minSteps},
                 {"first_global_step", firstGlobalStep},
                 {"seed", seed},
                 {"expires_at", expiresAt},
                 {"upload_codec", core::name(uploadCodec)},
                 {"codec_block", codecBlock}});
}

core::Result<HeartbeatRequest> HeartbeatRequest::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "heartbeat");
    if (!json) { return json.error(); }
    Fields fields(*json, "heartbeat", Schema::Closed);
    HeartbeatRequest request;
    request.steps = fields.integer("steps", 0, kMaxSteps);
    if (auto fault = fields.fault()) { return *fault; }
    return request;
}

std::string HeartbeatRequest::serialise() const { return dump({{"steps", steps}}); }

core::Result<HeartbeatAnswer> HeartbeatAnswer::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "answer to a heartbeat");
    if (!json) { return json.error(); }
    Fields fields(*json, "answer", Schema::Open);
    HeartbeatAnswer answer;
    answer.roundOpen = fields.boolean("round_open");
    answer.expiresAt = fields.time("expires_at");
    if (auto fault = fields.fault()) { return *fault; }
    return answer;
}

std::string HeartbeatAnswer::serialise() const { return dump({{"round_open", roundOpen}, {"expires_at", expiresAt}}); }

core::Result<ReleaseRequest> ReleaseRequest::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "release");
    if (!json) { return json.error(); }
    Fields fields(*json, "release", Schema::Closed);
    ReleaseRequest request;
    request.reason = fields.name("reason");
    if (auto fault = fields.fault()) { return *fault; }
    return request;
}

std::string ReleaseRequest::serialise() const { return dump({{"reason", reason}}); }

}  // namespace sunloco::protocol
