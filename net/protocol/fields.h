// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "engine/core/json.h"
#include "engine/core/sha256.h"
#include "net/protocol/limits.h"
#include "net/protocol/names.h"

#include <optional>

/// Inside net/protocol only: reads the members of a JSON object and remembers the first fault.
namespace sunloco::protocol {

enum class Schema {
    Closed,   ///< a key that was never asked for is an error
    Open,     ///< such keys are ignored
};

/// Each getter returns a harmless value once a fault was met, so a decoder reads straight through and asks `fault()` at its end.
class Fields {
public:
    Fields(const core::Json& object, std::string where, Schema schema);

    /// The key is there and not null.
    bool has(std::string_view key);
    std::int64_t integer(std::string_view key, std::int64_t min, std::int64_t max);
    std::uint64_t seed(std::string_view key);
    double number(std::string_view key, double min, double max);
    bool boolean(std::string_view key);
    std::string name(std::string_view key);
    std::string token(std::string_view key, std::size_t minBytes, std::size_t maxBytes);
    std::string text(std::string_view key, std::size_t minBytes, std::size_t maxBytes, Lines lines);
    /// A string without any check but its size.
    std::string raw(std::string_view key, std::size_t maxBytes);
    core::Digest digest(std::string_view key);
    core::UtcMs time(std::string_view key) { return integer(key, 0, kMaxUtcMs); }
    /// Refuses when the string is another one.
    void expect(std::string_view key, std::string_view value);
    const core::Json& object(std::string_view key);
    const core::Json& array(std::string_view key, std::size_t minCount, std::size_t maxCount);
    /// "where.key" for nested readers.
    [[nodiscard]] std::string at(std::string_view key) const;
    [[nodiscard]] std::string at(std::string_view key, std::size_t index) const;

    void fail(core::Error error);
    void fail(core::ErrorCode code, std::string message);
    template <typename T>
    T take(core::Result<T> result, T instead = {}) {
        if (result) { return std::move(result).value(); }
        fail(result.error());
        return instead;
    }
    void take(const core::Result<void>& result) {
        if (!result) { fail(result.error()); }
    }
    /// The first fault; for a closed schema also an unknown key.
    std::optional<core::Error> fault();
    [[nodiscard]] bool failed() const { return m_fault.has_value(); }

private:
    const core::Json* find(std::string_view key);

    const core::Json& m_object;
    std::string m_where;
    Schema m_schema;
    std::vector<std::string> m_asked;
    std::optional<core::Error> m_fault;
};

/// Parses a body with the usual limits.
core::Result<core::Json> parseBody(std::string_view text, std::size_t maxBytes, std::string_view what);
/// Compact JSON; never throws, since bytes that are no UTF-8 become replacement characters.
std::string dump(const core::Json& json);

}  // namespace sunloco::protocol
