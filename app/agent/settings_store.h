// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/settings.h"

#include <filesystem>

namespace sunloco::agent {

/// settings.json in the configuration folder: only what differs from the defaults. Written so that a power loss leaves the old or the new file.
class SettingsStore {
public:
    /// A missing file means the defaults. The error names file, key and what is allowed.
    static core::Result<SettingsStore> open(const std::filesystem::path& configDir);

    [[nodiscard]] const rules::Settings& settings() const { return m_settings; }
    /// Nothing changes when it cannot be written.
    core::Result<void> replace(const rules::Settings& settings);
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    explicit SettingsStore(std::filesystem::path path) : m_path(std::move(path)) {}
    std::filesystem::path m_path;
    rules::Settings m_settings;
};

}  // namespace sunloco::agent
