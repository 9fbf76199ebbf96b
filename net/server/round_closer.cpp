// SPDX-License-Identifier: Apache-2.0
#include "net/server/round_closer.h"

#include "engine/codec/codec.h"
#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "engine/outer/event_log.h"
#include "engine/outer/round_close.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace sunloco::server {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;

namespace {

constexpr const char* kMomentum = "momentum";
constexpr const char* kResidual = "residual";
constexpr const char* kRevision = "revision";

core::ByteView bytesOf(const std::vector<float>& values) { return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(float)}; }

Result<void> saveOuter(const fs::path& path, const outer::OuterState& state) {
    // The revision is a tensor too, so that the file is never empty (FedAvg with lossless updates remembers nothing else).
    const std::vector<std::int32_t> revision = {static_cast<std::int32_t>(state.revision)};
    std::vector<core::TensorToWrite> tensors = {
        {kRevision, core::DType::I32, {1}, {reinterpret_cast<const std::uint8_t*>(revision.data()), sizeof(std::int32_t)}}};
    const auto add = [&](const char* name, const std::vector<float>& values) {
        if (!values.empty()) { tensors.push_back({name, core::DType::F32, {static_cast<std::int64_t>(values.size())}, bytesOf(values)}); }
    };
    add(kMomentum, state.momentum);
    add(kResidual, state.residual);
    return core::writeSafetensors(path, std::move(tensors));
}

Result<outer::OuterState> loadOuter(const fs::path& path, const core::Recipe& recipe, std::size_t elements) {
    const auto header = core::readSafetensorsHeader(path);
    if (!header) { return header.error(); }
    outer::OuterState state;
    const auto read = [&](const char* name, std::vector<float>& values) -> Result<void> {
        const core::TensorInfo* info = header->find(name);
        if (info == nullptr) { return {}; }   // the method does not use it
        auto tensor = core::readFloatTensor(path, *info);
        if (!tensor) { return tensor.error(); }
        values = std::move(*tensor);
        return {};
    };
    if (const auto done = read(kMomentum, state.momentum); !done) { return done.error(); }
    if (const auto done = read(kResidual, state.residual); !done) { return done.error(); }
    const core::TensorInfo* info = header->find(kRevision);
    if (info == nullptr) { return Error{ErrorCode::InvalidData, "the outer optimizer's memory has no revision", path.string()}; }
    const auto revision = core::readIntTensor(path, *info);
    if (!revision) { return revision.error(); }
    state.revision = revision->empty() ? 0 : revision->front();
    if (const auto fits = outer::fitOuterState(recipe, elements, state); !fits) { return fits.error(); }
    return state;
}

outer::RoundClosedEvent eventOf(std::int64_t round, const std::vector<MergeInput>& inputs) {
    outer::RoundClosedEvent event;
    event.round = round;
    for (const auto& input : inputs) {
        outer::LoggedContribution logged;
        logged.id = input.row.id;
        logged.device = input.row.device;
        logged.tokens = input.row.tokens;
        logged.steps = input.row.steps;
        for (const auto& part : input.parts) { logged.parts.push_back({part.sha256, part.bytes, part.first, part.elements}); }
        event.contributions.push_back(std::move(logged));
    }
    return event;
}

/// The round of the log's newest event; -1 = empty log.
std::int64_t lastRound(const outer::EventLog& log) {
    if (log.events().empty()) { return -1; }
    const outer::Event& last = log.events().back();
    if (const auto* closed = std::get_if<outer::RoundClosedEvent>(&last)) { return closed->round; }
    if (const auto* rolled = std::get_if<outer::RolledBackEvent>(&last)) { return rolled->round; }
    return 0;
}

}  // namespace

struct RoundCloser::State {
    core::TensorLayout layout;
    std::int64_t round = -1;
    core::Digest baseHash;
    std::vector<float> arena;
    outer::OuterState outerState;
    std::optional<outer::EventLog> log;

    Result<void> openLog(const fs::path& path) {
        if (log) { return {}; }
        auto opened = outer::EventLog::open(path);
        if (!opened) { return opened.error(); }
        log.emplace(std::move(*opened));
        return {};
    }
};

RoundCloser::RoundCloser(const ProjectFolder& folder, const protocol::Manifest& manifest, FileBlobStore& objects)
    : m_folder(folder), m_manifest(manifest), m_objects(objects), m_state(std::make_unique<State>()) {
    m_state->layout = core::makeLayout(manifest.model);
}
RoundCloser::~RoundCloser() = default;

