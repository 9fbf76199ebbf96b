// SPDX-License-Identifier: Apache-2.0
#include "engine/core/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace sunloco::core {

namespace {

/// Builds the document while counting depth and elements and refusing duplicate keys.
class StrictSax final : public nlohmann::json_sax<Json> {
public:
    StrictSax(const JsonLimits& limits, Json& root) : m_limits(limits), m_root(root) {}
    [[nodiscard]] const Error& problem() const { return m_problem; }

    bool null() override { return put(Json()); }
    bool boolean(bool v) override { return put(Json(v)); }
    bool number_integer(number_integer_t v) override { return put(Json(v)); }
    bool number_unsigned(number_unsigned_t v) override { return put(Json(v)); }
    bool number_float(number_float_t v, const string_t&) override { return put(Json(v)); }
    bool string(string_t& v) override { return put(Json(std::move(v))); }
    bool binary(binary_t&) override { return refuse(ErrorCode::InvalidData, "JSON must not hold binary values"); }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool key(string_t& v) override {
        if (!m_keys.back().insert(v).second) { return refuse(ErrorCode::InvalidData, "JSON has the key \"" + v.substr(0, 100) + "\" twice in one object"); }
        m_key = std::move(v);
        return true;
    }
    bool end_object() override { return close(); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        return refuse(ErrorCode::InvalidData, "This is not valid JSON; the fault is at byte " + std::to_string(position));
    }

private:
    bool refuse(ErrorCode code, std::string message) {
        m_problem = Error{code, std::move(message), {}};
        return false;
    }
    Json* add(Json value) {
        if (m_stack.empty()) {
            m_root = std::move(value);
            return &m_root;
        }
        Json& parent = *m_stack.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        return &(parent[m_key] = std::move(value));
    }
    bool put(Json value) {
        if (++m_elements > m_limits.maxElements) { return refuse(ErrorCode::LimitExceeded, "JSON has more than " + std::to_string(m_limits.maxElements) + " values"); }
        add(std::move(value));
        return true;
    }
    bool open(Json value) {
        if (m_stack.size() >= m_limits.maxDepth) { return refuse(ErrorCode::LimitExceeded, "JSON is nested deeper than " + std::to_string(m_limits.maxDepth)); }
        if (++m_elements > m_limits.maxElements) { return refuse(ErrorCode::LimitExceeded, "JSON has too many values"); }
        m_stack.push_back(add(std::move(value)));
        m_keys.emplace_back();
        return true;
    }
    bool close() {
        m_stack.pop_back();
        m_keys.pop_back();
        return true;
    }

    const JsonLimits& m_limits;
    Json& m_root;
    // Pointers stay valid: only the innermost container grows, and its ancestors hold it in place until it is closed.
    std::vector<Json*> m_stack;
    std::vector<std::set<std::string>> m_keys;
    std::string m_key;
    std::size_t m_elements = 0;
    Error m_problem;
};

std::string path(std::string_view where, std::string_view key) {
    return where.empty() ? std::string(key) : std::string(where) + "." + std::string(key);
}

}  // namespace

Result<Json> parseJson(std::string_view text, const JsonLimits& limits, std::string_view context) {
    if (text.size() > limits.maxBytes) {
        return Error{ErrorCode::LimitExceeded, "JSON has " + std::to_string(text.size()) + " bytes, at most " + std::to_string(limits.maxBytes) + " are allowed", std::string(context)};
    }
    Json root;
    StrictSax sax(limits, root);
    try {
        if (!Json::sax_parse(text.begin(), text.end(), &sax)) {
            Error error = sax.problem();
            error.context = std::string(context);
            return error;
        }
    } catch (const Json::exception&) {
        return Error{ErrorCode::InvalidData, "This is not valid JSON", std::string(context)};
    }
    return root;
}

Result<const Json*> member(const Json& object, std::string_view key, std::string_view where) {
    if (!object.is_object()) { return Error{ErrorCode::InvalidData, "An object was expected", std::string(where)}; }
    const auto it = object.find(std::string(key));
    if (it == object.end()) { return Error{ErrorCode::InvalidData, "The key \"" + path(where, key) + "\" is missing", {}}; }
    return &*it;
}

Result<std::string> stringMember(const Json& object, std::string_view key, std::string_view where) {
    const auto found = member(object, key, where);
    if (!found) { return found.error(); }
    if (!(*found)->is_string()) { return Error{ErrorCode::InvalidData, "\"" + path(where, key) + "\" must be a text", {}}; }
    return (*found)->get<std::string>();
}

Result<std::int64_t> intMember(const Json& object, std::string_view key, std::string_view where, std::int64_t min, std::int64_t max) {
    const auto found = member(object, key, where);
    if (!found) { return found.error(); }
    const Json& v = **found;
    const bool fits = v.is_number_unsigned() ? v.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::max<std::int64_t>(max, 0)) && max >= 0 &&
                                                   (min <= 0 || v.get<std::uint64_t>() >= static_cast<std::uint64_t>(min))
                                             : v.is_number_integer() && v.get<std::int64_t>() >= min && v.get<std::int64_t>() <= max;
    if (!fits) {
        return Error{ErrorCode::InvalidData, "\"" + path(where, key) + "\" must be a whole number from " + std::to_string(min) + " to " + std::to_string(max), {}};
    }
    return v.get<std::int64_t>();
}

Result<double> numberMember(const Json& object, std::string_view key, std::string_view where, double min, double max) {
    const auto found = member(object, key, where);
    if (!found) { return found.error(); }
    const double v = (*found)->is_number() ? (*found)->get<double>() : std::nan("");
    if (!std::isfinite(v) || v < min || v > max) {
        return Error{ErrorCode::InvalidData, "\"" + path(where, key) + "\" must be a number from " + Json(min).dump() + " to " + Json(max).dump(), {}};
    }
    return v;
}

Result<bool> boolMember(const Json& object, std::string_view key, std::string_view where) {
    const auto found = member(object, key, where);
    if (!found) { return found.error(); }
    if (!(*found)->is_boolean()) { return Error{ErrorCode::InvalidData, "\"" + path(where, key) + "\" must be true or false", {}}; }
    return (*found)->get<bool>();
}

Result<void> refuseUnknownKeys(const Json& object, std::initializer_list<std::string_view> known, std::string_view where) {
    if (!object.is_object()) { return Error{ErrorCode::InvalidData, "An object was expected", std::string(where)}; }
    for (const auto& [key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            return Error{ErrorCode::Unsupported, "The key \"" + path(where, key.substr(0, 100)) + "\" is unknown", {}};
        }
    }
    return {};
}

}  // namespace sunloco::core
