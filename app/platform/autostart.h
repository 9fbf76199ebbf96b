// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <filesystem>
#include <string>

namespace sunloco::platform {

/// The entry that starts the tray app at login (XDG autostart on Linux).
class Autostart {
public:
    /// `configFolder`: where the desktop looks, usually $XDG_CONFIG_HOME or ~/.config.
    explicit Autostart(std::filesystem::path configFolder);
    /// For this user.
    [[nodiscard]] static Autostart forThisUser();

    [[nodiscard]] bool isEnabled() const;
    /// Writes the entry that starts `program --minimized`.
    core::Result<void> enable(const std::filesystem::path& program) const;
    core::Result<void> disable() const;
    [[nodiscard]] std::filesystem::path entryPath() const;

private:
    std::filesystem::path m_configFolder;
};

}  // namespace sunloco::platform