BaseFiles RoundCloser::filesOf(std::int64_t round) const {
    const std::string number = std::to_string(round);
    return {m_folder.state() / ("base-" + number + ".safetensors"), m_folder.state() / ("outer-" + number + ".safetensors")};
}

fs::path RoundCloser::initialFile() const { return m_objects.pathOf(m_manifest.initial.object.sha256); }
const core::Digest& RoundCloser::baseHash() const { return m_state->baseHash; }
std::int64_t RoundCloser::loadedRound() const { return m_state->round; }
std::int64_t RoundCloser::elements() const { return m_state->layout.total; }

Result<void> RoundCloser::saveState(std::int64_t round) {
    const BaseFiles files = filesOf(round);
    if (const auto saved = core::saveArena(files.base, m_state->arena, m_state->layout); !saved) { return saved; }
    return saveOuter(files.outer, m_state->outerState);
}

Result<void> RoundCloser::writeInitial(std::span<const float> arena) {
    m_state->arena.assign(arena.begin(), arena.end());
    m_state->outerState = {};
    if (const auto fits = outer::fitOuterState(m_manifest.recipe, m_state->arena.size(), m_state->outerState); !fits) { return fits; }
    m_state->round = 0;
    m_state->baseHash = core::arenaHash(arena);
    if (const auto saved = saveState(0); !saved) { return saved; }
    if (const auto opened = m_state->openLog(m_folder.eventLog()); !opened) { return opened; }
    if (!m_state->log->events().empty()) { return Error{ErrorCode::AlreadyExists, "the event log is not empty", m_folder.eventLog().string()}; }
    outer::InitEvent event;
    event.recipe = m_manifest.recipe;
    event.modelJson = m_manifest.modelJson;
    event.baseHash = m_state->baseHash;
    event.baseObject = m_manifest.initial.object.sha256;
    return m_state->log->append(event);
}

Result<void> RoundCloser::load(std::int64_t round, const core::Digest& baseHash) {
    m_state->round = -1;
    const BaseFiles files = filesOf(round);
    auto arena = core::loadArena(files.base, m_state->layout);
    if (!arena) { return arena.error(); }
    if (core::arenaHash(*arena) != baseHash) { return Error{ErrorCode::HashMismatch, "the base on the disk is not the base of the open round; restore the folder from a backup", files.base.string()}; }
    auto outerState = loadOuter(files.outer, m_manifest.recipe, arena->size());
    if (!outerState) { return outerState.error(); }
    if (const auto opened = m_state->openLog(m_folder.eventLog()); !opened) { return opened; }
    m_state->arena = std::move(*arena);
    m_state->outerState = std::move(*outerState);
    m_state->baseHash = baseHash;
    m_state->round = round;
    return {};
}

Result<void> RoundCloser::readRange(const MergeInput& input, std::int64_t first, std::span<float> delta) const {
    const std::int64_t end = first + static_cast<std::int64_t>(delta.size());
    std::int64_t next = first;
    for (const auto& part : input.parts) {
        if (part.first + part.elements <= first || part.first >= end) { continue; }
        if (part.first != next || part.elements < 1 || part.elements > end - next) { return Error{ErrorCode::InvalidData, "the parts do not cover the model", input.row.id}; }
        const auto bytes = m_objects.load(part.sha256, static_cast<std::uint64_t>(part.bytes));
        if (!bytes) { return bytes.error(); }
        const auto target = delta.subspan(static_cast<std::size_t>(part.first - first), static_cast<std::size_t>(part.elements));
        if (const auto done = codec::decodeFragment(*bytes, part.first, target); !done) { return Error{done.error().code, done.error().message, input.row.id}; }
        next += part.elements;
    }
    if (next != end) { return Error{ErrorCode::InvalidData, "the parts do not cover the model", input.row.id}; }
    return {};
}

