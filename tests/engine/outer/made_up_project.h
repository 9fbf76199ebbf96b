// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/outer/event_log.h"
#include "engine/core/tensor_layout.h"
#include "engine/outer/outer_optimizer.h"
#include "engine/outer/replay.h"

#include <map>

namespace sunloco::outer {

/// A project with an arena of made-up numbers, whose rounds are closed by the real code and logged as a server does; objects lie in memory.
class MadeUpProject {
public:
    MadeUpProject(const core::Recipe& recipe, std::size_t elements);
    /// Closes the next round with this many contributions, cut into parts of `partElements`, and returns its event.
    core::Result<Event> closeRound(std::size_t contributions, std::size_t partElements);
    /// The state after `round` again, as the next round.
    Event rollBackTo(std::int64_t round);
    [[nodiscard]] Event initEvent() const;
    [[nodiscard]] ReplaySource source() const;

    std::map<core::Digest, core::Bytes> objects;

private:
    struct State {
        std::vector<float> base;
        OuterState outer;
    };
    core::Digest store(core::Bytes bytes);
    core::Recipe m_recipe;
    std::vector<float> m_initial;
    State m_now;
    std::map<std::int64_t, State> m_states;
    std::int64_t m_round = 0;
};

}  // namespace sunloco::outer
