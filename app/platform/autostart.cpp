// SPDX-License-Identifier: Apache-2.0
#include "app/platform/autostart.h"

#include "engine/core/files.h"

#include <QStandardPaths>
#include <QString>

#include <system_error>

namespace sunloco::platform {
namespace {

constexpr std::uint64_t kMaxEntryBytes = 64 << 10;

/// The Exec key: double quotes around the argument, and a backslash before the characters that are special inside them
/// (Desktop Entry Specification, "The Exec key"); the value itself escapes backslashes once more, and % is doubled.
std::string quotedForExec(const std::string& argument) {
    std::string quoted = "\"";
    for (const char c : argument) {
        if (c == '"' || c == '`' || c == '$') {
            quoted += "\\\\";
        } else if (c == '\\') {
            quoted += "\\\\\\";
        } else if (c == '%') {
            quoted += '%';
        }
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace

Autostart::Autostart(std::filesystem::path configFolder) : m_configFolder(std::move(configFolder)) {}

Autostart Autostart::forThisUser() {
    return Autostart(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation).toStdString());
}

std::filesystem::path Autostart::entryPath() const { return m_configFolder / "autostart" / "sunloco.desktop"; }

bool Autostart::isEnabled() const {
    const auto text = core::readTextFile(entryPath(), kMaxEntryBytes);
    // Desktops switch an entry off by writing one of these into it.
    return text && text->find("\nHidden=true") == std::string::npos && text->find("\nX-GNOME-Autostart-enabled=false") == std::string::npos;
}

core::Result<void> Autostart::enable(const std::filesystem::path& program) const {
    if (!program.is_absolute() || program.string().find('\n') != std::string::npos) {
        return core::Error{core::ErrorCode::InvalidArgument, "the program to start at login must be given by its full path", program.string()};
    }
    std::error_code failed;
    std::filesystem::create_directories(entryPath().parent_path(), failed);
    if (failed) {
        return core::fileError(failed.value(), "create the autostart folder", entryPath().parent_path());
    }
    const std::string text = "[Desktop Entry]\nType=Application\nName=SunLoCo\nComment=Lends this PC to open AI training while you are away\n"
                             "Exec=" + quotedForExec(program.string()) + " --minimized\nIcon=sunloco\nTerminal=false\n"
                             "X-GNOME-Autostart-enabled=true\n";
    return core::writeFileAtomically(entryPath(), core::asBytes(text));
}

core::Result<void> Autostart::disable() const {
    std::error_code failed;
    std::filesystem::remove(entryPath(), failed);
    if (failed) {
        return core::fileError(failed.value(), "remove the autostart entry", entryPath());
    }
    return {};
}

}  // namespace sunloco::platform