Result<MergedRound> RoundCloser::close(std::int64_t round, const std::vector<MergeInput>& inputs) {
    if (m_state->round != round - 1) { return Error{ErrorCode::Internal, "the base of the round is not loaded", {}}; }
    MergedRound merged;
    std::vector<MergeInput> sound = inputs;
    std::sort(sound.begin(), sound.end(), [](const MergeInput& a, const MergeInput& b) { return a.row.id < b.row.id; });
    m_state->round = -1;   // half a merge must never be taken for a base
    std::optional<outer::ClosedRound> closed;
    while (!closed && !sound.empty()) {
        std::vector<outer::RoundContribution> contributions;
        for (const auto& input : sound) {
            contributions.push_back({input.row.id, input.row.tokens, {}, [this, &input](std::int64_t first, std::span<float> delta) { return readRange(input, first, delta); }});
        }
        auto result = outer::closeRound(m_manifest.recipe, m_state->arena, m_state->outerState, contributions);
        if (result) {
            closed.emplace(std::move(*result));
            break;
        }
        // A contribution that cannot be merged is left out and rejected; it costs the others nothing. Our own disk failing is nobody's fault:
        // then the whole merge is tried again later.
        const Error& error = result.error();
        const auto guilty = std::find_if(sound.begin(), sound.end(), [&](const MergeInput& input) { return input.row.id == error.context; });
        const bool theirs = error.code == ErrorCode::InvalidData || error.code == ErrorCode::Numeric || error.code == ErrorCode::VersionTooNew;
        if (guilty == sound.end() || !theirs) {
            m_state->round = round - 1;   // an error leaves base and optimizer as they were
            return error;
        }
        spdlog::warn("contribution {}: {}", guilty->row.id, error.text());
        merged.rejected[guilty->row.id] = error.code == ErrorCode::Numeric ? "not-finite" : "bad-part";
        sound.erase(guilty);
    }
    if (!closed) {
        m_state->round = round - 1;
        return merged;
    }
    for (const auto& input : sound) { merged.tokens += input.row.tokens; }
    for (const auto& input : sound) { merged.weights[input.row.id] = static_cast<double>(input.row.tokens) / static_cast<double>(merged.tokens); }
    const auto update = m_objects.put(closed->update);
    if (!update) { return update.error(); }
    merged.update = {*update, static_cast<std::int64_t>(closed->update.size())};
    merged.baseHash = closed->baseHash;
    if (const auto saved = saveState(round); !saved) { return saved.error(); }

    outer::RoundClosedEvent event = eventOf(round, sound);
    event.updateObject = *update;
    event.baseHash = closed->baseHash;
    event.momentumHash = closed->momentumHash;
    if (lastRound(*m_state->log) == round) {
        // The log has this round already: the server ended between writing the log and the database. The bits must be the same.
        const auto* logged = std::get_if<outer::RoundClosedEvent>(&m_state->log->events().back());
        if (logged == nullptr || logged->baseHash != event.baseHash || logged->updateObject != event.updateObject) {
            return Error{ErrorCode::Internal, "merging the round again gave other bits than the event log has", m_folder.eventLog().string()};
        }
    } else if (const auto appended = m_state->log->append(event); !appended) {
        return appended.error();
    }
    m_state->baseHash = closed->baseHash;
    m_state->round = round;
    return merged;
}

Result<protocol::CheckpointRef> RoundCloser::makeCheckpoint(std::int64_t round) {
    if (m_state->round != round) { return Error{ErrorCode::Internal, "the base of the checkpoint is not loaded", {}}; }
    const auto adopted = m_objects.adoptFile(filesOf(round).base);
    if (!adopted) { return adopted.error(); }
    protocol::CheckpointRef checkpoint;
    checkpoint.round = round;
    checkpoint.object = {adopted->first, static_cast<std::int64_t>(adopted->second)};
    checkpoint.baseHash = m_state->baseHash;
    return checkpoint;
}

Result<void> RoundCloser::rollBack(std::int64_t from, std::int64_t to) {
    if (m_state->round != from) { return Error{ErrorCode::Internal, "the base to go back to is not loaded", {}}; }
    if (const auto saved = saveState(to); !saved) { return saved; }
    if (lastRound(*m_state->log) != to) {
        const outer::RolledBackEvent event{to, from, m_state->baseHash};
        if (const auto appended = m_state->log->append(event); !appended) { return appended; }
    }
    m_state->round = to;
    return {};
}

void RoundCloser::prune(std::int64_t openRound) {
    std::error_code ec;
    for (const auto& entry : fs::directory_iterator(m_folder.state(), ec)) {
        const std::string name = entry.path().filename().string();
        const auto dash = name.find('-');
        const auto dot = name.find('.', dash);
        if (dash == std::string::npos || dot == std::string::npos) { continue; }
        const std::int64_t round = std::strtoll(name.substr(dash + 1, dot - dash - 1).c_str(), nullptr, 10);
        // The open round needs openRound - 1; undoing the last round needs openRound - 2.
        if (round < openRound - 2) {
            std::error_code ignored;
            fs::remove(entry.path(), ignored);
        }
    }
}

}  // namespace sunloco::server
