// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "engine/core/result.h"

#include <filesystem>
#include <memory>

namespace sunloco::agent {

/// Where a device key is kept.
enum class KeyPlace {
    File,               ///< a 0600 file in the data folder
    KeychainOrFile,     ///< the desktop's keychain where one answers, else the file
};

struct RuntimeOptions {
    std::filesystem::path configDir;   ///< empty: ~/.config/sunloco
    std::filesystem::path dataDir;     ///< empty: ~/.local/share/sunloco
    KeyPlace keyPlace = KeyPlace::File;
    std::string workerProgram;         ///< empty: SUNLOCO_WORKER, beside this program, ../libexec/sunloco, PATH
    bool logToStderr = true;
};

/// Fills in the usual folders.
RuntimeOptions withDefaultFolders(RuntimeOptions options);

/// Puts an agent together and starts it: one instance per data folder, log, journal, sensors, transfers, the local socket for sunloco-ctl.
/// Needs a running QCoreApplication; everything ends with the returned object. Busy: another agent uses the folder; VersionTooNew: its data is newer.
core::Result<std::unique_ptr<AgentApi>> startAgent(const RuntimeOptions& options);

}  // namespace sunloco::agent
