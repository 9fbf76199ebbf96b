// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/exit_codes.h"
#include "net/server/project_init.h"
#include "net/server/serve.h"

#include <filesystem>
#include <string>

/// The commands of sunloco-server: each prints its result on stdout (with `Output::Json` as one document) and errors as one sentence on stderr.
namespace sunloco::server_program {

enum class Output { Text, Json };

core::ExitCode init(server::InitOptions options, Output output);
core::ExitCode serve(const server::ServeOptions& options, Output output);
core::ExitCode link(const std::filesystem::path& folder, Output output);
core::ExitCode status(const std::filesystem::path& folder, Output output);
core::ExitCode invite(const std::filesystem::path& folder, Output output);
/// "close-round", "rollback", "halt", "resume"
core::ExitCode operate(const std::filesystem::path& folder, const std::string& command, Output output);
core::ExitCode exportModel(const std::filesystem::path& folder, const std::string& format, const std::string& dtype, const std::filesystem::path& out, Output output);
core::ExitCode replay(const std::filesystem::path& folder, Output output);

}  // namespace sunloco::server_program
