// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"
#include "engine/outer/outer_optimizer.h"

#include <functional>
#include <string>

namespace sunloco::outer {

/// One contribution of a round: its weight, and how to get its decoded pseudo-gradient D = base - W. One of the two functions is enough.
struct RoundContribution {
    std::string id;
    std::int64_t tokens = 0;
    /// Fills the whole arena's delta.
    std::function<core::Result<void>(std::span<float> delta)> load;
    /// Fills the elements from `first` on. When every contribution has it, the merge works window by window (mergeWindow() elements), so that
    /// the memory does not grow with the number of contributions and their size. Ranges start and end where upload parts do.
    std::function<core::Result<void>(std::int64_t first, std::span<float> delta)> loadRange = {};
};

struct ClosedRound {
    core::Bytes update;          ///< all fragments: the object that is published
    core::Digest baseHash;       ///< arenaHash of the new base
    core::Digest momentumHash;   ///< outerStateHash of the new state
};

/// Elements that are merged at a time: a whole number of fragments of either codec.
std::int64_t mergeWindow(const core::Recipe& recipe);

/// Closes a round (DESIGN section 8): mean of the contributions -> outer step -> codec -> base' = base + dequant(update),
/// residual = wanted - dequant(update). `base` and `state` move on together; after an error both are as before.
/// The server and `replay` both call this; the same input gives the same bits on every machine, in whatever order the contributions come.
/// Errors: InvalidArgument without contributions, with tokens below 1 in sum, or with an id twice; Numeric (context = contribution id) for a value
/// that cannot be merged; what a load function returned (context = contribution id where it gave none).
core::Result<ClosedRound> closeRound(const core::Recipe& recipe, std::vector<float>& base, OuterState& state, const std::vector<RoundContribution>& contributions);

}  // namespace sunloco::outer
