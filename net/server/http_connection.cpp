// SPDX-License-Identifier: Apache-2.0
#include "net/server/http_connection.h"

#include "engine/core/files.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace sunloco::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using protocol::ProblemCode;
using SteadyTime = std::chrono::steady_clock::time_point;
using Parser = http::request_parser<http::buffer_body>;

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kBodyChunk = 64 * 1024;
constexpr std::size_t kFileChunk = 256 * 1024;
constexpr std::size_t kMaxDrained = 16 * 1024 * 1024;
constexpr int kDrainSeconds = 1;

/// Headers that mean something else when they stand there twice.
constexpr std::array<std::string_view, 10> kOnce = {"host", "content-length", "transfer-encoding", "content-digest", "signature", "signature-input",
                                                    "authorization", "idempotency-key", "content-type", "range"};

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
    return out;
}

std::string httpDate() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 40> text{};
    static constexpr std::array<const char*, 7> days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array<const char*, 12> months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT", days[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                  months[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
    return text.data();
}

/// Runs `work` on the worker threads and comes back to the network thread with its answer.
template <typename Answer, typename Work>
awaitable<Answer> onWorkers(asio::thread_pool& pool, Work& work) {
    auto initiate = [&pool, &work](auto handler) {
        asio::post(pool, [&work, handler = std::move(handler)]() mutable {
            Answer answer = work();
            auto executor = asio::get_associated_executor(handler);
            asio::post(executor, [handler = std::move(handler), answer = std::move(answer)]() mutable { std::move(handler)(std::move(answer)); });
        });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Answer)>(initiate, asio::use_awaitable);
}

/// Whether a transfer keeps the minimum rate, after a grace that lets connections get going.
class RateWatch {
public:
    explicit RateWatch(const HttpLimits& limits) : m_limits(limits), m_start(std::chrono::steady_clock::now()) {}
    void add(std::size_t bytes) { m_bytes += static_cast<std::int64_t>(bytes); }
    [[nodiscard]] bool tooSlow() const {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - m_start).count();
        return seconds > m_limits.minRateGraceSeconds && m_bytes < seconds * m_limits.minBytesPerSecond;
    }

private:
    const HttpLimits& m_limits;
    SteadyTime m_start;
    std::int64_t m_bytes = 0;
};

class Connection {
public:
    Connection(asio::ip::tcp::socket socket, std::string address, ConnectionShared& shared, std::function<void()>& cancelIdle)
        : m_stream(beast::tcp_stream(std::move(socket)), shared.tls), m_address(std::move(address)), m_shared(shared), m_cancelIdle(cancelIdle) {}

    awaitable<void> run() {
        expire(m_shared.limits.handshakeSeconds);
        const auto [failed] = co_await m_stream.async_handshake(asio::ssl::stream_base::server, kToken);
        if (failed) { co_return; }
        bool goesOn = true;
        while (goesOn && !m_shared.stopping.load()) { goesOn = co_await oneRequest(); }
        expire(kDrainSeconds);
        const auto [ignored] = co_await m_stream.async_shutdown(kToken);
        static_cast<void>(ignored);
    }

private:
    void expire(int seconds) { beast::get_lowest_layer(m_stream).expires_after(std::chrono::seconds(seconds)); }
    [[nodiscard]] int secondsLeft() const {
        const auto left = std::chrono::duration_cast<std::chrono::seconds>(m_deadline - std::chrono::steady_clock::now()).count();
        return static_cast<int>(std::clamp<std::int64_t>(left, 1, m_shared.limits.readSeconds));
    }
    [[nodiscard]] bool overdue() const { return std::chrono::steady_clock::now() > m_deadline; }

