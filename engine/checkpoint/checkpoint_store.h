// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/fault_policy.h"
#include "engine/core/sha256.h"
#include "engine/train/loss_band.h"

#include <filesystem>
#include <optional>
#include <span>

namespace sunloco::checkpoint {

/// Everything of a training job that is not an arena. `step` is the data cursor too: step i reads the examples that the job assigns to step i.
struct Counters {
    std::int64_t step = 0;       ///< inner steps done
    std::int64_t adamSteps = 0;
    double entryLoss = 0;        ///< nats per token of step 0
    double lastLoss = 0;
    double activeSeconds = 0;
    train::LossBand band;
};

struct ArenaViews {
    std::span<const float> weights, firstMoment, secondMoment;
};
struct ArenaTargets {
    std::span<float> weights, firstMoment, secondMoment;
};

/// What saving may write in a day of work without a pause: a solid-state disk that stands 600 TB then lasts 30 years.
inline constexpr double kDailySaveBytes = 50e9;
/// Seconds of work between two checkpoints of so many bytes: `wanted`, or longer where that would write more than kDailySaveBytes in a day. 0 stays 0
/// (after every step: tests).
double secondsBetweenSaves(double wanted, std::int64_t checkpointBytes);

/// Two generations of a job's state in its folder.
class CheckpointStore {
public:
    /// `job` is the SHA-256 of job.json: a checkpoint of another job in the same folder is not taken up.
    CheckpointStore(std::filesystem::path folder, core::Digest job, core::FaultPolicy* faults = nullptr);

    /// Replaces the older generation; the newer one stays untouched until this one is complete.
    core::Result<void> save(const Counters& counters, const ArenaViews& arenas);

    /// Fills the arenas from the newest generation whose hashes match; no value when there is none (a fresh start).
    core::Result<std::optional<Counters>> loadNewest(const ArenaTargets& arenas);

    /// Removes both generations.
    void clear();

private:
    struct Manifest {
        std::int64_t generation = 0;
        Counters counters;
        core::Digest weights, firstMoment, secondMoment;
    };
    [[nodiscard]] std::filesystem::path dataPath(std::int64_t generation) const;
    [[nodiscard]] std::filesystem::path manifestPath(std::int64_t generation) const;
    core::Result<Manifest> readManifest(std::int64_t slot) const;
    core::Result<void> readArenas(const Manifest& manifest, const ArenaTargets& arenas) const;

    std::filesystem::path m_folder;
    core::Digest m_job;
    core::FaultPolicy* m_faults;
    std::int64_t m_generation = -1;  ///< newest one known; -1: not looked yet
};

}  // namespace sunloco::checkpoint
