// SPDX-License-Identifier: Apache-2.0
#include "app/energy/energy_buckets.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sunloco::energy {

std::int64_t EnergyBucket::totalMilliJoules() const { return std::accumulate(milliJoules.begin(), milliJoules.end(), std::int64_t{0}); }

core::UtcMs EnergyBuckets::bucketStart(core::UtcMs at) {
    const core::UtcMs rest = ((at % kBucketMs) + kBucketMs) % kBucketMs;
    return at - rest;
}

void EnergyBuckets::add(core::UtcMs now, double watts, Origin origin, bool isEstimate) {
    const core::UtcMs from = m_last;
    const bool counts = m_running && now > from;
    m_last = now;
    m_running = true;
    // Absurd numbers come from counters that were reset; they are no energy.
    if (!counts || !std::isfinite(watts) || watts < 0) {
        return;
    }
    const bool gap = now - from > kMaxStepMs;
    for (core::UtcMs at = from; at < now;) {
        const core::UtcMs start = bucketStart(at);
        const core::UtcMs end = std::min(now, start + kBucketMs);
        EnergyBucket& bucket = m_changed[start];
        bucket.startUtc = start;
        if (gap) {
            bucket.gapMs += end - at;
        } else {
            // W * ms = mJ.
            const auto amount = static_cast<std::int64_t>(std::llround(watts * static_cast<double>(end - at)));
            bucket.milliJoules[static_cast<std::size_t>(origin)] += amount;
            bucket.estimatedMilliJoules += isEstimate ? amount : 0;
            bucket.measuredMs += end - at;
        }
        at = end;
    }
}

void EnergyBuckets::stop() { m_running = false; }

std::vector<EnergyBucket> EnergyBuckets::takeChanged() {
    std::vector<EnergyBucket> taken;
    taken.reserve(m_changed.size());
    for (auto& [start, bucket] : m_changed) {
        taken.push_back(bucket);
    }
    m_changed.clear();
    return taken;
}

}  // namespace sunloco::energy
