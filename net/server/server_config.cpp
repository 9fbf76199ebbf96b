// SPDX-License-Identifier: Apache-2.0
#include "net/server/server_config.h"

#include "engine/core/files.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>

namespace sunloco::server {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

/// Reads one value; the text is what was expected when it does not fit.
using Reader = std::function<const char*(const toml::node&)>;

Reader textInto(std::string& out) {
    return [&out](const toml::node& node) -> const char* {
        const auto value = node.value_exact<std::string>();
        if (!value) { return "a text in quotes"; }
        out = *value;
        return nullptr;
    };
}

Reader pathInto(fs::path& out) {
    return [&out](const toml::node& node) -> const char* {
        const auto value = node.value_exact<std::string>();
        if (!value) { return "a path in quotes"; }
        out = *value;
        return nullptr;
    };
}

Reader flagInto(bool& out) {
    return [&out](const toml::node& node) -> const char* {
        const auto value = node.value_exact<bool>();
        if (!value) { return "true or false"; }
        out = *value;
        return nullptr;
    };
}

template <typename T>
Reader numberInto(T& out, std::int64_t min, std::int64_t max) {
    return [&out, min, max](const toml::node& node) -> const char* {
        const auto value = node.value_exact<std::int64_t>();
        if (!value || *value < min || *value > max) { return "a whole number within its range (see the comments of the file that init writes)"; }
        out = static_cast<T>(*value);
        return nullptr;
    };
}

std::string lineOf(const toml::node& node) { return "line " + std::to_string(node.source().begin.line); }

}  // namespace

