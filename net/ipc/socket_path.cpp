// SPDX-License-Identifier: Apache-2.0
#include "net/ipc/socket_path.h"

#include "engine/core/sha256.h"

#include <unistd.h>

#include <cstdlib>

namespace sunloco::ipc {
namespace {

constexpr std::size_t kLongestAddress = 100;  // sun_path holds 108 bytes, and Qt appends a little while it binds

std::filesystem::path below(const char* variable, const char* fallback) {
    if (const char* value = std::getenv(variable); value != nullptr && value[0] == '/') return std::filesystem::path(value) / "sunloco";
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home != nullptr && home[0] != '\0' ? home : "/") / fallback / "sunloco";
}

}  // namespace

std::filesystem::path defaultDataDir() { return below("XDG_DATA_HOME", ".local/share"); }
std::filesystem::path defaultConfigDir() { return below("XDG_CONFIG_HOME", ".config"); }

std::string socketPath(const std::filesystem::path& dataDir) {
    std::error_code ignored;
    std::filesystem::path folder = std::filesystem::weakly_canonical(dataDir, ignored);
    if (ignored) folder = std::filesystem::absolute(dataDir, ignored);
    if (!folder.has_filename()) folder = folder.parent_path();  // "DIR/" is DIR, also before it exists
    const std::string plain = (folder / "agent.sock").string();
    if (plain.size() <= kLongestAddress) return plain;
    const std::string hash = core::sha256(core::asBytes(folder.string())).hex().substr(0, 24);
    if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && runtime[0] == '/') {
        const std::string path = std::string(runtime) + "/sunloco-" + hash + ".sock";
        if (path.size() <= kLongestAddress) return path;
    }
    return "/tmp/sunloco-" + std::to_string(::geteuid()) + "/" + hash + ".sock";
}

}  // namespace sunloco::ipc
