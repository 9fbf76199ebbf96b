// SPDX-License-Identifier: Apache-2.0
#include "net/transfer/request.h"

#include "engine/core/json.h"

#include <curl/curl.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>

namespace sunloco::transfer {
namespace {

std::string shortText(const core::Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return {};
    constexpr std::size_t kLongest = 500;  // it ends in logs and on the screen
    std::string text = found->get<std::string>();
    if (text.size() > kLongest) {
        std::size_t end = kLongest;
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
        text.resize(end);
    }
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    return text;
}

/// An integer within [low, high]; what lies outside becomes the nearer end.
std::optional<std::int64_t> clampedInt(const core::Json& object, const char* key, std::int64_t low, std::int64_t high) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > static_cast<std::uint64_t>(high)) return high;
    return std::clamp(found->get<std::int64_t>(), low, high);
}

constexpr std::int64_t kLongestWaitMs = std::int64_t{7} * 24 * 3600 * 1000;  // a header must not put a computer to sleep for years

}  // namespace

std::optional<Problem> parseProblem(std::string_view body) {
    core::JsonLimits limits;
    limits.maxBytes = 64 * 1024;
    const auto json = core::parseJson(body, limits, "problem document");
    if (!json || !json->is_object()) return std::nullopt;
    Problem problem;
    problem.code = shortText(*json, "code");
    problem.title = shortText(*json, "title");
    problem.detail = shortText(*json, "detail");
    if (const auto status = clampedInt(*json, "status", 0, 1000); status && *status < 1000) problem.status = static_cast<int>(*status);
    problem.retryAfterMs = clampedInt(*json, "retry_after_ms", 0, kLongestWaitMs);
    if (problem.code.empty() && problem.title.empty()) return std::nullopt;
    return problem;
}

std::optional<std::int64_t> parseRetryAfter(std::string_view value, std::int64_t utcNowMs) {
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error == std::errc{} && end == value.data() + value.size()) {
        if (seconds < 0) return std::nullopt;
        return std::min<std::int64_t>(seconds, kLongestWaitMs / 1000) * 1000;
    }
    const time_t when = curl_getdate(std::string(value).c_str(), nullptr);
    if (when < 0) return std::nullopt;
    const std::int64_t wait = std::int64_t{when} * 1000 - utcNowMs;
    if (wait <= 0) return std::nullopt;
    return std::min(wait, kLongestWaitMs);
}

std::string hostOf(std::string_view url) {
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    std::string_view rest = url.substr(scheme + 3);
    rest = rest.substr(0, rest.find_first_of("/?#"));
    std::string host(rest);
    std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c); });
    return host;
}

std::string pinFromBase64Url(std::string_view pin) {
    std::string out(pin);
    for (char& c : out) {
        if (c == '-') c = '+';
        if (c == '_') c = '/';
    }
    while (out.size() % 4 != 0) out.push_back('=');
    return out;
}

}  // namespace sunloco::transfer
