// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"
#include "engine/core/result.h"
#include "net/protocol/problem.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Requests and answers as values, without any header of the HTTP library.
namespace sunloco::server {

struct HttpRequest {
    std::string method;                             ///< upper case
    std::string path;                               ///< as sent, without the query
    std::string query;                              ///< without "?"
    std::map<std::string, std::string> headers;     ///< lower-case names; a repeated header was refused before
    std::string body;                               ///< empty for a streamed one
    std::string address;                            ///< the peer's IP address
    [[nodiscard]] std::string_view header(std::string_view name) const {
        const auto found = headers.find(std::string(name));
        return found == headers.end() ? std::string_view() : std::string_view(found->second);
    }
};

/// A piece of a file to send as the body.
struct FilePiece {
    std::filesystem::path path;
    std::uint64_t offset = 0;
    std::uint64_t count = 0;
};

struct HttpResponse {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::optional<FilePiece> file;                  ///< instead of `body`
    bool close = false;                             ///< end the connection after this answer
};

/// Takes a body as it arrives. Called on the network thread: quick, never blocks for long.
class BodySink {
public:
    virtual ~BodySink() = default;
    virtual core::Result<void> write(core::ByteView bytes) = 0;
};

/// What to do with the body of a request whose head was read.
struct BodyPlan {
    std::optional<HttpResponse> refuse;             ///< answered at once and the connection closed, the body stays unread
    std::uint64_t maxBytes = 0;                     ///< a longer Content-Length is refused before a byte is read
    std::shared_ptr<BodySink> sink;                 ///< empty: into `HttpRequest::body`
};

/// The application behind the HTTP server. Both are called on the server's worker threads, several at a time.
class HttpHandler {
public:
    virtual ~HttpHandler() = default;
    virtual BodyPlan plan(const HttpRequest& head) = 0;
    virtual HttpResponse handle(HttpRequest request, const std::shared_ptr<BodySink>& sink) = 0;
    /// Bytes of a body that were really sent, for the round's statistics.
    virtual void sent(const HttpRequest& request, std::uint64_t bytes) = 0;
};

/// An error answer as problem document; `close` for errors that leave the body unread.
HttpResponse problemResponse(const protocol::Problem& problem);
HttpResponse problemResponse(protocol::ProblemCode code, std::string detail, std::optional<std::int64_t> retryAfterMs = {});
HttpResponse jsonResponse(int status, std::string body);

}  // namespace sunloco::server
