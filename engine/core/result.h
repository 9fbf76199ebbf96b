// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/error.h"

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

namespace sunloco::core {

/// A value or an Error. Member names follow std::expected, so that it can become an alias once the compiler floor has it.
template <typename T>
class [[nodiscard]] Result {
public:
    using value_type = T;
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] T& value() & { assert(has_value()); return *std::get_if<0>(&m_state); }
    [[nodiscard]] const T& value() const& { assert(has_value()); return *std::get_if<0>(&m_state); }
    [[nodiscard]] T&& value() && { assert(has_value()); return std::move(*std::get_if<0>(&m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    [[nodiscard]] const Error& error() const& { assert(!has_value()); return *std::get_if<1>(&m_state); }
    [[nodiscard]] Error&& error() && { assert(!has_value()); return std::move(*std::get_if<1>(&m_state)); }
    [[nodiscard]] T value_or(T other) const& { return has_value() ? value() : std::move(other); }

private:
    std::variant<T, Error> m_state;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    using value_type = void;
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    [[nodiscard]] bool has_value() const noexcept { return !m_error.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const Error& error() const& { assert(m_error.has_value()); return *m_error; }
    [[nodiscard]] Error&& error() && { assert(m_error.has_value()); return std::move(*m_error); }

private:
    std::optional<Error> m_error;
};

}  // namespace sunloco::core
