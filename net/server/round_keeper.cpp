// SPDX-License-Identifier: Apache-2.0
#include "net/server/round_keeper.h"

#include "net/server/status_builder.h"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace sunloco::server {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr auto kTick = std::chrono::milliseconds(250);
constexpr core::MonotonicMs kSweepMs = 1'000;
constexpr core::MonotonicMs kCommandsMs = 500;
constexpr core::MonotonicMs kRenewMs = 60'000;
constexpr std::int64_t kMaxGraceMs = 10'000;

RoundPhase phaseOf(StoredRoundState state) {
    switch (state) {
    case StoredRoundState::Closing: return RoundPhase::Closing;
    case StoredRoundState::Halted: return RoundPhase::Halted;
    case StoredRoundState::Finished: return RoundPhase::Finished;
    default: return RoundPhase::Open;
    }
}

}  // namespace

RoundKeeper::RoundKeeper(KeeperParts parts) : m_parts(std::move(parts)) {
    const core::Recipe& recipe = m_parts.manifest.recipe;
    m_rules.quorum = recipe.quorum;
    m_rules.minContributions = recipe.minContributions;
    m_rules.deadlineMs = recipe.roundDeadlineSeconds * 1000;
    m_rules.graceMs = std::min(kMaxGraceMs, m_rules.deadlineMs / 20);
}

RoundKeeper::~RoundKeeper() { stop(); }

Result<void> RoundKeeper::loadNow() {
    const auto row = m_parts.store.currentRound();
    if (!row) { return row.error(); }
    const auto counts = m_parts.store.countsOf(row->round);
    if (!counts) { return counts.error(); }
    m_now = RoundNow{};
    m_now.phase = phaseOf(row->state);
    m_now.round = row->round;
    m_now.openedAt = row->openedAt;
    m_now.deadline = row->deadline;
    m_now.committed = counts->committed;
    m_now.uploading = counts->uploading;
    return {};
}

Result<void> RoundKeeper::prepare() {
    if (const auto loaded = loadNow(); !loaded) { return loaded; }
    const auto row = m_parts.store.currentRound();
    if (!row) { return row.error(); }
    if (const auto loaded = m_parts.closer.load(row->round - 1, row->baseHash); !loaded) { return loaded; }
    const auto renewed = m_parts.signer.renew(m_parts.store, m_parts.clock.utcNow());
    if (!renewed) { return renewed.error(); }
    if (const auto put = m_parts.store.putMetadata(*renewed); !put) { return put; }
    if (row->state == StoredRoundState::Open && row->nextExample == row->firstExample) {
        if (const auto moved = moveDeadline(m_parts.clock.utcNow() + m_rules.deadlineMs); !moved) { return moved; }
    }
    for (const auto& action : resumeActions(m_now)) {
        spdlog::info("round {} was being closed when the server ended: closing it now", m_now.round);
        if (const auto done = perform(action); !done) { return done; }
    }
    return {};
}

void RoundKeeper::start() {
    measureMissing();
    m_thread = std::thread([this] { loop(); });
}

void RoundKeeper::measureMissing() {
    if (m_parts.meter == nullptr) { return; }
    const auto initial = m_parts.store.fact(kInitialLossFact);
    std::error_code ec;
    if (initial && !*initial) { m_parts.meter->enqueue(0, m_parts.closer.initialFile(), m_parts.manifest.initial.baseHash); }
    const auto closed = m_parts.store.closedRounds();
    if (!closed) { return; }
    for (const auto& row : *closed) {
        const auto file = m_parts.closer.filesOf(row.round).base;
        if (row.state == StoredRoundState::Closed && !row.heldOutLoss && row.update && std::filesystem::exists(file, ec)) {
            m_parts.meter->enqueue(row.round, file, row.update->baseHash);
        }
    }
}

void RoundKeeper::poke() {
    const std::lock_guard lock(m_mutex);
    m_poked = true;
    m_changed.notify_all();
}

void RoundKeeper::stop() {
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
        m_changed.notify_all();
    }
    if (m_thread.joinable()) {
        m_thread.join();
        const std::int64_t down = m_parts.takeBytesDown ? m_parts.takeBytesDown() : 0;
        if (down > 0) { static_cast<void>(m_parts.store.addBytes(0, down)); }
    }
}

void RoundKeeper::loop() {
    std::unique_lock lock(m_mutex);
    while (!m_stopping) {
        m_changed.wait_for(lock, kTick, [this] { return m_poked || m_stopping; });
        if (m_stopping) { return; }
        m_poked = false;
        lock.unlock();
        tick();
        lock.lock();
    }
}

