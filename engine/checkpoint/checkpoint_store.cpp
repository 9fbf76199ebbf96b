// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_store.h"

#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "engine/core/tensor_layout.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sunloco::checkpoint {

namespace {

constexpr std::int64_t kFormat = 1;
constexpr std::int64_t kSlots = 2;
constexpr std::int64_t kMax = std::int64_t{1} << 53;
constexpr double kHuge = 1e300;
constexpr const char* kNames[] = {"weights", "exp_avg", "exp_avg_sq"};

core::ByteView bytesOf(std::span<const float> values) { return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()}; }

/// Reads members one after another and keeps the first error.
class Members {
public:
    Members(const core::Json& object, std::string where) : m_object(object), m_where(std::move(where)) {}
    std::int64_t count(const char* key) { return take(core::intMember(m_object, key, m_where, 0, kMax)); }
    double number(const char* key) { return take(core::numberMember(m_object, key, m_where, -kHuge, kHuge)); }
    core::Digest digest(const char* key) { return take(core::parseDigest(take(core::stringMember(m_object, key, m_where)))); }
    [[nodiscard]] const std::optional<core::Error>& error() const { return m_error; }

private:
    template <typename T>
    T take(core::Result<T> result) {
        if (result) return std::move(result).value();
        if (!m_error) m_error = result.error();
        return T{};
    }
    const core::Json& m_object;
    std::string m_where;
    std::optional<core::Error> m_error;
};

}  // namespace

double secondsBetweenSaves(double wanted, std::int64_t checkpointBytes) {
    constexpr double day = 86'400;
    return wanted > 0 ? std::max(wanted, static_cast<double>(checkpointBytes) * day / kDailySaveBytes) : 0;
}

CheckpointStore::CheckpointStore(std::filesystem::path folder, core::Digest job, core::FaultPolicy* faults)
    : m_folder(std::move(folder)), m_job(job), m_faults(faults) {}

std::filesystem::path CheckpointStore::dataPath(std::int64_t generation) const {
    return m_folder / (generation % kSlots == 0 ? "checkpoint-a.safetensors" : "checkpoint-b.safetensors");
}

std::filesystem::path CheckpointStore::manifestPath(std::int64_t generation) const {
    return m_folder / (generation % kSlots == 0 ? "checkpoint-a.json" : "checkpoint-b.json");
}

core::Result<void> CheckpointStore::save(const Counters& counters, const ArenaViews& arenas) {
    if (m_generation < 0) {  // never overwrite a good newer generation that an earlier process left
        m_generation = 0;
        for (std::int64_t slot = 0; slot < kSlots; ++slot)
            if (auto manifest = readManifest(slot)) m_generation = std::max(m_generation, manifest->generation);
    }
    const std::int64_t next = m_generation + 1;
    const std::span<const float> parts[] = {arenas.weights, arenas.firstMoment, arenas.secondMoment};
    std::vector<core::TensorToWrite> tensors;
    core::Json hashes;
    for (std::size_t i = 0; i < std::size(parts); ++i) {
        tensors.push_back({kNames[i], core::DType::F32, {static_cast<std::int64_t>(parts[i].size())}, bytesOf(parts[i])});
        hashes[kNames[i]] = core::arenaHash(parts[i]).hex();
    }
    if (auto written = core::writeSafetensors(dataPath(next), std::move(tensors), {}, m_faults); !written) return written;
    const core::Json manifest = {{"format", kFormat},
                                 {"generation", next},
                                 {"job", m_job.hex()},
                                 {"step", counters.step},
                                 {"adam_steps", counters.adamSteps},
                                 {"entry_loss", counters.entryLoss},
                                 {"last_loss", counters.lastLoss},
                                 {"active_seconds", counters.activeSeconds},
                                 {"band_mean", counters.band.mean},
                                 {"band_deviation", counters.band.deviation},
                                 {"band_steps", counters.band.steps},
                                 {"hashes", hashes}};
    if (auto written = core::writeFileAtomically(manifestPath(next), core::asBytes(manifest.dump(1)), m_faults, 0600); !written) return written;
    m_generation = next;
    return {};
}

