// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "engine/core/recipe.h"
#include "engine/core/sha256.h"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

/// A project's event log: JSON lines, each with `prev`, the SHA-256 of the line before it (64 zeros in the first). Everything that made a base is in it,
/// so `replay` (replay.h) derives every base again.
namespace sunloco::outer {

struct InitEvent {
    core::Recipe recipe;
    std::string modelJson;            ///< config.json as one line
    core::Digest baseHash;
    core::Digest baseObject;          ///< safetensors file of the initial weights
};

/// One upload part: a fragment object and the elements it holds.
struct LoggedPart {
    core::Digest sha256;
    std::int64_t bytes = 0;
    std::int64_t first = 0;
    std::int64_t elements = 0;
    bool operator==(const LoggedPart&) const = default;
};
struct LoggedContribution {
    std::string id;
    std::string device;
    std::int64_t tokens = 0;
    std::int64_t steps = 0;
    std::vector<LoggedPart> parts;
    bool operator==(const LoggedContribution&) const = default;
};
struct RoundClosedEvent {
    std::int64_t round = 1;
    std::vector<LoggedContribution> contributions;
    core::Digest updateObject;
    core::Digest baseHash;
    core::Digest momentumHash;        ///< outerStateHash
};
/// The state after `round` is again the one after `toRound` (< round).
struct RolledBackEvent {
    std::int64_t round = 1;
    std::int64_t toRound = 0;
    core::Digest baseHash;
};
using Event = std::variant<InitEvent, RoundClosedEvent, RolledBackEvent>;

/// The line without its end.
std::string serialiseEvent(const Event& event, const core::Digest& previousLine);
/// Closed schema; HashMismatch when the line does not follow `previousLine`.
core::Result<Event> parseEvent(std::string_view line, const core::Digest& previousLine);

/// The log as a file. Thread: one at a time, one object a file.
class EventLog {
public:
    /// Reads the log and checks its chain; a missing file is an empty log, a last line without its end (power cut while appending) is dropped.
    /// An error names the line.
    static core::Result<EventLog> open(std::filesystem::path path, core::FaultPolicy* faults = nullptr);
    [[nodiscard]] const std::vector<Event>& events() const { return m_events; }
    /// Flushed to the disk when it returns; after an error the log is as before.
    core::Result<void> append(const Event& event);

private:
    EventLog(std::filesystem::path path, core::FaultPolicy* faults) : m_path(std::move(path)), m_faults(faults) {}
    std::filesystem::path m_path;
    core::FaultPolicy* m_faults;
    std::vector<Event> m_events;
    core::Digest m_last;              ///< of the last line
    std::uint64_t m_size = 0;         ///< bytes of whole lines
};

}  // namespace sunloco::outer
