// SPDX-License-Identifier: Apache-2.0
#include "app/platform/disk_sensor.h"

#include "engine/core/files.h"

#include <algorithm>
#include <limits>

namespace sunloco::platform {
namespace {

/// Smaller changes are not worth a new decision.
constexpr std::int64_t kNoticeBytes = 64LL << 20;

}  // namespace

DiskSensor::DiskSensor(const core::Clock& clock, std::filesystem::path folder) : Sensor(QStringLiteral("disk"), clock), m_folder(std::move(folder)) {}

int DiskSensor::pollInterval(Pace pace) const { return pace == Pace::Alert ? 10'000 : 30'000; }

void DiskSensor::poll() {
    const auto free = core::freeDiskBytes(m_folder);
    if (!free) {
        m_known = false;
        noteFailure(QString::fromStdString(free.error().text()));
        Q_EMIT readingChanged();
        return;
    }
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(*free, std::numeric_limits<std::int64_t>::max()));
    const bool notable = !m_known || std::abs(bytes - m_freeBytes) >= kNoticeBytes;
    m_measuredAt = now();
    m_known = true;
    noteSuccess();
    if (notable) {
        m_freeBytes = bytes;
        Q_EMIT readingChanged();
    }
    m_freeBytes = bytes;
}

void DiskSensor::contribute(rules::SensorSnapshot& snapshot) const {
    mergeReading(snapshot.freeDiskBytes, m_known ? rules::Reading<std::int64_t>::known(m_freeBytes, now() - m_measuredAt)
                                                 : rules::Reading<std::int64_t>::unknown(unknownReason()));
}

}  // namespace sunloco::platform
