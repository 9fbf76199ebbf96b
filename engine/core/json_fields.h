// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/core/sha256.h"

#include <optional>
#include <utility>

namespace sunloco::core {

/// Reads required members of a JSON object one after another and keeps the first error, so that a decoder reads straight through and asks
/// finish() at its end; after an error every member answers a harmless value. Object and `where` must outlive the reader.
class JsonFields {
public:
    /// `where` is the path to the object for messages ("job.shards").
    JsonFields(const Json& object, std::string_view where) : m_object(object), m_where(where) {}
    /// A closed schema: a key outside `known` is an error.
    JsonFields(const Json& object, std::string_view where, std::initializer_list<std::string_view> known);

    std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max);
    double number(std::string_view key, double min, double max);
    bool boolean(std::string_view key);
    std::string text(std::string_view key);
    /// 64 lower-case hexadecimal digits.
    Digest digest(std::string_view key);
    const Json& value(std::string_view key);
    /// The member if it is a list, else an empty list.
    const Json& list(std::string_view key);

    template <typename T>
    T take(Result<T> result) {
        if (result) { return std::move(result).value(); }
        fail(std::move(result).error());
        return T{};
    }
    void fail(Error error);
    [[nodiscard]] bool failed() const { return m_error.has_value(); }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }
    template <typename T>
    Result<T> finish(T value) const {
        if (m_error) { return *m_error; }
        return value;
    }

private:
    const Json& m_object;
    std::string_view m_where;
    std::optional<Error> m_error;
};

}  // namespace sunloco::core
