// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"

#include <nlohmann/json.hpp>

/// The agent's answers as the JSON documents that sunloco-ctl prints and scripts read. Times in UTC milliseconds; what is unknown is null.
namespace sunloco::agent {

/// {state, code, title, reason, next, next_change, since, devices, projects, transfers, paused_until, watt_hours_today, energy_is_estimate, taken_at};
/// `reason` is the whole sentence.
core::Json statusJson(const Snapshot& snapshot);
/// {title, reason, next, rules: [{rule, name, says, verdict}]}: every rule in order of precedence.
core::Json whyJson(const Snapshot& snapshot);
core::Json devicesJson(const Snapshot& snapshot);
core::Json projectsJson(const Snapshot& snapshot);
/// {contributions: [...], rounds: {project: [{round, held_out_loss, closed_at, contributors, tokens}]}}
core::Json historyJson(const AgentApi& agent, int limit);
/// {watt_hours, is_estimate, from, to, buckets: [{start, watt_hours, is_estimate}]}; watt_hours is null when nothing was measured or estimated.
core::Json energyJson(const AgentApi& agent, qint64 from, qint64 to);
/// {settings: [{key, value, default, is_default, type, unit, group, title, help, choices}]}
core::Json settingsJson(const rules::Settings& settings, const QVector<DeviceSnapshot>& devices);
/// One row of it; InvalidArgument names an unknown key.
core::Result<core::Json> settingJson(const rules::Settings& settings, const std::string& key);

}  // namespace sunloco::agent
