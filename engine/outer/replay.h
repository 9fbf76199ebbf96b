// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/outer/event_log.h"
#include "engine/outer/outer_optimizer.h"

#include <functional>

namespace sunloco::outer {

/// A base as it was derived, beside what the log says.
struct ReplayedBase {
    std::int64_t round = 0;
    core::Digest derived;
    core::Digest logged;
};

struct ReplayResult {
    bool equal = true;                   ///< every base, update object and optimizer state is as logged
    std::vector<ReplayedBase> bases;     ///< the initial base first, then one an event
    std::string difference;              ///< a sentence about the first difference
};

/// Where the replay gets the initial arena, and the bytes of an object by its name (its hash is checked here).
struct ReplaySource {
    std::function<core::Result<std::vector<float>>(const InitEvent&)> initial;
    std::function<core::Result<core::Bytes>(const core::Digest&)> object;
};

/// Derives every base of the log again from the initial weights and the parts of the contributions: on any machine, with the same bits.
/// A difference is a result, not an error; it ends with the first one, since everything after it would differ too. Errors: a log that cannot be
/// followed (InvalidData), objects that are missing (what `source` returned) or damaged (HashMismatch).
core::Result<ReplayResult> replay(const std::vector<Event>& events, const ReplaySource& source);

}  // namespace sunloco::outer
