// SPDX-License-Identifier: Apache-2.0
#include "net/ipc/ipc_message.h"

namespace sunloco::ipc {
namespace {

using core::Error;
using core::ErrorCode;
using core::Json;

core::Result<core::Bytes> encodeBody(MessageType type, const Json& body) {
    // Log lines may hold anything; what is not UTF-8 must not stop the answer.
    return core::encodeFrame({static_cast<std::uint16_t>(type), body.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

core::Result<Json> bodyOf(const core::Frame& frame, MessageType type) {
    if (frame.type != static_cast<std::uint16_t>(type)) {
        return Error{ErrorCode::InvalidData, "unexpected message type " + std::to_string(frame.type), "local socket"};
    }
    core::JsonLimits limits;
    limits.maxBytes = core::kMaxFrameBody;
    auto json = core::parseJson(frame.body, limits, "local socket");
    if (json && !json->is_object()) return Error{ErrorCode::InvalidData, "a message must be an object", "local socket"};
    return json;
}

core::Result<std::int64_t> idOf(const Json& body) {
    return core::intMember(body, "id", "message", 0, std::int64_t{1} << 53);
}

}  // namespace

core::Result<core::Bytes> encode(const RequestMessage& m) {
    return encodeBody(MessageType::Request, Json{{"id", m.id}, {"method", m.method}, {"params", m.params}});
}

core::Result<core::Bytes> encode(const ResponseMessage& m) {
    Json body{{"id", m.id}};
    if (m.error) {
        body["error"] = Json{{"code", m.error->code}, {"message", m.error->message}};
    } else {
        body["result"] = m.result;
    }
    return encodeBody(MessageType::Response, body);
}

core::Result<core::Bytes> encode(const EventMessage& m) { return encodeBody(MessageType::Event, Json{{"name", m.name}, {"data", m.data}}); }

core::Result<RequestMessage> parseRequest(const core::Frame& frame) {
    auto body = bodyOf(frame, MessageType::Request);
    if (!body) return body.error();
    RequestMessage message;
    auto id = idOf(*body);
    if (!id) return id.error();
    message.id = *id;
    auto method = core::stringMember(*body, "method", "message");
    if (!method) return method.error();
    message.method = *method;
    if (const auto params = body->find("params"); params != body->end()) {
        if (!params->is_object()) return Error{ErrorCode::InvalidData, "params must be an object", "local socket"};
        message.params = *params;
    }
    return message;
}

core::Result<ResponseMessage> parseResponse(const core::Frame& frame) {
    auto body = bodyOf(frame, MessageType::Response);
    if (!body) return body.error();
    ResponseMessage message;
    auto id = idOf(*body);
    if (!id) return id.error();
    message.id = *id;
    if (const auto error = body->find("error"); error != body->end()) {
        auto code = core::stringMember(*error, "code", "error");
        auto text = core::stringMember(*error, "message", "error");
        if (!code) return code.error();
        if (!text) return text.error();
        message.error = Refusal{*code, *text};
    } else if (const auto result = body->find("result"); result != body->end()) {
        message.result = *result;
    }
    return message;
}

core::Result<EventMessage> parseEvent(const core::Frame& frame) {
    auto body = bodyOf(frame, MessageType::Event);
    if (!body) return body.error();
    auto name = core::stringMember(*body, "name", "event");
    if (!name) return name.error();
    EventMessage message{*name, Json()};
    if (const auto data = body->find("data"); data != body->end()) message.data = *data;
    return message;
}

}  // namespace sunloco::ipc
