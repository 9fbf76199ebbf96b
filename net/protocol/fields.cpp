// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

namespace {
const Json& emptyObject() {
    static const Json empty = Json::object();
    return empty;
}
const Json& emptyArray() {
    static const Json empty = Json::array();
    return empty;
}
}  // namespace

Fields::Fields(const Json& object, std::string where, Schema schema)
    : m_object(object.is_object() ? object : emptyObject()), m_where(std::move(where)), m_schema(schema) {
    if (!object.is_object()) { fail(ErrorCode::InvalidData, "\"" + m_where + "\" must be a JSON object"); }
}

std::string Fields::at(std::string_view key) const { return m_where + "." + std::string(key); }
std::string Fields::at(std::string_view key, std::size_t index) const { return at(key) + "[" + std::to_string(index) + "]"; }

void Fields::fail(Error error) {
    if (!m_fault) { m_fault = std::move(error); }
}
void Fields::fail(ErrorCode code, std::string message) { fail(Error{code, std::move(message), {}}); }

const Json* Fields::find(std::string_view key) {
    m_asked.emplace_back(key);
    const auto it = m_object.find(std::string(key));
    if (it == m_object.end()) {
        fail(ErrorCode::InvalidData, "The key \"" + at(key) + "\" is missing");
        return nullptr;
    }
    return &*it;
}

bool Fields::has(std::string_view key) {
    m_asked.emplace_back(key);
    const auto it = m_object.find(std::string(key));
    return it != m_object.end() && !it->is_null();
}

std::int64_t Fields::integer(std::string_view key, std::int64_t min, std::int64_t max) {
    if (find(key) == nullptr) { return min; }
    return take(core::intMember(m_object, key, m_where, min, max), min);
}

std::uint64_t Fields::seed(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr) { return 0; }
    if (!value->is_number_unsigned()) {
        fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be a whole number from 0 to 18446744073709551615");
        return 0;
    }
    return value->get<std::uint64_t>();
}

double Fields::number(std::string_view key, double min, double max) {
    if (find(key) == nullptr) { return min; }
    return take(core::numberMember(m_object, key, m_where, min, max), min);
}

bool Fields::boolean(std::string_view key) {
    if (find(key) == nullptr) { return false; }
    return take(core::boolMember(m_object, key, m_where), false);
}

std::string Fields::raw(std::string_view key, std::size_t maxBytes) {
    const Json* value = find(key);
    if (value == nullptr) { return {}; }
    const auto* text = value->get_ptr<const Json::string_t*>();
    if (text == nullptr) {
        fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be a text");
        return {};
    }
    if (text->size() > maxBytes) {
        fail(ErrorCode::LimitExceeded, "\"" + at(key) + "\" has " + std::to_string(text->size()) + " bytes, at most " + std::to_string(maxBytes) + " are allowed");
        return {};
    }
    return *text;
}

std::string Fields::name(std::string_view key) {
    std::string value = raw(key, kMaxNameLength);
    if (!failed()) { take(checkName(value, at(key))); }
    return value;
}

std::string Fields::token(std::string_view key, std::size_t minBytes, std::size_t maxBytes) {
    std::string value = raw(key, maxBytes);
    if (!failed() && !isToken(value, minBytes, maxBytes)) {
        fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be " + std::to_string(minBytes) + " to " + std::to_string(maxBytes) +
                                         " printable ASCII characters without spaces, quotes and backslashes");
    }
    return value;
}

std::string Fields::text(std::string_view key, std::size_t minBytes, std::size_t maxBytes, Lines lines) {
    std::string value = raw(key, maxBytes);
    if (!failed()) { take(checkText(value, minBytes, maxBytes, lines, at(key))); }
    return value;
}

core::Digest Fields::digest(std::string_view key) {
    const std::string value = raw(key, 64);
    if (failed()) { return {}; }
    const auto parsed = core::parseDigest(value);
    if (!parsed) {
        fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be 64 hexadecimal digits in lower case");
        return {};
    }
    return *parsed;
}

void Fields::expect(std::string_view key, std::string_view value) {
    const std::string found = raw(key, 256);
    if (!failed() && found != value) { fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be \"" + std::string(value) + "\""); }
}

const Json& Fields::object(std::string_view key) {
    const Json* value = find(key);
    if (value == nullptr) { return emptyObject(); }
    if (!value->is_object()) {
        fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be a JSON object");
        return emptyObject();
    }
    return *value;
}

const Json& Fields::array(std::string_view key, std::size_t minCount, std::size_t maxCount) {
    const Json* value = find(key);
    if (value == nullptr) { return emptyArray(); }
    if (!value->is_array()) {
        fail(ErrorCode::InvalidData, "\"" + at(key) + "\" must be a JSON array");
        return emptyArray();
    }
    if (value->size() < minCount || value->size() > maxCount) {
        fail(ErrorCode::LimitExceeded, "\"" + at(key) + "\" has " + std::to_string(value->size()) + " entries; " + std::to_string(minCount) + " to " +
                                           std::to_string(maxCount) + " are allowed");
        return emptyArray();
    }
    return *value;
}

std::optional<Error> Fields::fault() {
    if (m_fault || m_schema == Schema::Open) { return m_fault; }
    for (const auto& [key, value] : m_object.items()) {
        if (std::find(m_asked.begin(), m_asked.end(), key) == m_asked.end()) {
            fail(ErrorCode::Unsupported, "The key \"" + at(key.substr(0, 100)) + "\" is unknown");
            break;
        }
    }
    return m_fault;
}

core::Result<Json> parseBody(std::string_view text, std::size_t maxBytes, std::string_view what) {
    return core::parseJson(text, {.maxBytes = maxBytes, .maxDepth = kMaxJsonDepth}, what);
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace sunloco::protocol
