// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/server/server_config.h"

#include <functional>

namespace sunloco::server {

struct ServeOptions {
    std::filesystem::path folder;
    std::string listen;                  ///< overrides server.toml
    std::filesystem::path config;        ///< instead of FOLDER/server.toml
    std::string publicUrl;               ///< overrides server.toml
};

struct ServeReady {
    std::string link;
    std::string listen;                  ///< "127.0.0.1:40123"
    std::uint16_t port = 0;
};

/// A project being served: lock, HTTP server, round keeper, held-out meter. Everything runs on threads of its own between `start` and `stop`.
class ProjectServer {
public:
    explicit ProjectServer(ServeOptions options, const core::Clock& clock);
    ~ProjectServer();
    ProjectServer(const ProjectServer&) = delete;
    ProjectServer& operator=(const ProjectServer&) = delete;

    core::Result<ServeReady> start();
    /// Graceful: no new connections, running requests and a running merge are finished, the database is tidied.
    void stop();

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

/// `serve DIR` of the command line: starts, tells `ready`, waits for SIGTERM or SIGINT, stops. Call it before any other thread is started.
core::Result<void> serveUntilSignal(const ServeOptions& options, const std::function<void(const ServeReady&)>& ready);

}  // namespace sunloco::server