    /// False ends the connection.
    awaitable<bool> oneRequest() {
        if (m_buffer.size() == 0) {
            m_cancelIdle = [this] { beast::get_lowest_layer(m_stream).cancel(); };
            expire(m_shared.limits.idleSeconds);
            const auto [failed, count] = co_await m_stream.async_read_some(m_buffer.prepare(4096), kToken);
            m_cancelIdle = nullptr;
            if (failed || m_shared.stopping.load()) { co_return false; }
            m_buffer.commit(count);
        }
        m_deadline = std::chrono::steady_clock::now() + std::chrono::seconds(m_shared.limits.requestSeconds);
        Parser parser;
        parser.header_limit(static_cast<std::uint32_t>(m_shared.limits.maxHeaderBytes));
        parser.body_limit(boost::none);
        expire(m_shared.limits.headerSeconds);
        const auto [headFailed, headBytes] = co_await http::async_read_header(m_stream, m_buffer, parser, kToken);
        static_cast<void>(headBytes);
        HttpRequest request;
        request.address = m_address;
        if (headFailed == http::error::header_limit) { co_return co_await refuse(request, problemResponse(ProblemCode::HeadersTooLarge, "The request's headers are too long.")); }
        if (headFailed && headFailed.category() == http::make_error_code(http::error::bad_method).category() && headFailed != http::error::end_of_stream &&
            headFailed != http::error::partial_message) {
            co_return co_await refuse(request, problemResponse(ProblemCode::BadRequest, "This is not a well-formed HTTP/1.1 request: " + headFailed.message() + "."));
        }
        if (headFailed) { co_return false; }
        if (auto bad = readHead(parser, request)) { co_return co_await refuse(request, std::move(*bad)); }

        auto makePlan = [&]() -> BodyPlan {
            try {
                return m_shared.handler.plan(request);
            } catch (const std::exception& e) {
                return {problemResponse(ProblemCode::InternalError, std::string("The server failed: ") + e.what()), 0, nullptr};
            }
        };
        BodyPlan plan = co_await onWorkers<BodyPlan>(m_shared.workers, makePlan);
        if (plan.refuse) { co_return co_await refuse(request, std::move(*plan.refuse)); }
        const std::uint64_t length = parser.content_length().value_or(0);
        if (length > plan.maxBytes) {
            co_return co_await refuse(request, problemResponse(ProblemCode::TooLarge, "The body has " + std::to_string(length) + " bytes; at most " +
                                                                                          std::to_string(plan.maxBytes) + " are taken here."));
        }
        if (length > 0) {
            if (lower(request.header("expect")) == "100-continue") {
                static constexpr std::string_view goOn = "HTTP/1.1 100 Continue\r\n\r\n";
                expire(secondsLeft());
                const auto [failed, n] = co_await asio::async_write(m_stream, asio::buffer(goOn), kToken);
                static_cast<void>(n);
                if (failed) { co_return false; }
            }
            HttpResponse bad;
            const Body body = co_await readBody(parser, request, plan, bad);
            if (body == Body::Refused) { co_return co_await refuse(request, std::move(bad)); }
            if (body == Body::Lost) { co_return false; }
        }
        auto work = [&]() -> HttpResponse {
            try {
                return m_shared.handler.handle(std::move(request), plan.sink);
            } catch (const std::exception& e) {
                return problemResponse(ProblemCode::InternalError, std::string("The server failed: ") + e.what());
            }
        };
        HttpRequest head;   // what is left of it for the statistics
        head.method = request.method;
        head.path = request.path;
        HttpResponse response = co_await onWorkers<HttpResponse>(m_shared.workers, work);
        response.close = response.close || !parser.keep_alive() || m_shared.stopping.load();
        const bool written = co_await send(head, response);
        co_return written && !response.close;
    }

    std::optional<HttpResponse> readHead(const Parser& parser, HttpRequest& request) {
        const auto& message = parser.get();
        request.method = std::string(message.method_string());
        const std::string target(message.target());
        const auto question = target.find('?');
        request.path = target.substr(0, question);
        request.query = question == std::string::npos ? std::string() : target.substr(question + 1);
        for (const auto& field : message) {
            const std::string key = lower(field.name_string());
            const std::string value(field.value());
            const auto [place, isNew] = request.headers.emplace(key, value);
            if (isNew) { continue; }
            if (std::find(kOnce.begin(), kOnce.end(), key) != kOnce.end()) {
                return problemResponse(ProblemCode::BadRequest, "The header " + key + " may stand in a request only once.");
            }
            place->second += ", " + value;
        }
        if (message.version() != 11 && message.version() != 10) { return problemResponse(ProblemCode::BadRequest, "Only HTTP/1.1 is spoken here."); }
        if (request.headers.count("transfer-encoding") != 0) {
            if (request.headers.count("content-length") != 0) {
                return problemResponse(ProblemCode::BadRequest, "Content-Length and Transfer-Encoding together are refused: two servers could read two different requests.");
            }
            return problemResponse(ProblemCode::LengthRequired, "Transfer-Encoding is not taken; send Content-Length.");
        }
        if (request.path.empty() || request.path.front() != '/') { return problemResponse(ProblemCode::BadRequest, "The request's target must be a path."); }
        if (request.headers.count("host") == 0) { return problemResponse(ProblemCode::BadRequest, "The header host is missing."); }
        const bool hasBody = request.method != "GET" && request.method != "HEAD";
        if (hasBody && !parser.content_length()) { return problemResponse(ProblemCode::LengthRequired, "Content-Length is missing."); }
        if (!hasBody && parser.content_length().value_or(0) > 0) { return problemResponse(ProblemCode::BadRequest, "A GET request has no body."); }
        return std::nullopt;
    }

