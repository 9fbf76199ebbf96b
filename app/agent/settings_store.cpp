// SPDX-License-Identifier: Apache-2.0
#include "app/agent/settings_store.h"

#include "engine/core/files.h"
#include "engine/core/json.h"

#include <nlohmann/json.hpp>

namespace sunloco::agent {

using core::Error;
using core::ErrorCode;

core::Result<SettingsStore> SettingsStore::open(const std::filesystem::path& configDir) {
    std::error_code ignored;
    std::filesystem::create_directories(configDir.parent_path(), ignored);
    if (auto made = core::ensurePrivateDirectory(configDir); !made) return made.error();
    SettingsStore store(configDir / "settings.json");
    constexpr std::uint64_t kLargest = 1u << 20;
    auto text = core::readTextFile(store.m_path, kLargest);
    if (!text) {
        if (text.error().code == ErrorCode::NotFound) return store;
        return text.error();
    }
    const auto wrong = [&](const Error& error) {
        return Error{error.code, "the settings cannot be used: " + error.text() + "; correct the file, or remove it to get the standard settings", store.m_path.string()};
    };
    auto json = core::parseJson(*text);
    if (!json) return wrong(json.error());
    auto settings = rules::Settings::fromJson(*json);
    if (!settings) return wrong(settings.error());
    store.m_settings = std::move(*settings);
    return store;
}

core::Result<void> SettingsStore::replace(const rules::Settings& settings) {
    const std::string text = settings.toJson().dump(2) + "\n";
    if (auto written = core::writeFileAtomically(m_path, core::asBytes(text), nullptr, 0600); !written) return written;
    m_settings = settings;
    return {};
}

}  // namespace sunloco::agent
