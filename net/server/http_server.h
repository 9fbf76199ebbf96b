// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/http_types.h"

#include <atomic>
#include <memory>

namespace sunloco::server {

struct HttpLimits {
    std::size_t maxHeaderBytes = 8 * 1024;
    int readSeconds = 30;                    ///< without a single byte
    int headerSeconds = 15;                  ///< for the whole head, TLS handshake apart
    int requestSeconds = 900;                ///< for a whole request with its answer
    int idleSeconds = 60;                    ///< between two requests of a connection
    int handshakeSeconds = 15;
    std::int64_t minBytesPerSecond = 256;    ///< of a body or an answer, after the grace
    int minRateGraceSeconds = 10;
    std::size_t maxConnections = 2'000;
    std::size_t maxPerAddress = 64;
    int workerThreads = 4;
    int stopSeconds = 10;                    ///< what running requests get when the server stops
};

struct HttpOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;                  ///< 0 = any free one
    std::filesystem::path certificate;       ///< PEM, with the chain
    std::filesystem::path key;               ///< PEM
    HttpLimits limits;
};

/// HTTP/1.1 over TLS 1.2+ on Boost.Beast: one network thread with a coroutine for each connection, a few worker threads for the handler.
/// After an error that leaves a body unread the connection is always closed, so that the rest of the body is never taken for a request.
class HttpServer {
public:
    HttpServer(HttpOptions options, HttpHandler& handler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// Binds and listens; Busy with a sentence when the port is taken. Nobody is answered yet.
    core::Result<void> bind();
    /// The port that `bind` got.
    [[nodiscard]] std::uint16_t port() const;
    /// Starts to answer.
    void start();
    /// Stops accepting, lets running requests finish (up to `stopSeconds`), then returns.
    void stop();

    [[nodiscard]] std::size_t connections() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace sunloco::server
