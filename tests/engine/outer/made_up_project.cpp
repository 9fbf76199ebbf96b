// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/outer/made_up_project.h"

#include "engine/codec/codec.h"
#include "engine/core/initial_weights.h"
#include "engine/outer/round_close.h"

#include <algorithm>

namespace sunloco::outer {

namespace {
std::vector<float> made(std::size_t elements, std::uint64_t stream, float scale) {
    std::vector<float> values(elements);
    for (std::size_t i = 0; i < elements; ++i) { values[i] = scale * static_cast<float>(static_cast<std::int32_t>(core::philox(i, stream, 5)[0])) * 0x1p-31F; }
    return values;
}
}  // namespace

MadeUpProject::MadeUpProject(const core::Recipe& recipe, std::size_t elements) : m_recipe(recipe), m_initial(made(elements, 0, 1.0F)), m_now{m_initial, {}} { m_states[0] = m_now; }

core::Digest MadeUpProject::store(core::Bytes bytes) {
    const core::Digest name = core::sha256(bytes);
    objects[name] = std::move(bytes);
    return name;
}

core::Result<Event> MadeUpProject::closeRound(std::size_t contributions, std::size_t partElements) {
    RoundClosedEvent event;
    event.round = ++m_round;
    std::vector<RoundContribution> merged;
    for (std::size_t c = 0; c < contributions; ++c) {
        const std::vector<float> delta = made(m_initial.size(), 1000 * static_cast<std::uint64_t>(m_round) + c, 0.01F);
        LoggedContribution logged{"contribution-" + std::to_string(m_round) + "-" + std::to_string(c), "device " + std::to_string(c), static_cast<std::int64_t>(640 * (c + 1)), 10, {}};
        std::vector<float> decoded(delta.size());
        for (std::size_t first = 0; first < delta.size(); first += partElements) {
            const std::size_t count = std::min(partElements, delta.size() - first);
            auto bytes = codec::encodeFragment(m_recipe.uploadCodec, static_cast<int>(m_recipe.codecBlock), std::span(delta).subspan(first, count), static_cast<std::int64_t>(first));
            if (!bytes) { return bytes.error(); }
            if (auto back = codec::decodeFragment(*bytes, static_cast<std::int64_t>(first), std::span(decoded).subspan(first, count)); !back) { return back.error(); }
            const auto length = static_cast<std::int64_t>(bytes->size());
            logged.parts.push_back({store(std::move(*bytes)), length, static_cast<std::int64_t>(first), static_cast<std::int64_t>(count)});
        }
        merged.push_back({logged.id, logged.tokens, [decoded](std::span<float> out) {
                              std::copy(decoded.begin(), decoded.end(), out.begin());
                              return core::Result<void>{};
                          }});
        event.contributions.push_back(std::move(logged));
    }
    auto closed = outer::closeRound(m_recipe, m_now.base, m_now.outer, merged);
    if (!closed) { return closed.error(); }
    event.updateObject = store(std::move(closed->update));
    event.baseHash = closed->baseHash;
    event.momentumHash = closed->momentumHash;
    m_states[m_round] = m_now;
    return Event(std::move(event));
}

Event MadeUpProject::rollBackTo(std::int64_t round) {
    m_now = m_states.at(round);
    m_states[++m_round] = m_now;
    return RolledBackEvent{m_round, round, core::arenaHash(m_now.base)};
}

Event MadeUpProject::initEvent() const {
    InitEvent event;
    event.recipe = m_recipe;
    event.modelJson = R"({"model_type":"llama"})";
    event.baseHash = core::arenaHash(m_initial);
    event.baseObject = core::sha256(core::asBytes("the initial weights' file"));
    return event;
}

ReplaySource MadeUpProject::source() const {
    ReplaySource source;
    source.initial = [this](const InitEvent&) -> core::Result<std::vector<float>> { return m_initial; };
    source.object = [this](const core::Digest& name) -> core::Result<core::Bytes> {
        const auto found = objects.find(name);
        if (found == objects.end()) { return core::Error{core::ErrorCode::NotFound, "There is no such object", name.hex()}; }
        return found->second;
    };
    return source;
}

}  // namespace sunloco::outer