void RoundKeeper::tick() {
    const core::MonotonicMs mono = m_parts.clock.monotonicNow();
    const core::UtcMs now = m_parts.clock.utcNow();
    if (mono >= m_nextSweep) {
        m_nextSweep = mono + kSweepMs;
        if (const auto swept = m_parts.store.sweep(now); !swept) { spdlog::error("sweeping leases: {}", swept.error().text()); }
        const std::int64_t down = m_parts.takeBytesDown ? m_parts.takeBytesDown() : 0;
        if (down > 0) {
            if (const auto added = m_parts.store.addBytes(0, down); !added) { spdlog::error("counting bytes: {}", added.error().text()); }
        }
    }
    if (mono >= m_nextRenew) {
        m_nextRenew = mono + kRenewMs;
        const auto renewed = m_parts.signer.renew(m_parts.store, now);
        const auto put = renewed ? m_parts.store.putMetadata(*renewed) : Result<void>(renewed.error());
        if (!put) { spdlog::error("renewing signed metadata: {}", put.error().text()); }
    }
    if (mono >= m_nextCommands) {
        m_nextCommands = mono + kCommandsMs;
        answerCommands();
    }
    if (m_now.phase == RoundPhase::Open || m_now.phase == RoundPhase::Halted) {
        const auto counts = m_parts.store.countsOf(m_now.round);
        if (!counts) {
            spdlog::error("looking at the round: {}", counts.error().text());
            return;
        }
        feed(CountsChanged{counts->committed, counts->uploading});
    } else {
        feed(Ticked{});
    }
}

void RoundKeeper::feed(const RoundEvent& event) {
    const RoundStep step = nextRound(m_now, event, m_rules, m_parts.clock.utcNow());
    m_now = step.state;
    for (const auto& action : step.actions) {
        const auto done = perform(action);
        if (!done) {
            spdlog::error("round {}: {}", m_now.round, done.error().text());
            // What could not be written is asked from the store again, so that memory and store never differ.
            if (const auto loaded = loadNow(); !loaded) { spdlog::error("reading the round: {}", loaded.error().text()); }
            return;
        }
    }
}

Result<void> RoundKeeper::perform(const RoundAction& action) {
    if (std::holds_alternative<FixContributions>(action)) {
        const auto fixed = m_parts.store.fixContributions(m_now.round);
        if (!fixed) { return fixed.error(); }
        if (!*fixed) { return Error{ErrorCode::Conflict, "the round was closed by another process", {}}; }
        return {};
    }
    if (std::holds_alternative<StartMerge>(action)) {
        const auto start = m_parts.clock.monotonicNow();
        const auto merged = merge();
        if (!merged) {
            spdlog::error("round {} could not be merged, it is tried again: {}", m_now.round, merged.error().text());
            // The closer may hold half of it: back to what the disk says.
            const auto row = m_parts.store.currentRound();
            if (row) { static_cast<void>(m_parts.closer.load(row->round - 1, row->baseHash)); }
            feed(MergeFailed{});
        } else if (m_parts.metrics != nullptr) {
            m_parts.metrics->merged(static_cast<double>(m_parts.clock.monotonicNow() - start) / 1000.0);
        }
        return {};
    }
    if (const auto* move = std::get_if<MoveDeadline>(&action)) { return moveDeadline(move->deadline); }
    if (const auto* again = std::get_if<ReopenRound>(&action)) {
        auto row = m_parts.store.currentRound();
        if (!row) { return row.error(); }
        row->deadline = again->deadline;
        const auto files = sign(*row, {}, nullptr);
        if (!files) { return files.error(); }
        const auto opened = m_parts.store.reopen(row->round, again->deadline, *files);
        if (!opened) { return opened.error(); }
        spdlog::warn("round {}: no sound contribution, it opens again", row->round);
        return {};
    }
    if (const auto* refused = std::get_if<RefuseOperator>(&action)) { m_refusal = refused->reason; }
    return {};
}

Result<void> RoundKeeper::moveDeadline(core::UtcMs deadline) {
    auto row = m_parts.store.currentRound();
    if (!row) { return row.error(); }
    row->deadline = deadline;
    // While nobody has begun to work the round has not really begun: its time counts from now.
    const bool untouched = row->nextExample == row->firstExample;
    if (untouched) { row->openedAt = m_parts.clock.utcNow(); }
    const auto files = sign(*row, {}, nullptr);
    if (!files) { return files.error(); }
    const auto moved = m_parts.store.moveDeadline(row->round, row->openedAt, deadline, *files);
    if (!moved) { return moved.error(); }
    m_now.openedAt = row->openedAt;
    m_now.deadline = deadline;
    if (!untouched) { spdlog::info("round {}: too few contributions at the deadline, it goes on", row->round); }
    return {};
}

