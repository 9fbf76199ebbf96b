// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/range_header.h"

#include "net/protocol/limits.h"

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {

/// 1 to 18 digits, so that it cannot overflow.
std::optional<std::int64_t> digits(std::string_view text) {
    if (text.empty() || text.size() > 18) { return {}; }
    std::int64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') { return {}; }
        value = value * 10 + (c - '0');
    }
    return value;
}

}  // namespace

// RFC 9110 section 14.2: a Range header that is malformed or not understood is ignored.
RangeAnswer parseRange(std::string_view header, std::int64_t size) {
    const RangeAnswer whole{RangeKind::Whole, {0, size}};
    constexpr std::string_view unit = "bytes=";
    if (header.size() > kMaxHeaderBytes || header.substr(0, unit.size()) != unit) { return whole; }
    header.remove_prefix(unit.size());
    const auto dash = header.find('-');
    if (dash == std::string_view::npos) { return whole; }
    const std::string_view left = header.substr(0, dash);
    const std::string_view right = header.substr(dash + 1);
    const auto first = digits(left);
    const auto last = digits(right);
    if (left.empty()) {   // the last so many bytes
        if (!last) { return whole; }
        if (*last == 0 || size == 0) { return {RangeKind::Unsatisfiable, {}}; }
        const std::int64_t count = std::min(*last, size);
        return {RangeKind::Part, {size - count, count}};
    }
    if (!first || (!right.empty() && (!last || *last < *first))) { return whole; }
    if (*first >= size) { return {RangeKind::Unsatisfiable, {}}; }
    const std::int64_t end = right.empty() ? size - 1 : std::min(*last, size - 1);
    return {RangeKind::Part, {*first, end - *first + 1}};
}

std::string formatRange(std::int64_t first, std::optional<std::int64_t> count) {
    return "bytes=" + std::to_string(first) + "-" + (count ? std::to_string(first + *count - 1) : std::string());
}

std::string formatContentRange(const ByteRange& range, std::int64_t size) {
    return "bytes " + std::to_string(range.first) + "-" + std::to_string(range.first + range.count - 1) + "/" + std::to_string(size);
}

std::string formatUnsatisfied(std::int64_t size) { return "bytes */" + std::to_string(size); }

core::Result<ContentRange> parseContentRange(std::string_view header) {
    const Error bad{ErrorCode::InvalidData, "The header Content-Range must read bytes FIRST-LAST/SIZE", {}};
    constexpr std::string_view unit = "bytes ";
    if (header.size() > kMaxHeaderBytes || header.substr(0, unit.size()) != unit) { return bad; }
    header.remove_prefix(unit.size());
    const auto slash = header.find('/');
    if (slash == std::string_view::npos) { return bad; }
    const auto size = digits(header.substr(slash + 1));
    if (!size) { return bad; }
    const std::string_view range = header.substr(0, slash);
    if (range == "*") { return ContentRange{{}, *size}; }
    const auto dash = range.find('-');
    if (dash == std::string_view::npos) { return bad; }
    const auto first = digits(range.substr(0, dash));
    const auto last = digits(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= *size) { return bad; }
    return ContentRange{ByteRange{*first, *last - *first + 1}, *size};
}

}  // namespace sunloco::protocol