core::Result<CheckpointStore::Manifest> CheckpointStore::readManifest(std::int64_t slot) const {
    const auto path = manifestPath(slot);
    auto text = core::readTextFile(path, 1 << 16);
    if (!text) return text.error();
    auto json = core::parseJson(*text, {}, path.string());
    if (!json) return json.error();
    Members members(*json, path.string());
    if (members.count("format") > kFormat) return core::Error{core::ErrorCode::VersionTooNew, "written by a newer version", path.string()};
    Manifest manifest;
    manifest.generation = members.count("generation");
    const core::Digest job = members.digest("job");
    Counters& c = manifest.counters;
    c.step = members.count("step");
    c.adamSteps = members.count("adam_steps");
    c.entryLoss = members.number("entry_loss");
    c.lastLoss = members.number("last_loss");
    c.activeSeconds = members.number("active_seconds");
    c.band = {members.number("band_mean"), members.number("band_deviation"), members.count("band_steps")};
    auto hashes = core::member(*json, "hashes", path.string());
    if (!hashes) return hashes.error();
    Members named(**hashes, path.string());
    manifest.weights = named.digest(kNames[0]);
    manifest.firstMoment = named.digest(kNames[1]);
    manifest.secondMoment = named.digest(kNames[2]);
    if (members.error()) return *members.error();
    if (named.error()) return *named.error();
    if (job != m_job) return core::Error{core::ErrorCode::Conflict, "belongs to another job", path.string()};
    if (manifest.generation % kSlots != slot) return core::Error{core::ErrorCode::InvalidData, "names a generation of the other slot", path.string()};
    return manifest;
}

core::Result<void> CheckpointStore::readArenas(const Manifest& manifest, const ArenaTargets& arenas) const {
    const auto path = dataPath(manifest.generation);
    auto header = core::readSafetensorsHeader(path);
    if (!header) return header.error();
    const std::span<float> targets[] = {arenas.weights, arenas.firstMoment, arenas.secondMoment};
    const core::Digest* digests[] = {&manifest.weights, &manifest.firstMoment, &manifest.secondMoment};
    for (std::size_t i = 0; i < std::size(targets); ++i) {
        const core::TensorInfo* info = header->find(kNames[i]);
        if (info == nullptr) return core::Error{core::ErrorCode::InvalidData, std::string("no tensor '") + kNames[i] + "'", path.string()};
        auto values = core::readFloatTensor(path, *info);
        if (!values) return values.error();
        if (values->size() != targets[i].size()) return core::Error{core::ErrorCode::InvalidData, "holds another model", path.string()};
        if (core::arenaHash(*values) != *digests[i]) return core::Error{core::ErrorCode::HashMismatch, "was changed on the disk", path.string()};
        std::copy(values->begin(), values->end(), targets[i].begin());
    }
    return {};
}

core::Result<std::optional<Counters>> CheckpointStore::loadNewest(const ArenaTargets& arenas) {
    std::vector<Manifest> found;
    m_generation = 0;
    for (std::int64_t slot = 0; slot < kSlots; ++slot)
        if (auto manifest = readManifest(slot)) {
            m_generation = std::max(m_generation, manifest->generation);
            found.push_back(std::move(*manifest));
        }
    std::sort(found.begin(), found.end(), [](const Manifest& a, const Manifest& b) { return a.generation > b.generation; });
    for (const Manifest& manifest : found)
        if (readArenas(manifest, arenas)) {
            // A damaged newer generation is overwritten first.
            m_generation = manifest.generation;
            return std::optional<Counters>(manifest.counters);
        }
    return std::optional<Counters>();
}

void CheckpointStore::clear() {
    std::error_code ignored;
    for (std::int64_t slot = 0; slot < kSlots; ++slot) {
        std::filesystem::remove(manifestPath(slot), ignored);
        std::filesystem::remove(dataPath(slot), ignored);
    }
    m_generation = 0;
}

}  // namespace sunloco::checkpoint
