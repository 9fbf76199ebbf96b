// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/frame.h"
#include "engine/core/json.h"

#include <nlohmann/json.hpp>

/// What sunloco-ctl and the agent say to each other: frames of engine/core/frame.h with these bodies.
namespace sunloco::ipc {

enum class MessageType : std::uint16_t {
    Request = 1,    ///< {id, method, params}
    Response = 2,   ///< {id, result} or {id, error: {code, message}}
    Event = 3,      ///< {name, data}
};

struct RequestMessage {
    std::int64_t id = 0;
    std::string method;
    core::Json params = core::Json::object();
};

/// An answer's failure as a person reads it; `code` is an errorName() or a server's code.
struct Refusal {
    std::string code;
    std::string message;
};

struct ResponseMessage {
    std::int64_t id = 0;
    core::Json result;
    std::optional<Refusal> error;
};

struct EventMessage {
    std::string name;
    core::Json data;
};

core::Result<core::Bytes> encode(const RequestMessage& message);
core::Result<core::Bytes> encode(const ResponseMessage& message);
core::Result<core::Bytes> encode(const EventMessage& message);

core::Result<RequestMessage> parseRequest(const core::Frame& frame);
core::Result<ResponseMessage> parseResponse(const core::Frame& frame);
core::Result<EventMessage> parseEvent(const core::Frame& frame);

}  // namespace sunloco::ipc
