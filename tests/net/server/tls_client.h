// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

/// A client as plain as can be: bytes over TLS, so that tests can send what no library would send.
namespace sunloco::test {

struct Answer {
    int status = 0;
    std::map<std::string, std::string> headers;   ///< lower-case names
    std::string body;
};

class TlsClient {
public:
    /// Connects to 127.0.0.1; whose certificate it is plays no part here. Not connected: see `connected`.
    explicit TlsClient(std::uint16_t port);
    ~TlsClient();
    TlsClient(const TlsClient&) = delete;
    TlsClient& operator=(const TlsClient&) = delete;

    [[nodiscard]] bool connected() const;
    /// False when the server has closed the connection.
    bool send(const std::string& bytes);
    /// One answer; empty when the connection ended before it was whole, or nothing came for `seconds`.
    std::optional<Answer> read(int seconds = 20, bool toHead = false);
    /// True when the server ends the connection within `seconds`; anything it still sends is dropped.
    bool closedWithin(int seconds);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// One request on a connection of its own; `extra` is whole header lines with line ends.
std::optional<Answer> request(std::uint16_t port, const std::string& method, const std::string& path, const std::string& extra = {}, const std::string& body = {});

}  // namespace sunloco::test
