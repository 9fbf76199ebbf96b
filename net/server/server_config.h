// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/http_server.h"

#include <filesystem>
#include <optional>
#include <string>

namespace sunloco::server {

/// server.toml: what the operator decides. Closed schema: an unknown key is an error that names it.
struct ServerConfig {
    std::string listen;                      ///< "HOST:PORT"; empty = the last one, or 127.0.0.1:8443
    std::string publicUrl;                   ///< "https://HOST[:PORT]" as volunteers reach it; empty = the address listened on
    std::filesystem::path tlsCertificate;    ///< PEM; empty = the own certificate, which the link pins
    std::filesystem::path tlsKey;
    bool requireInvite = false;
    std::int64_t enrolmentsPerHour = 120;    ///< anonymous ones from one address
    std::string worker;                      ///< path of sunloco-worker; empty = looked for
    int workerThreads = 1;
    std::int64_t heldOutSequences = 0;       ///< measured after each round; 0 = about 65,000 tokens
    bool measureHeldOut = true;
    std::int64_t minFreeMb = 64;             ///< below it no new contribution is taken
    HttpLimits limits;
};

core::Result<ServerConfig> parseServerConfig(std::string_view toml, const std::string& where);
/// The file's content, or the defaults when it does not exist.
core::Result<ServerConfig> loadServerConfig(const std::filesystem::path& path);
/// The commented file that init writes.
std::string defaultServerToml();

struct HostPort {
    std::string host;
    std::uint16_t port = 0;
};
/// "127.0.0.1:8443", "[::1]:0", "localhost:8443" (which becomes 127.0.0.1). The error is a sentence.
core::Result<HostPort> parseHostPort(const std::string& text);

/// The worker program: what the config or SUNLOCO_WORKER names, beside this program, in ../libexec/sunloco, in PATH.
core::Result<std::filesystem::path> findWorker(const std::string& configured);

}  // namespace sunloco::server
