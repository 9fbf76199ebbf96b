// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace sunloco::ipc {

/// ~/.local/share/sunloco, or below $XDG_DATA_HOME.
std::filesystem::path defaultDataDir();
/// ~/.config/sunloco, or below $XDG_CONFIG_HOME.
std::filesystem::path defaultConfigDir();

/// The local socket of the agent that uses a data folder: DIR/agent.sock. A path that would be too long for a socket address becomes
/// $XDG_RUNTIME_DIR/sunloco-<hash>.sock, or /tmp/sunloco-<uid>/<hash>.sock without a runtime folder. Program and sunloco-ctl both ask here.
std::string socketPath(const std::filesystem::path& dataDir);

}  // namespace sunloco::ipc