Result<ServerConfig> parseServerConfig(std::string_view text, const std::string& where) {
    const toml::parse_result parsed = toml::parse(text, where);
    if (!parsed) {
        std::ostringstream line;
        line << "this is not valid TOML: " << parsed.error().description() << " (line " << parsed.error().source().begin.line << ")";
        return Error{ErrorCode::InvalidData, line.str(), where};
    }
    ServerConfig config;
    const std::map<std::string, Reader> known = {
        {"listen", textInto(config.listen)},
        {"public_url", textInto(config.publicUrl)},
        {"require_invite", flagInto(config.requireInvite)},
        {"enrolments_per_hour", numberInto(config.enrolmentsPerHour, 0, 1'000'000)},
        {"worker", textInto(config.worker)},
        {"worker_threads", numberInto(config.workerThreads, 1, 256)},
        {"measure_held_out", flagInto(config.measureHeldOut)},
        {"held_out_sequences", numberInto(config.heldOutSequences, 0, 100'000'000)},
        {"min_free_mb", numberInto(config.minFreeMb, 0, 1'000'000'000)},
        {"tls.certificate", pathInto(config.tlsCertificate)},
        {"tls.key", pathInto(config.tlsKey)},
        {"limits.connections", numberInto(config.limits.maxConnections, 1, 100'000)},
        {"limits.connections_per_address", numberInto(config.limits.maxPerAddress, 1, 100'000)},
        {"limits.read_seconds", numberInto(config.limits.readSeconds, 1, 3'600)},
        {"limits.header_seconds", numberInto(config.limits.headerSeconds, 1, 3'600)},
        {"limits.request_seconds", numberInto(config.limits.requestSeconds, 1, 86'400)},
        {"limits.idle_seconds", numberInto(config.limits.idleSeconds, 1, 3'600)},
        {"limits.min_bytes_per_second", numberInto(config.limits.minBytesPerSecond, 0, 1'000'000)},
        {"limits.min_rate_grace_seconds", numberInto(config.limits.minRateGraceSeconds, 0, 3'600)},
        {"limits.threads", numberInto(config.limits.workerThreads, 1, 256)},
    };
    std::optional<Error> fault;
    const auto readTable = [&](const toml::table& table, const std::string& prefix, const auto& self) -> void {
        for (const auto& [key, node] : table) {
            if (fault) { return; }
            const std::string full = prefix + std::string(key.str());
            const auto reader = known.find(full);
            if (reader != known.end()) {
                if (const char* expected = reader->second(node)) {
                    fault = Error{ErrorCode::InvalidArgument, "the value of \"" + full + "\" must be " + expected, where + ", " + lineOf(node)};
                }
            } else if (node.is_table() && prefix.empty() && (full == "tls" || full == "limits")) {
                self(*node.as_table(), full + ".", self);
            } else {
                fault = Error{ErrorCode::InvalidArgument, "there is no setting \"" + full + "\"; remove it or correct its spelling", where + ", " + lineOf(node)};
            }
        }
    };
    readTable(parsed.table(), "", readTable);
    if (fault) { return *fault; }
    if (config.tlsCertificate.empty() != config.tlsKey.empty()) {
        return Error{ErrorCode::InvalidArgument, "tls.certificate and tls.key belong together: set both or none", where};
    }
    if (!config.publicUrl.empty() && config.publicUrl.rfind("https://", 0) != 0) {
        return Error{ErrorCode::InvalidArgument, "public_url must begin with https://", where};
    }
    return config;
}

Result<ServerConfig> loadServerConfig(const fs::path& path) {
    std::error_code ec;
    if (!fs::exists(path, ec)) { return ServerConfig{}; }
    const auto text = core::readTextFile(path, 1 << 20);
    if (!text) { return text.error(); }
    auto config = parseServerConfig(*text, path.string());
    if (config) {
        // Relative to the file, so that the folder can be moved.
        for (fs::path* file : {&config->tlsCertificate, &config->tlsKey}) {
            if (!file->empty() && file->is_relative()) { *file = path.parent_path() / *file; }
        }
    }
    return config;
}

std::string defaultServerToml() {
    return R"(# Settings of sunloco-server for this project. An unknown key is an error. Restart the server after a change.

# listen = "0.0.0.0:8443"              # address and port; without it the last one, at first 127.0.0.1:8443 (this computer only)
# public_url = "https://example.org"   # how volunteers reach the server, when that is not the address above
# require_invite = false               # true: only with a code of `sunloco-server invite`
# enrolments_per_hour = 120            # devices without invitation that may join from one address; 0 = no limit
# worker = "/usr/bin/sunloco-worker"   # measures the held-out loss; looked for beside the server and in PATH when not named
# worker_threads = 1
# measure_held_out = true
# held_out_sequences = 0               # how many sequences are measured after each round; 0 = about 65,000 tokens
# min_free_mb = 64                     # with less free space no contribution is taken

# [tls]                                # without these two the project's own certificate is used, and the link pins its key
# certificate = "fullchain.pem"
# key = "privkey.pem"

# [limits]
# connections = 2000
# connections_per_address = 64
# read_seconds = 30                    # a connection that sends nothing for so long is closed
# header_seconds = 15
# request_seconds = 900
# idle_seconds = 60
# min_bytes_per_second = 256
# min_rate_grace_seconds = 10
# threads = 4
)";
}

Result<HostPort> parseHostPort(const std::string& text) {
    const Error bad{ErrorCode::InvalidArgument, "the address to listen on must be HOST:PORT, for example 0.0.0.0:8443 or [::]:8443; port 0 takes any free one", text};
    const auto colon = text.rfind(':');
    if (colon == std::string::npos || colon + 1 == text.size() || text.size() - colon > 6) { return bad; }
    HostPort out;
    out.host = text.substr(0, colon);
    if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']') {
        out.host = out.host.substr(1, out.host.size() - 2);
    } else if (out.host.find(':') != std::string::npos) {
        return bad;
    }
    if (out.host == "localhost") { out.host = "127.0.0.1"; }
    if (out.host.empty()) { return bad; }
    int port = 0;
    for (const char c : text.substr(colon + 1)) {
        if (c < '0' || c > '9') { return bad; }
        port = port * 10 + (c - '0');
    }
    if (port > 65'535) { return bad; }
    out.port = static_cast<std::uint16_t>(port);
    return out;
}

Result<fs::path> findWorker(const std::string& configured) {
    const auto runnable = [](const fs::path& path) {
        std::error_code ec;
        return fs::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
    };
    std::string wanted = configured;
    if (const char* named = std::getenv("SUNLOCO_WORKER"); wanted.empty() && named != nullptr) { wanted = named; }
    if (!wanted.empty()) {
        if (runnable(wanted)) { return fs::path(wanted); }
        return Error{ErrorCode::NotFound, "the worker program that was named is not there or cannot be run", wanted};
    }
    std::error_code ec;
    const fs::path self = fs::read_symlink("/proc/self/exe", ec);
    if (!ec) {
        for (const fs::path& path : {self.parent_path() / "sunloco-worker", self.parent_path() / "../libexec/sunloco/sunloco-worker"}) {
            if (runnable(path)) { return path.lexically_normal(); }
        }
    }
    std::istringstream folders(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (const fs::path path = fs::path(folder) / "sunloco-worker"; !folder.empty() && runnable(path)) { return path; }
    }
    return Error{ErrorCode::NotFound, "sunloco-worker was not found beside this program, in ../libexec/sunloco or in PATH", self.parent_path().string()};
}

}  // namespace sunloco::server