Result<std::vector<MetadataFile>> RoundKeeper::sign(const RoundRow& open, std::optional<protocol::CheckpointRef> checkpoint, const RoundRow* justClosed) {
    auto checkpoints = m_parts.store.checkpoints();
    if (!checkpoints) { return checkpoints.error(); }
    auto closed = m_parts.store.closedRounds();
    if (!closed) { return closed.error(); }
    if (checkpoint) { checkpoints->insert(checkpoints->begin(), *checkpoint); }
    if (justClosed != nullptr) { closed->push_back(*justClosed); }
    const auto chain = chooseChain(*checkpoints, *closed, open.round, checkpointLag(m_parts.manifest.recipe));
    if (!chain) { return chain.error(); }
    return m_parts.signer.roundFiles(m_parts.store, open, *chain, m_parts.clock.utcNow());
}

Result<void> RoundKeeper::merge() {
    auto row = m_parts.store.currentRound();
    if (!row) { return row.error(); }
    if (row->state != StoredRoundState::Closing) { return Error{ErrorCode::Conflict, "the round is not being closed", {}}; }
    const auto accepted = m_parts.store.acceptedOf(row->round);
    if (!accepted) { return accepted.error(); }
    std::vector<MergeInput> inputs;
    for (const auto& contribution : *accepted) {
        const auto parts = m_parts.store.parts(contribution.id);
        if (!parts) { return parts.error(); }
        MergeInput input{contribution, {}};
        for (const auto& part : *parts) { input.parts.push_back(part.info); }
        inputs.push_back(std::move(input));
    }
    if (m_parts.closer.loadedRound() != row->round - 1 || m_parts.closer.baseHash() != row->baseHash) {
        if (const auto loaded = m_parts.closer.load(row->round - 1, row->baseHash); !loaded) { return loaded; }
    }
    const auto merged = m_parts.closer.close(row->round, inputs);
    if (!merged) { return merged.error(); }
    for (const auto& [id, code] : merged->rejected) {
        spdlog::warn("round {}: contribution {} rejected: {}", row->round, id, code);
        if (const auto rejected = m_parts.store.reject(id, code); !rejected) { return rejected; }
    }
    if (merged->weights.empty()) {
        feed(MergeEmpty{});
        return {};
    }

    const core::Recipe& recipe = m_parts.manifest.recipe;
    RoundClosing closing;
    closing.round = row->round;
    closing.closedAt = m_parts.clock.utcNow();
    closing.update = {row->round, merged->update, merged->baseHash};
    closing.weights = merged->weights;
    closing.tokens = merged->tokens;
    std::vector<std::string> devices;
    for (const auto& input : inputs) {
        if (merged->weights.count(input.row.id) == 0) { continue; }
        devices.push_back(input.row.device);
        closing.computeSeconds += static_cast<double>(input.row.committedAt - input.row.leasedAt) / 1000.0;
    }
    std::sort(devices.begin(), devices.end());
    closing.contributors = std::unique(devices.begin(), devices.end()) - devices.begin();
    if (row->round % recipe.checkpointEvery == 0) {
        const auto checkpoint = m_parts.closer.makeCheckpoint(row->round);
        if (!checkpoint) { return checkpoint.error(); }
        closing.checkpoint = *checkpoint;
    }
    RoundRow next;
    next.round = row->round + 1;
    next.firstGlobalStep = row->firstGlobalStep + recipe.innerSteps;
    next.state = next.firstGlobalStep >= recipe.totalSteps ? StoredRoundState::Finished : StoredRoundState::Open;
    next.openedAt = closing.closedAt;
    next.deadline = closing.closedAt + m_rules.deadlineMs;
    next.baseHash = merged->baseHash;
    next.firstExample = row->nextExample;
    next.nextExample = row->nextExample;
    closing.next = next;
    RoundRow justClosed = *row;
    justClosed.state = StoredRoundState::Closed;
    justClosed.update = closing.update;
    auto files = sign(next, closing.checkpoint, &justClosed);
    if (!files) { return files.error(); }
    closing.metadata = std::move(*files);
    const auto finished = m_parts.store.finishClosing(closing);
    if (!finished) { return finished.error(); }
    if (!*finished) { return Error{ErrorCode::Conflict, "the round was closed by another process", {}}; }
    spdlog::info("round {} closed: {} contributions, {} tokens, base {}", row->round, merged->weights.size(), merged->tokens, merged->baseHash.hex().substr(0, 12));
    if (next.state == StoredRoundState::Finished) { spdlog::info("all {} steps of the recipe are done: the training is finished", recipe.totalSteps); }
    feed(MergeDone{closing.closedAt, next.state == StoredRoundState::Finished});
    if (m_parts.meter != nullptr) { m_parts.meter->enqueue(row->round, m_parts.closer.filesOf(row->round).base, merged->baseHash); }
    m_parts.closer.prune(next.round);
    return {};
}

