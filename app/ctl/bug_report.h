// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/core/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sunloco::ctl {

/// One file of a bug report.
struct ReportFile {
    std::string name;
    std::string content;
};

/// Asks the agent one thing: method and parameters.
using AskAgent = std::function<core::Result<core::Json>(const std::string& method, const core::Json& params)>;

/// What helps to understand a problem: versions, state, rules, sensors, settings, history, log, the worker's self-test. What could not be had is said in
/// a file of the report, so that a report can be made when the agent does not run. No keys; see hidePrivate().
std::vector<ReportFile> collectReport(const AskAgent& ask);

/// Takes out what is nobody's business: the home folder's path becomes "~", an invitation code "…".
std::string hidePrivate(std::string text, const std::string& home);

/// Writes a zip file; InvalidArgument when `path` exists already, Io with the reason otherwise. Nothing is left behind on failure.
core::Result<void> writeZip(const std::filesystem::path& path, const std::vector<ReportFile>& files);

}  // namespace sunloco::ctl
