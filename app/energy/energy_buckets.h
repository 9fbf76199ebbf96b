// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace sunloco::energy {

/// Whose energy it was. Without a meter of the house, energy from the mains is Unknown.
enum class Origin { Solar, Battery, Grid, Unknown };

/// Own energy of one quarter of an hour, in whole milliwatt-seconds so that sums never drift.
struct EnergyBucket {
    core::UtcMs startUtc = 0;                        ///< a multiple of 15 minutes
    std::array<std::int64_t, 4> milliJoules{};       ///< by Origin
    std::int64_t estimatedMilliJoules = 0;           ///< the part of all of them that was estimated
    std::int64_t measuredMs = 0;                     ///< time covered by readings while something ran
    std::int64_t gapMs = 0;                          ///< time in which something ran and no reading came

    [[nodiscard]] std::int64_t totalMilliJoules() const;
    [[nodiscard]] double wattHours() const { return static_cast<double>(totalMilliJoules()) / 3.6e6; }
    [[nodiscard]] bool isEstimate() const { return estimatedMilliJoules > 0; }
};

/// Integrates power readings into 15-minute buckets in UTC. Pure; the agent stores takeChanged() in its journal.
class EnergyBuckets {
public:
    static constexpr core::UtcMs kBucketMs = 15 * 60'000;
    /// Longer than this between two readings is a gap: no energy is invented for it.
    static constexpr core::UtcMs kMaxStepMs = 60'000;

    /// A reading at `now`: `watts` held since the reading before. The first reading, one after stop() and one after a jump of the clock only set the start.
    void add(core::UtcMs now, double watts, Origin origin, bool isEstimate);
    /// Nothing runs from now on: the time until the next add() is no gap. Call add() with the last reading first.
    void stop();

    /// What changed since the last call, oldest first: amounts to be ADDED to what is stored for their bucket.
    [[nodiscard]] std::vector<EnergyBucket> takeChanged();
    [[nodiscard]] static core::UtcMs bucketStart(core::UtcMs at);

private:
    std::map<core::UtcMs, EnergyBucket> m_changed;
    core::UtcMs m_last = 0;
    bool m_running = false;
};

}  // namespace sunloco::energy
