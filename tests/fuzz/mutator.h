// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

namespace sunloco::fuzz {

/// Makes new inputs out of valid ones: bit flips, truncations, splices, repeated ranges, extreme numbers, pieces of JSON.
/// The same seed gives the same inputs on every machine.
class Mutator {
public:
    explicit Mutator(std::uint64_t seed) : m_state(seed) {}
    core::Bytes mutate(const std::vector<core::Bytes>& corpus);
    /// A number in [0, below).
    std::size_t pick(std::size_t below);

private:
    std::uint64_t next();
    void change(core::Bytes& input, const std::vector<core::Bytes>& corpus);
    void replaceNumber(core::Bytes& input);
    void insertText(core::Bytes& input, std::size_t at, std::string_view text);

    std::uint64_t m_state;
};

}  // namespace sunloco::fuzz
