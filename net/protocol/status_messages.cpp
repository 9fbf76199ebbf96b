// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/status_messages.h"

#include "net/protocol/fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

std::string_view name(RoundState state) {
    switch (state) {
    case RoundState::Open: return "open";
    case RoundState::Closing: return "closing";
    case RoundState::Halted: return "halted";
    case RoundState::Finished: return "finished";
    }
    return "open";
}

namespace {

core::Result<RoundState> parseRoundState(std::string_view text) {
    for (const auto state : {RoundState::Open, RoundState::Closing, RoundState::Halted, RoundState::Finished}) {
        if (name(state) == text) { return state; }
    }
    return Error{ErrorCode::InvalidData, "\"status.state\" must be open, closing, halted or finished", {}};
}

core::Result<RoundHistory> readHistory(const Json& json, const std::string& where) {
    Fields fields(json, where, Schema::Open);
    RoundHistory row;
    row.round = fields.integer("round", 1, kMaxRound);
    row.contributors = fields.integer("contributors", 0, kMaxRound);
    row.tokens = fields.integer("tokens", 0, kMaxCount);
    if (fields.has("held_out_loss")) { row.heldOutLoss = fields.number("held_out_loss", 0, kMaxMagnitude); }
    row.bytesUp = fields.integer("bytes_up", 0, kMaxCount);
    row.bytesDown = fields.integer("bytes_down", 0, kMaxCount);
    row.seconds = fields.number("seconds", 0, kMaxMagnitude);
    row.closedAt = fields.time("closed_at");
    row.computeSeconds = fields.number("compute_seconds", 0, kMaxMagnitude);
    if (auto fault = fields.fault()) { return *fault; }
    return row;
}

Json lossJson(const std::optional<double>& loss) { return loss ? Json(*loss) : Json(); }

}  // namespace

core::Result<StatusAnswer> StatusAnswer::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxAnswerBytes, "status");
    if (!json) { return json.error(); }
    Fields fields(*json, "status", Schema::Open);
    StatusAnswer status;
    Fields project(fields.object("project"), "status.project", Schema::Open);
    status.projectId = project.name("id");
    status.projectName = project.text("name", 1, kMaxTitleBytes, Lines::One);
    if (auto fault = project.fault()) { fields.fail(std::move(*fault)); }
    status.round = fields.integer("round", 1, kMaxRound);
    status.state = fields.take(parseRoundState(fields.name("state")));
    status.openedAt = fields.time("opened_at");
    status.deadline = fields.time("deadline");
    status.contributors = fields.integer("contributors", 0, kMaxRound);
    status.tokensTotal = fields.integer("tokens_total", 0, kMaxCount);
    if (fields.has("initial_held_out_loss")) { status.initialHeldOutLoss = fields.number("initial_held_out_loss", 0, kMaxMagnitude); }
    if (fields.has("energy")) {
        Fields energy(fields.object("energy"), "status.energy", Schema::Open);
        EnergyTotal total;
        total.wattHours = energy.number("watt_hours", 0, kMaxMagnitude);
        total.isEstimate = energy.boolean("is_estimate");
        if (auto fault = energy.fault()) { fields.fail(std::move(*fault)); }
        status.energy = total;
    }
    const Json& history = fields.array("history", 0, kMaxHistoryRows);
    for (std::size_t i = 0; i < history.size() && !fields.failed(); ++i) { status.history.push_back(fields.take(readHistory(history[i], fields.at("history", i)))); }
    if (auto fault = fields.fault()) { return *fault; }
    return status;
}

std::string StatusAnswer::serialise() const {
    Json rows = Json::array();
    for (const auto& row : history) {
        rows.push_back({{"round", row.round},
                        {"contributors", row.contributors},
                        {"tokens", row.tokens},
                        {"held_out_loss", lossJson(row.heldOutLoss)},
                        {"bytes_up", row.bytesUp},
                        {"bytes_down", row.bytesDown},
                        {"seconds", row.seconds},
                        {"closed_at", row.closedAt},
                        {"compute_seconds", row.computeSeconds}});
    }
    Json json = {{"project", {{"id", projectId}, {"name", projectName}}},
                 {"round", round},
                 {"state", name(state)},
                 {"opened_at", openedAt},
                 {"deadline", deadline},
                 {"contributors", contributors},
                 {"tokens_total", tokensTotal},
                 {"initial_held_out_loss", lossJson(initialHeldOutLoss)},
                 {"history", std::move(rows)}};
    if (energy) { json["energy"] = {{"watt_hours", energy->wattHours}, {"is_estimate", energy->isEstimate}}; }
    return dump(json);
}

}  // namespace sunloco::protocol
