// SPDX-License-Identifier: Apache-2.0
#include "tls_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace sunloco::test {

struct TlsClient::Impl {
    int fd = -1;
    SSL_CTX* context = nullptr;
    SSL* ssl = nullptr;
    std::string buffer;

    /// More bytes into the buffer: 1 = got some, 0 = closed, -1 = nothing came in time.
    int fill(int seconds) {
        for (;;) {
            if (SSL_pending(ssl) == 0) {
                pollfd wait{fd, POLLIN, 0};
                const int ready = ::poll(&wait, 1, seconds * 1000);
                if (ready < 0 && errno == EINTR) { continue; }   // a child of the server has ended
                if (ready <= 0) { return -1; }
            }
            std::array<char, 16'384> chunk{};
            const int n = SSL_read(ssl, chunk.data(), static_cast<int>(chunk.size()));
            if (n > 0) {
                buffer.append(chunk.data(), static_cast<std::size_t>(n));
                return 1;
            }
            if (SSL_get_error(ssl, n) != SSL_ERROR_WANT_READ || errno != EINTR) { return 0; }
        }
    }
};

TlsClient::TlsClient(std::uint16_t port) : m_impl(std::make_unique<Impl>()) {
    std::signal(SIGPIPE, SIG_IGN);
    m_impl->fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval patience{30, 0};
    ::setsockopt(m_impl->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(m_impl->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(m_impl->fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) { return; }
    m_impl->context = SSL_CTX_new(TLS_client_method());
    m_impl->ssl = SSL_new(m_impl->context);
    SSL_set_fd(m_impl->ssl, m_impl->fd);
    if (SSL_connect(m_impl->ssl) != 1) {
        SSL_free(m_impl->ssl);
        m_impl->ssl = nullptr;
    }
}

TlsClient::~TlsClient() {
    if (m_impl->ssl != nullptr) { SSL_free(m_impl->ssl); }
    if (m_impl->context != nullptr) { SSL_CTX_free(m_impl->context); }
    if (m_impl->fd >= 0) { ::close(m_impl->fd); }
}

bool TlsClient::connected() const { return m_impl->ssl != nullptr; }

bool TlsClient::send(const std::string& bytes) {
    if (!connected()) { return false; }
    return bytes.empty() || SSL_write(m_impl->ssl, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
}

std::optional<Answer> TlsClient::read(int seconds, bool toHead) {
    if (!connected()) { return std::nullopt; }
    std::string& text = m_impl->buffer;
    while (text.find("\r\n\r\n") == std::string::npos) {
        if (m_impl->fill(seconds) != 1) { return std::nullopt; }
    }
    const auto end = text.find("\r\n\r\n");
    Answer answer;
    answer.status = std::atoi(text.c_str() + text.find(' ') + 1);
    for (std::size_t at = text.find("\r\n") + 2; at < end + 2;) {
        const auto line = text.substr(at, text.find("\r\n", at) - at);
        at += line.size() + 2;
        const auto colon = line.find(':');
        if (colon == std::string::npos) { continue; }
        std::string key = line.substr(0, colon);
        std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        answer.headers[key] = line.substr(line.find_first_not_of(' ', colon + 1));
    }
    text.erase(0, end + 4);
    if (toHead || answer.status == 100) { return answer; }
    const std::size_t length = answer.headers.count("content-length") != 0 ? std::stoul(answer.headers["content-length"]) : 0;
    while (text.size() < length) {
        if (m_impl->fill(seconds) != 1) { return std::nullopt; }
    }
    answer.body = text.substr(0, length);
    text.erase(0, length);
    return answer;
}

bool TlsClient::closedWithin(int seconds) {
    if (!connected()) { return true; }
    for (;;) {
        const int got = m_impl->fill(seconds);
        if (got == 0) { return true; }
        if (got < 0) { return false; }
    }
}

std::optional<Answer> request(std::uint16_t port, const std::string& method, const std::string& path, const std::string& extra, const std::string& body) {
    TlsClient client(port);
    std::string text = method + " " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\nConnection: close\r\n" + extra;
    if (method != "GET" && method != "HEAD" && extra.find("Content-Length") == std::string::npos && extra.find("content-length") == std::string::npos) {
        text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    }
    client.send(text + "\r\n" + body);
    return client.read(20, method == "HEAD");
}

}  // namespace sunloco::test
