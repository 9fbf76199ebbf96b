// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/device_messages.h"

#include "net/protocol/fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::protocol {

using core::Json;

core::Result<EnrolRequest> EnrolRequest::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "enrolment");
    if (!json) { return json.error(); }
    Fields fields(*json, "enrolment", Schema::Closed);
    EnrolRequest request;
    request.publicKey = fields.take(parsePublicKey(fields.raw("public_key", 64)));
    if (fields.has("invite")) { request.invite = fields.token("invite", 1, kMaxInviteBytes); }
    if (fields.has("name")) { request.name = fields.text("name", 1, kMaxTitleBytes, Lines::One); }
    request.software = fields.text("software", 1, kMaxTitleBytes, Lines::One);
    if (auto fault = fields.fault()) { return *fault; }
    return request;
}

std::string EnrolRequest::serialise() const {
    Json json = {{"public_key", toBase64(publicKey)}, {"software", software}};
    if (invite) { json["invite"] = *invite; }
    if (name) { json["name"] = *name; }
    return dump(json);
}

std::string_view name(Trust trust) { return trust == Trust::Invited ? "invited" : "anonymous"; }

core::Result<EnrolAnswer> EnrolAnswer::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxSmallMessageBytes, "answer to enrolment");
    if (!json) { return json.error(); }
    Fields fields(*json, "answer", Schema::Open);
    EnrolAnswer answer;
    answer.deviceId = fields.name("device_id");
    const std::string trust = fields.name("trust");
    answer.trust = trust == "invited" ? Trust::Invited : Trust::Anonymous;
    if (!fields.failed() && trust != protocol::name(answer.trust)) { fields.fail(core::ErrorCode::InvalidData, "\"answer.trust\" must be invited or anonymous"); }
    if (auto fault = fields.fault()) { return *fault; }
    return answer;
}

std::string EnrolAnswer::serialise() const { return dump({{"device_id", deviceId}, {"trust", name(trust)}}); }

}  // namespace sunloco::protocol
