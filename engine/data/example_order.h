// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace sunloco::data {

/// A keyed bijection of [0, n): the shuffled order of an epoch without a table, so any range of it can be handed out, resumed or redone anywhere.
/// A Feistel network (Luby and Rackoff 1988) over the smallest even number of bits that holds n, applied again while it leaves [0, n) (cycle walking,
/// Black and Rogaway 2002: at most 4 times on average). `index` must be below n; n is at most 2^62. The same on every machine.
std::uint64_t permute(std::uint64_t index, std::uint64_t n, std::uint64_t key);

}  // namespace sunloco::data
