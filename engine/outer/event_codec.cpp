// SPDX-License-Identifier: Apache-2.0
#include "engine/outer/event_log.h"

#include "engine/core/json_fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::outer {

using core::Digest;
using core::Error;
using core::ErrorCode;
using core::Json;
using core::Result;

namespace {
constexpr std::int64_t kMost = std::int64_t{1} << 53;
/// A round with 10,000 contributions of 100 parts is a line of some 150 MB.
const core::JsonLimits kLineLimits{.maxBytes = std::size_t{256} << 20, .maxDepth = 12, .maxElements = 20'000'000};

Json toJson(const LoggedContribution& c) {
    Json parts = Json::array();
    for (const LoggedPart& part : c.parts) { parts.push_back({{"sha256", part.sha256.hex()}, {"bytes", part.bytes}, {"first", part.first}, {"elements", part.elements}}); }
    return {{"id", c.id}, {"device", c.device}, {"tokens", c.tokens}, {"steps", c.steps}, {"parts", std::move(parts)}};
}

Result<LoggedPart> readPart(const Json& json) {
    core::JsonFields fields(json, "part", {"sha256", "bytes", "first", "elements"});
    LoggedPart part;
    part.sha256 = fields.digest("sha256");
    part.bytes = fields.integer("bytes", 1, kMost);
    part.first = fields.integer("first", 0, kMost);
    part.elements = fields.integer("elements", 1, kMost);
    return fields.finish(part);
}

Result<LoggedContribution> readContribution(const Json& json) {
    core::JsonFields fields(json, "contribution", {"id", "device", "tokens", "steps", "parts"});
    LoggedContribution c;
    c.id = fields.text("id");
    c.device = fields.text("device");
    c.tokens = fields.integer("tokens", 0, kMost);
    c.steps = fields.integer("steps", 0, kMost);
    const Json& parts = fields.list("parts");
    for (std::size_t i = 0; i < parts.size() && !fields.failed(); ++i) { c.parts.push_back(fields.take(readPart(parts[i]))); }
    return fields.finish(std::move(c));
}

Result<Event> readInit(const Json& json) {
    core::JsonFields fields(json, "init", {"prev", "event", "recipe", "model", "base_hash", "base_object"});
    InitEvent event;
    const Json& recipe = fields.value("recipe");
    if (!fields.failed()) { event.recipe = fields.take(core::parseRecipe(recipe, "init.recipe")); }
    const Json& model = fields.value("model");
    if (!model.is_object()) { fields.fail(Error{ErrorCode::InvalidData, "\"init.model\" must be an object", {}}); }
    event.modelJson = model.dump();
    event.baseHash = fields.digest("base_hash");
    event.baseObject = fields.digest("base_object");
    return fields.finish(Event(std::move(event)));
}

Result<Event> readClosed(const Json& json) {
    core::JsonFields fields(json, "round_closed", {"prev", "event", "round", "contributions", "update_object", "base_hash", "momentum_hash"});
    RoundClosedEvent event;
    event.round = fields.integer("round", 1, kMost);
    const Json& list = fields.list("contributions");
    for (std::size_t i = 0; i < list.size() && !fields.failed(); ++i) { event.contributions.push_back(fields.take(readContribution(list[i]))); }
    event.updateObject = fields.digest("update_object");
    event.baseHash = fields.digest("base_hash");
    event.momentumHash = fields.digest("momentum_hash");
    return fields.finish(Event(std::move(event)));
}

Result<Event> readRolledBack(const Json& json) {
    core::JsonFields fields(json, "rolled_back", {"prev", "event", "round", "to_round", "base_hash"});
    RolledBackEvent event;
    event.round = fields.integer("round", 1, kMost);
    event.toRound = fields.integer("to_round", 0, kMost);
    event.baseHash = fields.digest("base_hash");
    if (event.toRound >= event.round) { fields.fail(Error{ErrorCode::InvalidData, "\"rolled_back.to_round\" must lie before \"round\"", {}}); }
    return fields.finish(Event(event));
}

struct Serialiser {
    Json json;
    void operator()(const InitEvent& e) {
        // A config that is not JSON is written as null, which nobody can read back: the caller has parsed it before.
        json.update({{"event", "init"}, {"recipe", core::toJson(e.recipe)}, {"model", Json::parse(e.modelJson, nullptr, false)}, {"base_hash", e.baseHash.hex()}, {"base_object", e.baseObject.hex()}});
    }
    void operator()(const RoundClosedEvent& e) {
        Json list = Json::array();
        for (const LoggedContribution& c : e.contributions) { list.push_back(toJson(c)); }
        json.update({{"event", "round_closed"}, {"round", e.round}, {"contributions", std::move(list)}, {"update_object", e.updateObject.hex()}, {"base_hash", e.baseHash.hex()}, {"momentum_hash", e.momentumHash.hex()}});
    }
    void operator()(const RolledBackEvent& e) { json.update({{"event", "rolled_back"}, {"round", e.round}, {"to_round", e.toRound}, {"base_hash", e.baseHash.hex()}}); }
};
}  // namespace

std::string serialiseEvent(const Event& event, const Digest& previousLine) {
    Serialiser out{{{"prev", previousLine.hex()}}};
    std::visit(out, event);
    return out.json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Event> parseEvent(std::string_view line, const Digest& previousLine) {
    const auto json = core::parseJson(line, kLineLimits);
    if (!json) { return json.error(); }
    const auto prev = core::stringMember(*json, "prev", "event");
    if (!prev) { return prev.error(); }
    if (*prev != previousLine.hex()) { return Error{ErrorCode::HashMismatch, "The line does not follow the one before it: the log was changed or is incomplete", {}}; }
    const auto kind = core::stringMember(*json, "event", "event");
    if (!kind) { return kind.error(); }
    if (*kind == "init") { return readInit(*json); }
    if (*kind == "round_closed") { return readClosed(*json); }
    if (*kind == "rolled_back") { return readRolledBack(*json); }
    return Error{ErrorCode::VersionTooNew, "The event \"" + kind->substr(0, 40) + "\" is unknown; a newer program may have written it", {}};
}

}  // namespace sunloco::outer
