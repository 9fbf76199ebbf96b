// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>

namespace sunloco::data {

/// Position of the first byte that is not part of a well-formed character (Unicode 15, table 3-7: no overlong forms, no surrogates, at most U+10FFFF),
/// or npos. A character that the text's end cuts is wrong from its first byte on.
std::size_t findInvalidUtf8(std::string_view text);

/// The largest n <= limit so that the first n bytes of well-formed `text` are whole characters; limit >= 4 gives n >= 1.
std::size_t wholeCharacters(std::string_view text, std::size_t limit);

}  // namespace sunloco::data
