// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/server/api.h"
#include "net/server/held_out_meter.h"
#include "net/server/round_closer.h"
#include "net/server/round_machine.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sunloco::server {

struct KeeperParts {
    const ProjectFolder& folder;
    Store& store;
    const protocol::Manifest& manifest;
    const MetadataSigner& signer;
    RoundCloser& closer;
    const core::Clock& clock;
    Metrics* metrics = nullptr;                       ///< none in operator commands
    HeldOutMeter* meter = nullptr;
    std::function<std::int64_t()> takeBytesDown;
};

/// Owns all transitions of rounds: asks the round machine what to do and does it. `run` loops on a thread of its own; the operator commands
/// use single steps without it.
class RoundKeeper {
public:
    explicit RoundKeeper(KeeperParts parts);
    ~RoundKeeper();

    /// Rebuilds the state from the store, signs what has run out, and finishes a round that was being closed.
    core::Result<void> prepare();
    void start();
    /// The store has changed: look soon.
    void poke();
    /// Returns when a running merge is done.
    void stop();

    /// An operator's command ("close-round", "rollback", "halt", "resume"); the answer is one sentence.
    core::Result<std::string> command(const std::string& kind);

private:
    void loop();
    void tick();
    void feed(const RoundEvent& event);
    core::Result<void> perform(const RoundAction& action);
    core::Result<void> moveDeadline(core::UtcMs deadline);
    core::Result<void> merge();
    core::Result<std::string> rollBack();
    core::Result<std::vector<MetadataFile>> sign(const RoundRow& open, std::optional<protocol::CheckpointRef> checkpoint, const RoundRow* justClosed);
    core::Result<void> loadNow();
    void measureMissing();
    void answerCommands();

    KeeperParts m_parts;
    RoundRules m_rules;
    RoundNow m_now;
    std::string m_refusal;                   ///< why the operator's command was refused
    core::MonotonicMs m_nextSweep = 0;
    core::MonotonicMs m_nextRenew = 0;
    core::MonotonicMs m_nextCommands = 0;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_poked = false;
    bool m_stopping = false;
    std::thread m_thread;
};

}  // namespace sunloco::server
