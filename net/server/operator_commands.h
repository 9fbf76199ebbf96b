// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "engine/core/result.h"
#include "net/protocol/status_messages.h"

#include <filesystem>
#include <string>

/// What an operator does to a project from the command line, whether its server runs or not.
namespace sunloco::server {

core::Result<protocol::StatusAnswer> projectStatus(const std::filesystem::path& folder);

/// The link as the server last had it.
core::Result<std::string> projectLinkOf(const std::filesystem::path& folder);

/// A new invitation code for one device; only its hash is stored.
core::Result<std::string> makeInvite(const std::filesystem::path& folder, const core::Clock& clock);

/// "close-round", "rollback", "halt" or "resume": a running server is asked to do it, else it is done here. The answer is a sentence.
core::Result<std::string> operate(const std::filesystem::path& folder, const std::string& command, const core::Clock& clock);

}  // namespace sunloco::server