    enum class Body { Whole, Refused, Lost };
    awaitable<Body> readBody(Parser& parser, HttpRequest& request, const BodyPlan& plan, HttpResponse& bad) {
        std::vector<std::uint8_t> chunk(kBodyChunk);
        RateWatch rate(m_shared.limits);
        if (!plan.sink) { request.body.reserve(static_cast<std::size_t>(parser.content_length().value_or(0))); }
        while (!parser.is_done()) {
            parser.get().body().data = chunk.data();
            parser.get().body().size = chunk.size();
            expire(secondsLeft());
            auto [failed, used] = co_await http::async_read_some(m_stream, m_buffer, parser, kToken);
            static_cast<void>(used);
            if (failed == http::error::need_buffer) { failed = {}; }
            if (failed) { co_return Body::Lost; }
            const std::size_t got = chunk.size() - parser.get().body().size;
            const core::ByteView bytes(chunk.data(), got);
            if (plan.sink) {
                if (const auto written = plan.sink->write(bytes); !written) {
                    const bool full = written.error().code == core::ErrorCode::DiskFull;
                    bad = full ? problemResponse(ProblemCode::StorageFull, "The server's disk is full.", 60'000)
                               : problemResponse(ProblemCode::InternalError, "The server could not store the bytes.");
                    co_return Body::Refused;
                }
            } else {
                request.body.append(bytes.begin(), bytes.end());
            }
            rate.add(got);
            if (rate.tooSlow() || overdue()) {
                bad = problemResponse(ProblemCode::RequestTimeout, "The body came too slowly.");
                co_return Body::Refused;
            }
        }
        co_return Body::Whole;
    }

    /// Answers, then reads and drops what the client is still sending, so that the answer is not lost to a reset of the connection.
    awaitable<bool> refuse(const HttpRequest& request, HttpResponse response) {
        response.close = true;
        if (!co_await send(request, response)) { co_return false; }
        std::vector<std::uint8_t> chunk(kBodyChunk);
        std::size_t dropped = 0;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kDrainSeconds);
        expire(kDrainSeconds);
        while (dropped < kMaxDrained && std::chrono::steady_clock::now() < until) {
            const auto [failed, count] = co_await m_stream.async_read_some(asio::buffer(chunk), kToken);
            if (failed) { break; }
            dropped += count;
        }
        co_return false;
    }

    awaitable<bool> send(const HttpRequest& request, HttpResponse& response) {
        const std::uint64_t length = response.file ? response.file->count : response.body.size();
        std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " +
                           std::string(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)))) + "\r\n";
        head += "Date: " + httpDate() + "\r\nX-Content-Type-Options: nosniff\r\nContent-Length: " + std::to_string(length) + "\r\n";
        if (response.close) { head += "Connection: close\r\n"; }
        for (const auto& [key, value] : response.headers) { head += key + ": " + value + "\r\n"; }
        head += "\r\n";
        const bool withBody = request.method != "HEAD";
        if (withBody && !response.file) { head += response.body; }
        m_rate.emplace(m_shared.limits);
        if (!co_await write(asio::buffer(head))) { co_return false; }
        if (withBody && response.file && !co_await sendFile(*response.file)) { co_return false; }
        if (withBody) { m_shared.handler.sent(request, length); }
        co_return true;
    }

    awaitable<bool> write(asio::const_buffer bytes) {
        // In pieces, so that the timer watches progress and not the whole answer.
        while (bytes.size() > 0) {
            const asio::const_buffer piece(bytes.data(), std::min(bytes.size(), kBodyChunk));
            expire(secondsLeft());
            const auto [failed, count] = co_await asio::async_write(m_stream, piece, kToken);
            if (failed) { co_return false; }
            m_rate->add(count);
            if (m_rate->tooSlow() || overdue()) { co_return false; }
            bytes += count;
        }
        co_return true;
    }

    awaitable<bool> sendFile(const FilePiece& piece) {
        const int fd = ::open(piece.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0) { co_return false; }
        const struct Closer {
            int fd;
            ~Closer() { ::close(fd); }
        } closer{fd};
        std::vector<std::uint8_t> chunk(kFileChunk);
        std::uint64_t sentBytes = 0;
        while (sentBytes < piece.count) {
            const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), piece.count - sentBytes));
            auto readPiece = [&]() -> std::int64_t { return ::pread(fd, chunk.data(), wanted, static_cast<off_t>(piece.offset + sentBytes)); };
            const std::int64_t got = co_await onWorkers<std::int64_t>(m_shared.workers, readPiece);
            if (got <= 0) { co_return false; }   // the client sees a cut answer, not a wrong one
            if (!co_await write(asio::buffer(chunk.data(), static_cast<std::size_t>(got)))) { co_return false; }
            sentBytes += static_cast<std::uint64_t>(got);
        }
        co_return true;
    }

    beast::ssl_stream<beast::tcp_stream> m_stream;
    beast::flat_buffer m_buffer;
    std::string m_address;
    ConnectionShared& m_shared;
    std::function<void()>& m_cancelIdle;
    SteadyTime m_deadline{};
    std::optional<RateWatch> m_rate;
};

}  // namespace

awaitable<void> serveConnection(asio::ip::tcp::socket socket, std::string address, ConnectionShared& shared, std::function<void()>& cancelIdle) {
    Connection connection(std::move(socket), std::move(address), shared, cancelIdle);
    try {
        co_await connection.run();
    } catch (const std::exception&) {
        // A connection that broke in the middle; the others go on.
    }
    cancelIdle = nullptr;
}

}  // namespace sunloco::server
