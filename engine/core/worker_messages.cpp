// SPDX-License-Identifier: Apache-2.0
#include "engine/core/worker_messages.h"

#include "engine/core/json_fields.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace sunloco::core {

namespace {
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 2;
constexpr double kHuge = 1e300;

Frame frame(WorkerMessage type, const Json& body) {
    return Frame{static_cast<std::uint16_t>(type), body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

/// The body as an object, when the frame has one of the wanted types.
Result<Json> bodyOf(const Frame& f, std::initializer_list<WorkerMessage> wanted) {
    bool fits = false;
    for (const WorkerMessage type : wanted) { fits = fits || f.type == static_cast<std::uint16_t>(type); }
    if (!fits) { return Error{ErrorCode::InvalidData, "A frame of type " + std::to_string(f.type) + " came where another was expected", {}}; }
    Result<Json> json = parseJson(f.body, {.maxBytes = kMaxFrameBody, .maxDepth = 8, .maxElements = 10'000}, "worker frame");
    if (json && !json->is_object()) { return Error{ErrorCode::InvalidData, "A frame's body must be an object", {}}; }
    return json;
}
}  // namespace

Frame toFrame(WorkerMessage type, const HelloMessage& m) { return frame(type, {{"version", m.version}}); }

Frame toFrame(const HelloReplyMessage& m) {
    Json devices = Json::array();
    for (const DeviceInfo& d : m.devices) { devices.push_back({{"id", d.id}, {"name", d.name}, {"memory_bytes", d.memoryBytes}}); }
    return frame(WorkerMessage::HelloReply, {{"version", m.version}, {"build", m.build}, {"devices", devices}});
}

Frame toFrame(const StartMessage& m) {
    return frame(WorkerMessage::Start, {{"folder", m.folder}, {"device", m.device}, {"threads", m.threads}, {"throttle_percent", m.throttlePercent}});
}

Frame toFrame(WorkerMessage type, const StopMessage& m) { return frame(type, {{"level", static_cast<int>(m.level)}}); }
Frame toFrame(const ThrottleMessage& m) { return frame(WorkerMessage::Throttle, {{"percent", m.percent}}); }

Frame toFrame(const ProgressMessage& m) {
    Json body{{"step", m.step}, {"steps", m.steps}, {"tokens", m.tokens}, {"loss", m.loss}, {"tokens_per_second", m.tokensPerSecond},
              {"active_seconds", m.activeSeconds}, {"quiet", m.quiet}};
    if (m.watts) { body["watts"] = *m.watts; }
    if (m.rollBacks > 0) {
        body["roll_backs"] = m.rollBacks;
        body["roll_back_step"] = m.rollBackStep;
    }
    return frame(WorkerMessage::Progress, body);
}

Frame toFrame(const FinishedMessage& m) { return frame(WorkerMessage::Finished, {{"result", m.result}}); }
Frame toFrame(const FailedMessage& m) { return frame(WorkerMessage::Failed, {{"code", m.code}, {"message", m.message}, {"step", m.step}}); }
Frame resumeFrame() { return frame(WorkerMessage::Resume, Json::object()); }

Result<HelloMessage> parseHello(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Hello});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    HelloMessage m;
    m.version = static_cast<int>(fields.integer("version", 1, 1000));
    return fields.finish(m);
}

Result<HelloReplyMessage> parseHelloReply(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::HelloReply});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    HelloReplyMessage m;
    m.version = static_cast<int>(fields.integer("version", 1, 1000));
    m.build = fields.text("build");
    const auto devices = member(*body, "devices", "frame");
    if (!devices || !(*devices)->is_array() || (*devices)->size() > 64) { return Error{ErrorCode::InvalidData, "\"frame.devices\" must be a short list", {}}; }
    for (const Json& entry : **devices) {
        JsonFields device(entry, "frame");
        DeviceInfo info;
        info.id = device.text("id");
        info.name = device.text("name");
        info.memoryBytes = static_cast<std::uint64_t>(device.integer("memory_bytes", 0, kMax));
        const auto read = device.finish(info);
        if (!read) { return read.error(); }
        m.devices.push_back(*read);
    }
    return fields.finish(m);
}

Result<StartMessage> parseStart(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Start});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    StartMessage m;
    m.folder = fields.text("folder");
    m.device = fields.text("device");
    m.threads = static_cast<int>(fields.integer("threads", 1, 1024));
    m.throttlePercent = static_cast<int>(fields.integer("throttle_percent", 25, 100));
    return fields.finish(m);
}

Result<StopMessage> parseStop(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Stop, WorkerMessage::Stopped});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    StopMessage m;
    m.level = static_cast<StopLevel>(fields.integer("level", 0, 2));
    return fields.finish(m);
}

Result<ThrottleMessage> parseThrottle(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Throttle});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    ThrottleMessage m;
    m.percent = static_cast<int>(fields.integer("percent", 25, 100));
    return fields.finish(m);
}

Result<ProgressMessage> parseProgress(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Progress});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    ProgressMessage m;
    m.step = fields.integer("step", 0, kMax);
    m.steps = fields.integer("steps", 0, kMax);
    m.tokens = fields.integer("tokens", 0, kMax);
    m.loss = fields.number("loss", -kHuge, kHuge);
    m.tokensPerSecond = fields.number("tokens_per_second", -kHuge, kHuge);
    m.activeSeconds = fields.number("active_seconds", -kHuge, kHuge);
    m.quiet = fields.boolean("quiet");
    if (body->contains("watts")) { m.watts = fields.number("watts", -kHuge, kHuge); }
    if (body->contains("roll_backs")) {
        m.rollBacks = fields.integer("roll_backs", 1, kMax);
        m.rollBackStep = fields.integer("roll_back_step", 0, kMax);
    }
    return fields.finish(m);
}

Result<FinishedMessage> parseFinished(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Finished});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    FinishedMessage m{fields.text("result")};
    return fields.finish(m);
}

Result<FailedMessage> parseFailed(const Frame& f) {
    const auto body = bodyOf(f, {WorkerMessage::Failed});
    if (!body) { return body.error(); }
    JsonFields fields(*body, "frame");
    FailedMessage m;
    m.code = fields.text("code");
    m.message = fields.text("message");
    m.step = fields.integer("step", -1, kMax);
    return fields.finish(m);
}

}  // namespace sunloco::core
