// SPDX-License-Identifier: Apache-2.0
#include "engine/outer/replay.h"

#include "engine/codec/codec.h"
#include "engine/core/tensor_layout.h"
#include "engine/outer/round_close.h"

#include <map>
#include <set>

namespace sunloco::outer {

using core::Digest;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

class Replayer {
public:
    Replayer(const std::vector<Event>& events, const ReplaySource& source) : m_events(events), m_source(source) {
        for (const Event& event : events) {
            if (const auto* rolled = std::get_if<RolledBackEvent>(&event)) { m_wanted.insert(rolled->toRound); }
        }
    }

    Result<ReplayResult> run() {
        if (m_events.empty() || !std::holds_alternative<InitEvent>(m_events.front())) { return Error{ErrorCode::InvalidData, "The event log does not begin with the project's making", {}}; }
        for (const Event& event : m_events) {
            if (auto done = std::visit([this](const auto& e) { return apply(e); }, event); !done) { return done.error(); }
            if (!m_result.equal) { break; }
        }
        return std::move(m_result);
    }

private:
    struct Snapshot {
        std::vector<float> base;
        OuterState state;
    };

    Result<void> apply(const InitEvent& event) {
        if (m_init != nullptr) { return Error{ErrorCode::InvalidData, "The event log has the project's making twice", {}}; }
        m_init = &event;
        auto arena = m_source.initial(event);
        if (!arena) { return arena.error(); }
        m_now.base = std::move(*arena);
        note(0, core::arenaHash(m_now.base), event.baseHash);
        return {};
    }

    Result<void> apply(const RoundClosedEvent& event) {
        if (event.round != m_round + 1) { return Error{ErrorCode::InvalidData, "The event log goes from round " + std::to_string(m_round) + " to round " + std::to_string(event.round), {}}; }
        std::vector<RoundContribution> contributions;
        for (const LoggedContribution& logged : event.contributions) {
            contributions.push_back({logged.id, logged.tokens, {}, [this, &logged](std::int64_t first, std::span<float> delta) { return loadRange(logged, first, delta); }});
        }
        const auto closed = closeRound(m_init->recipe, m_now.base, m_now.state, contributions);
        if (!closed) { return closed.error(); }
        note(event.round, closed->baseHash, event.baseHash);
        compare(event.round, "published update", core::sha256(closed->update), event.updateObject);
        compare(event.round, "outer optimizer's memory", closed->momentumHash, event.momentumHash);
        return {};
    }

    Result<void> apply(const RolledBackEvent& event) {
        const auto kept = m_kept.find(event.toRound);
        if (kept == m_kept.end() || event.round <= m_round) { return Error{ErrorCode::InvalidData, "The event log goes back to round " + std::to_string(event.toRound) + ", which it does not have", {}}; }
        m_now = kept->second;
        note(event.round, core::arenaHash(m_now.base), event.baseHash);
        return {};
    }

    /// Fills [first, first + delta.size()) from the contribution's parts, each checked by its hash.
    Result<void> loadRange(const LoggedContribution& logged, std::int64_t first, std::span<float> delta) const {
        const std::int64_t end = first + static_cast<std::int64_t>(delta.size());
        std::int64_t next = first;
        for (const LoggedPart& part : logged.parts) {
            if (part.first + part.elements <= first || part.first >= end) { continue; }
            if (part.first != next || part.elements > end - next) { break; }
            const auto bytes = m_source.object(part.sha256);
            if (!bytes) { return bytes.error(); }
            if (core::sha256(*bytes) != part.sha256) { return Error{ErrorCode::HashMismatch, "A part of a contribution is damaged", part.sha256.hex()}; }
            const auto target = delta.subspan(static_cast<std::size_t>(next - first), static_cast<std::size_t>(part.elements));
            if (auto decoded = codec::decodeFragment(*bytes, part.first, target); !decoded) { return decoded; }
            next += part.elements;
        }
        if (next != end) { return Error{ErrorCode::InvalidData, "The parts of a contribution do not cover the model", logged.id}; }
        return {};
    }

    void note(std::int64_t round, const Digest& derived, const Digest& logged) {
        m_round = round;
        m_result.bases.push_back({round, derived, logged});
        compare(round, "base", derived, logged);
        if (m_wanted.contains(round)) { m_kept[round] = m_now; }
    }

    void compare(std::int64_t round, const char* what, const Digest& derived, const Digest& logged) {
        if (derived == logged || !m_result.equal) { return; }
        m_result.equal = false;
        m_result.difference = std::string("The ") + what + " after round " + std::to_string(round) + " is " + derived.hex() + " by the replay, but " + logged.hex() + " in the log.";
    }

    const std::vector<Event>& m_events;
    const ReplaySource& m_source;
    const InitEvent* m_init = nullptr;
    std::set<std::int64_t> m_wanted;           ///< rounds that a later event goes back to
    std::map<std::int64_t, Snapshot> m_kept;
    Snapshot m_now;
    std::int64_t m_round = 0;
    ReplayResult m_result;
};

}  // namespace

Result<ReplayResult> replay(const std::vector<Event>& events, const ReplaySource& source) { return Replayer(events, source).run(); }

}  // namespace sunloco::outer