Result<std::string> RoundKeeper::rollBack() {
    const auto row = m_parts.store.currentRound();
    if (!row) { return row.error(); }
    if (row->state == StoredRoundState::Closing) { return Error{ErrorCode::Conflict, "The round is being merged; try again in a moment.", {}}; }
    const auto closed = m_parts.store.closedRounds();
    if (!closed) { return closed.error(); }
    if (closed->empty() || closed->back().state != StoredRoundState::Closed || closed->back().round != row->round - 1) {
        return Error{ErrorCode::Conflict, "There is no merged round before the open one that could be undone.", {}};
    }
    const RoundRow undone = closed->back();
    // Round numbers never come back, so that nobody mixes two bases up: the open round ends with the base from before the undone one.
    if (const auto loaded = m_parts.closer.load(undone.round - 1, undone.baseHash); !loaded) {
        return Error{ErrorCode::NotFound, "The base from before round " + std::to_string(undone.round) + " is no longer there: " + loaded.error().text(), {}};
    }
    if (const auto rolled = m_parts.closer.rollBack(undone.round - 1, row->round); !rolled) { return rolled.error(); }
    const auto checkpoint = m_parts.closer.makeCheckpoint(row->round);
    if (!checkpoint) { return checkpoint.error(); }
    const core::UtcMs now = m_parts.clock.utcNow();
    RoundRow next;
    next.round = row->round + 1;
    next.firstGlobalStep = undone.firstGlobalStep;
    next.openedAt = now;
    next.deadline = now + m_rules.deadlineMs;
    next.baseHash = undone.baseHash;
    next.firstExample = row->nextExample;
    next.nextExample = row->nextExample;
    RoundRow ended = *row;
    ended.state = StoredRoundState::RolledBack;
    const auto files = sign(next, *checkpoint, &ended);
    if (!files) { return files.error(); }
    const auto done = m_parts.store.rollBack(row->round, now, next, *checkpoint, *files);
    if (!done) { return done.error(); }
    if (!*done) { return Error{ErrorCode::Conflict, "The round changed meanwhile; try again.", {}}; }
    if (const auto loaded = loadNow(); !loaded) { return loaded.error(); }
    const std::string said = "Round " + std::to_string(undone.round) + " is undone; round " + std::to_string(next.round) + " is open and starts from the base before it.";
    spdlog::warn("{}", said);
    return said;
}

Result<std::string> RoundKeeper::command(const std::string& kind) {
    m_refusal.clear();
    const std::int64_t round = m_now.round;
    if (kind == "close-round") {
        const auto counts = m_parts.store.countsOf(round);
        if (!counts) { return counts.error(); }
        m_now.committed = counts->committed;
        feed(OperatorCloses{});
        if (!m_refusal.empty()) { return Error{ErrorCode::Conflict, m_refusal, {}}; }
        if (m_now.round == round) { return Error{ErrorCode::Io, "The round's contributions are fixed, but the merge failed; it is tried again. The server's log says why.", {}}; }
        return "Round " + std::to_string(round) + " is closed; round " + std::to_string(m_now.round) + " is open.";
    }
    if (kind == "rollback") { return rollBack(); }
    if (kind == "halt" || kind == "resume") {
        const bool halt = kind == "halt";
        feed(halt ? RoundEvent(OperatorHalts{}) : RoundEvent(OperatorResumes{}));
        if (!m_refusal.empty()) { return Error{ErrorCode::Conflict, m_refusal, {}}; }
        const auto set = m_parts.store.setHalted(round, halt);
        if (!set) { return set.error(); }
        return halt ? std::string("The project is halted: no work is given out until 'resume'.") : std::string("The project goes on.");
    }
    return Error{ErrorCode::InvalidArgument, "There is no such command.", kind};
}

void RoundKeeper::answerCommands() {
    const auto open = m_parts.store.openCommands();
    if (!open) {
        spdlog::error("reading operator commands: {}", open.error().text());
        return;
    }
    for (const auto& row : *open) {
        const auto answer = command(row.kind);
        const core::Json json = answer ? core::Json{{"ok", true}, {"message", *answer}} : core::Json{{"ok", false}, {"message", answer.error().message}};
        if (const auto told = m_parts.store.answerCommand(row.id, json.dump()); !told) { spdlog::error("answering an operator command: {}", told.error().text()); }
    }
}

}  // namespace sunloco::server
