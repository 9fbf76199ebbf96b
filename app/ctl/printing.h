// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"

#include <nlohmann/json.hpp>

#include <string>

/// The agent's answers as text for people; each takes the document that `--json` would print.
namespace sunloco::ctl {

std::string statusText(const core::Json& status);
std::string whyText(const core::Json& why);
std::string devicesText(const core::Json& list);
std::string projectsText(const core::Json& list);
std::string settingsText(const core::Json& list);
std::string settingText(const core::Json& row);
std::string energyText(const core::Json& energy);
/// start,watt_hours,is_estimate with ISO 8601 times in UTC.
std::string energyCsv(const core::Json& energy);
std::string historyText(const core::Json& history);
std::string sensorsText(const core::Json& list);
std::string replayText(const core::Json& result);

}  // namespace sunloco::ctl
