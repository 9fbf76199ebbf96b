// SPDX-License-Identifier: Apache-2.0
#include "net/server/http_server.h"

#include "net/server/http_connection.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/ssl.h>

#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <thread>

namespace sunloco::server {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

/// One address, or one IPv6 network of a customer: what the per-address limit counts.
std::string countedAddress(const tcp::endpoint& peer) {
    auto address = peer.address();
    if (address.is_v6() && address.to_v6().is_v4_mapped()) { address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()); }
    if (!address.is_v6()) { return address.to_string(); }
    auto bytes = address.to_v6().to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), std::uint8_t{0});
    return asio::ip::make_address_v6(bytes).to_string() + "/64";
}

/// ALPN: HTTP/1.1 is what we speak.
int chooseProtocol(SSL*, const unsigned char** out, unsigned char* outLength, const unsigned char* in, unsigned int inLength, void*) {
    static constexpr unsigned char ours[] = "\x08http/1.1";
    unsigned char* chosen = nullptr;
    if (SSL_select_next_proto(&chosen, outLength, ours, sizeof ours - 1, in, inLength) != OPENSSL_NPN_NEGOTIATED) { return SSL_TLSEXT_ERR_NOACK; }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

Error bindError(const boost::system::error_code& ec, const HttpOptions& options) {
    const std::string where = options.host + ":" + std::to_string(options.port);
    if (ec == asio::error::address_in_use) {
        return {ErrorCode::Busy, "another program is using the port already. Stop it, or choose another port with --listen HOST:PORT", where};
    }
    if (ec == asio::error::access_denied) {
        return {ErrorCode::PermissionDenied, "this user may not use the port; ports below 1024 belong to the administrator. Choose another with --listen HOST:PORT", where};
    }
    return {ErrorCode::Network, "the address cannot be listened on: " + ec.message() + ". Choose one of this computer's addresses with --listen HOST:PORT", where};
}

}  // namespace

class HttpServer::Impl {
public:
    Impl(HttpOptions options, HttpHandler& handler)
        : m_options(std::move(options)), m_tls(asio::ssl::context::tls_server), m_workers(static_cast<std::size_t>(m_options.limits.workerThreads)), m_acceptor(m_io),
          m_shared{m_options.limits, handler, m_tls, m_workers, m_stopping} {}

    ~Impl() {
        stop();
    }

    Result<void> bind() {
        boost::system::error_code ec;
        m_tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_sslv2 | asio::ssl::context::no_sslv3 | asio::ssl::context::no_tlsv1 |
                              asio::ssl::context::no_tlsv1_1 | asio::ssl::context::no_compression, ec);
        m_tls.use_certificate_chain_file(m_options.certificate.string(), ec);
        if (ec) { return Error{ErrorCode::InvalidArgument, "the TLS certificate cannot be used: " + ec.message(), m_options.certificate.string()}; }
        m_tls.use_private_key_file(m_options.key.string(), asio::ssl::context::pem, ec);
        if (ec) { return Error{ErrorCode::InvalidArgument, "the TLS key cannot be used (it must be a PEM file that fits the certificate): " + ec.message(), m_options.key.string()}; }
        ::SSL_CTX_set_alpn_select_cb(m_tls.native_handle(), &chooseProtocol, nullptr);

        const auto address = asio::ip::make_address(m_options.host, ec);
        if (ec) { return Error{ErrorCode::InvalidArgument, "the address to listen on must be a number, such as 0.0.0.0, 127.0.0.1 or [::]", m_options.host}; }
        const tcp::endpoint endpoint(address, m_options.port);
        m_acceptor.open(endpoint.protocol(), ec);
        if (!ec) { m_acceptor.set_option(tcp::acceptor::reuse_address(true), ec); }
        if (!ec) { m_acceptor.bind(endpoint, ec); }
        if (!ec) { m_acceptor.listen(asio::socket_base::max_listen_connections, ec); }
        if (ec) { return bindError(ec, m_options); }
        m_port = m_acceptor.local_endpoint(ec).port();
        return {};
    }

    void start() {
        asio::co_spawn(m_io, accept(), asio::detached);
        m_thread = std::thread([this] { m_io.run(); });
    }

    [[nodiscard]] std::uint16_t port() const { return m_port; }
    [[nodiscard]] std::size_t connections() const { return m_count.load(); }

    void stop() {
        if (!m_thread.joinable()) { return; }
        m_stopping.store(true);
        asio::post(m_io, [this] {
            boost::system::error_code ignored;
            m_acceptor.close(ignored);
            for (auto& live : m_live) {
                if (live.cancelIdle) { live.cancelIdle(); }
            }
        });
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait_for(lock, std::chrono::seconds(m_options.limits.stopSeconds), [this] { return m_count.load() == 0; });
        }
        m_guard.reset();
        m_io.stop();
        m_workers.join();
        m_thread.join();
    }

private:
    struct Live {
        std::function<void()> cancelIdle;
    };

    awaitable<void> accept() {
        asio::steady_timer pause(m_io);
        while (!m_stopping.load()) {
            auto [failed, socket] = co_await m_acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
            if (failed) {
                if (m_stopping.load()) { co_return; }
                // Out of file descriptors and the like: wait a little, the running connections go on.
                pause.expires_after(std::chrono::milliseconds(100));
                const auto [ignored] = co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
                static_cast<void>(ignored);
                continue;
            }
            boost::system::error_code ec;
            const auto peer = socket.remote_endpoint(ec);
            if (ec) { continue; }
            std::string address = countedAddress(peer);
            if (m_count.load() >= m_options.limits.maxConnections || m_perAddress[address] >= m_options.limits.maxPerAddress) {
                socket.close(ec);
                if (m_perAddress[address] == 0) { m_perAddress.erase(address); }
                continue;
            }
            socket.set_option(tcp::no_delay(true), ec);
            ++m_perAddress[address];
            ++m_count;
            m_live.emplace_back();
            asio::co_spawn(m_io, serve(std::move(socket), std::move(address), std::prev(m_live.end())), asio::detached);
        }
    }

    awaitable<void> serve(tcp::socket socket, std::string address, std::list<Live>::iterator live) {
        co_await serveConnection(std::move(socket), address, m_shared, live->cancelIdle);
        m_live.erase(live);
        if (--m_perAddress[address] == 0) { m_perAddress.erase(address); }
        const std::lock_guard lock(m_mutex);
        --m_count;
        m_changed.notify_all();
    }

    HttpOptions m_options;
    asio::ssl::context m_tls;
    asio::io_context m_io{1};
    asio::executor_work_guard<asio::io_context::executor_type> m_guard{m_io.get_executor()};
    asio::thread_pool m_workers;
    tcp::acceptor m_acceptor;
    std::atomic<bool> m_stopping{false};
    ConnectionShared m_shared;
    std::thread m_thread;
    std::uint16_t m_port = 0;
    // Network thread only:
    std::list<Live> m_live;
    std::map<std::string, std::size_t> m_perAddress;
    // Both threads:
    std::atomic<std::size_t> m_count{0};
    std::mutex m_mutex;
    std::condition_variable m_changed;
};

HttpServer::HttpServer(HttpOptions options, HttpHandler& handler) : m_impl(std::make_unique<Impl>(std::move(options), handler)) {}
HttpServer::~HttpServer() = default;
Result<void> HttpServer::bind() { return m_impl->bind(); }
void HttpServer::start() { m_impl->start(); }
std::uint16_t HttpServer::port() const { return m_impl->port(); }
void HttpServer::stop() { m_impl->stop(); }
std::size_t HttpServer::connections() const { return m_impl->connections(); }

}  // namespace sunloco::server
