// SPDX-License-Identifier: Apache-2.0
#pragma once
// Private to the HTTP server: one connection.
#include "net/server/http_server.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <functional>

namespace sunloco::server {

/// What all connections share; owned by the server, which outlives them.
struct ConnectionShared {
    const HttpLimits& limits;
    HttpHandler& handler;
    boost::asio::ssl::context& tls;
    boost::asio::thread_pool& workers;
    const std::atomic<bool>& stopping;
};

/// Serves one connection to its end. Never throws. `cancelIdle` is set while the connection waits for a request: calling it ends the wait.
boost::asio::awaitable<void> serveConnection(boost::asio::ip::tcp::socket socket, std::string address, ConnectionShared& shared,
                                             std::function<void()>& cancelIdle);

}  // namespace sunloco::server
