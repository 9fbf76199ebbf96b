// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <optional>

/// Range requests (RFC 9110 section 14), one range only.
namespace sunloco::protocol {

struct ByteRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
    bool operator==(const ByteRange&) const = default;
};

enum class RangeKind {
    Whole,          ///< no range, several ranges or another unit: answer 200 with everything
    Part,           ///< 206
    Unsatisfiable,  ///< 416
};
struct RangeAnswer {
    RangeKind kind = RangeKind::Whole;
    ByteRange range;    ///< what to send; for Whole all of it
    bool operator==(const RangeAnswer&) const = default;
};
/// What a request's Range header (empty = absent) means for an object of `size` bytes.
RangeAnswer parseRange(std::string_view header, std::int64_t size);

/// "bytes=N-" for resuming; with a count "bytes=N-M".
std::string formatRange(std::int64_t first, std::optional<std::int64_t> count = {});
/// "bytes F-L/SIZE" of a 206, or "bytes */SIZE" of a 416.
std::string formatContentRange(const ByteRange& range, std::int64_t size);
std::string formatUnsatisfied(std::int64_t size);

struct ContentRange {
    std::optional<ByteRange> range;   ///< empty for "bytes */SIZE"
    std::int64_t size = 0;
    bool operator==(const ContentRange&) const = default;
};
/// The total must be stated; first <= last < total.
core::Result<ContentRange> parseContentRange(std::string_view header);

}  // namespace sunloco::protocol
