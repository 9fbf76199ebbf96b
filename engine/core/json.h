// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>

namespace sunloco::core {

using Json = nlohmann::json;

/// Limits that a document from outside must keep before a value of it is looked at.
struct JsonLimits {
    std::size_t maxBytes = 1 << 20;
    std::size_t maxDepth = 16;
    std::size_t maxElements = 200'000;
};

/// Parses strictly: limits kept, no duplicate keys (the usual parser would keep the last one), valid UTF-8, nothing after the document.
Result<Json> parseJson(std::string_view text, const JsonLimits& limits = {}, std::string_view context = {});

/// Typed access that names the key in its error. `where` is the path to the object for the message ("manifest.recipe").
Result<const Json*> member(const Json& object, std::string_view key, std::string_view where);
Result<std::string> stringMember(const Json& object, std::string_view key, std::string_view where);
/// An integer within [min, max]; a floating value is refused.
Result<std::int64_t> intMember(const Json& object, std::string_view key, std::string_view where, std::int64_t min, std::int64_t max);
/// A finite number within [min, max].
Result<double> numberMember(const Json& object, std::string_view key, std::string_view where, double min, double max);
Result<bool> boolMember(const Json& object, std::string_view key, std::string_view where);

/// A closed schema: an object that has a key outside `known` is refused with the key named.
Result<void> refuseUnknownKeys(const Json& object, std::initializer_list<std::string_view> known, std::string_view where);

}  // namespace sunloco::core
