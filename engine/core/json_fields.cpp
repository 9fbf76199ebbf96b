// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json_fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::core {

JsonFields::JsonFields(const Json& object, std::string_view where, std::initializer_list<std::string_view> known) : JsonFields(object, where) {
    if (auto ok = refuseUnknownKeys(object, known, where); !ok) { fail(ok.error()); }
}

std::int64_t JsonFields::integer(std::string_view key, std::int64_t min, std::int64_t max) { return take(intMember(m_object, key, m_where, min, max)); }
double JsonFields::number(std::string_view key, double min, double max) { return take(numberMember(m_object, key, m_where, min, max)); }
bool JsonFields::boolean(std::string_view key) { return take(boolMember(m_object, key, m_where)); }
std::string JsonFields::text(std::string_view key) { return take(stringMember(m_object, key, m_where)); }
Digest JsonFields::digest(std::string_view key) { return take(parseDigest(text(key))); }

const Json& JsonFields::value(std::string_view key) {
    static const Json none;
    const auto found = member(m_object, key, m_where);
    if (found) { return **found; }
    fail(found.error());
    return none;
}

const Json& JsonFields::list(std::string_view key) {
    static const Json empty = Json::array();
    const Json& found = value(key);
    if (found.is_array()) { return found; }
    fail(Error{ErrorCode::InvalidData, "\"" + std::string(m_where) + "." + std::string(key) + "\" must be a list", {}});
    return empty;
}

void JsonFields::fail(Error error) {
    if (!m_error) { m_error = std::move(error); }
}

}  // namespace sunloco::core
