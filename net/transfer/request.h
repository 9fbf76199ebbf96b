// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/sha256.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <utility>

/// HTTPS requests as values, and what comes back. Nothing here has a thread of its own; see transfers.h.
namespace sunloco::transfer {

/// A range of a file to send as the body.
struct FileRange {
    std::filesystem::path path;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

/// Where a download goes. Bytes are collected in `path` + ".part" (a later request resumes it) and renamed to `path` once size and hash are right.
struct FileTarget {
    std::filesystem::path path;
    core::Digest sha256;
    std::uint64_t bytes = 0;
};

/// How the other side is known to be the right one.
struct ServerTrust {
    /// Base64 SHA-256 of the server key's SubjectPublicKeyInfo; with it the chain of certificates is not asked, the key itself is.
    /// Empty: the system's certificate authorities decide.
    std::string pinBase64;
};

/// What a person can say about the way out.
struct ProxySetting {
    enum class Kind { System, Manual, None };
    Kind kind = Kind::System;   ///< System: the environment's https_proxy and no_proxy
    std::string url;            ///< for Manual; empty = none. The environment has no say then
    bool operator==(const ProxySetting&) const = default;
};

struct Request {
    std::string method = "GET";
    std::string url;                                          ///< https only
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;                                         ///< sent when `file` is empty
    std::optional<FileRange> file;                            ///< body from a file
    std::optional<FileTarget> target;                         ///< body of the answer into a file
    std::uint64_t maxBytes = 1u << 20;                        ///< of an answer kept in memory
    /// What the answer's content type must begin with ("application/json"); another kind is not from our server. Empty: any.
    std::string expectedType;
    ServerTrust trust;
};

/// RFC 9457 problem document, as far as the project server fills it.
struct Problem {
    std::string code;
    std::string title;
    std::string detail;
    int status = 0;
    std::optional<std::int64_t> retryAfterMs;
};

/// An answer that came from the project server: 2xx, or an error with a problem document.
struct Response {
    int status = 0;
    std::map<std::string, std::string> headers;               ///< names in lower case
    std::string body;
    std::optional<Problem> problem;                           ///< set when status >= 400
    std::optional<std::int64_t> retryAfterMs;                 ///< of the header or the problem
    std::uint64_t bytesSent = 0;
    std::uint64_t bytesReceived = 0;
    [[nodiscard]] bool ok() const { return status >= 200 && status < 300; }
};

/// How a request failed. `retryAfterMs` is what the other side asked for, if it did.
struct Failure {
    core::Error error;
    std::optional<std::int64_t> retryAfterMs;
};

struct Outcome {
    std::optional<Response> response;                         ///< set when our server answered
    std::optional<Failure> failure;                           ///< set otherwise
};
using Callback = std::function<void(const Outcome&)>;

/// Reads a problem document; no value when `body` is not one.
std::optional<Problem> parseProblem(std::string_view body);

/// Seconds or an HTTP date -> milliseconds from now; no value when it is neither or lies in the past.
std::optional<std::int64_t> parseRetryAfter(std::string_view value, std::int64_t utcNowMs);

/// "host:port" of an https URL in lower case, for back-off per host; empty when there is none.
std::string hostOf(std::string_view url);

/// base64url without padding -> base64 with padding, as curl wants a pin.
std::string pinFromBase64Url(std::string_view pin);

}  // namespace sunloco::transfer
