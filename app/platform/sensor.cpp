// SPDX-License-Identifier: Apache-2.0
#include "app/platform/sensor.h"

#include "app/platform/platform_log.h"

#include <algorithm>
#include <utility>

Q_LOGGING_CATEGORY(lcPlatform, "sunloco.platform")

namespace sunloco::platform {

Sensor::Sensor(QString name, const core::Clock& clock, QObject* parent) : QObject(parent), m_name(std::move(name)), m_clock(clock) {}

bool Sensor::mayBePolled() {
    if (m_health == Health::Dropped && now() - m_droppedAt >= kRevivalMs) {
        qCInfo(lcPlatform).noquote() << QStringLiteral("%1: tried again after its rest").arg(m_name);
        m_health = Health::Starting;
        m_failures = 0;
    }
    return m_health != Health::Dropped;
}

void Sensor::noteSuccess() {
    m_failures = 0;
    m_problem.clear();
    m_health = Health::Working;
}

void Sensor::noteFailure(const QString& problem) {
    m_problem = problem;
    if (m_health == Health::Dropped || ++m_failures < kFailuresToDrop) {
        return;
    }
    m_health = Health::Dropped;
    m_droppedAt = now();
    qCWarning(lcPlatform).noquote() << QStringLiteral("%1: failed %2 times and is left out for %3 min; last problem: %4")
                                           .arg(m_name)
                                           .arg(kFailuresToDrop)
                                           .arg(kRevivalMs / 60'000)
                                           .arg(problem);
    Q_EMIT readingChanged();
}

void Sensor::noteAbsent(const QString& problem) {
    m_failures = 0;
    m_problem = problem;
    m_health = Health::Absent;
}

rules::UnknownReason Sensor::unknownReason() const {
    switch (m_health) {
    case Health::Starting: return rules::UnknownReason::Starting;
    case Health::Absent: return rules::UnknownReason::NoSource;
    case Health::Working:
    case Health::Dropped: break;
    }
    return rules::UnknownReason::NoAnswer;
}

void mergeIdle(rules::SensorSnapshot& snapshot, const rules::Reading<std::int64_t>& idleMs) {
    rules::Reading<std::int64_t>& merged = snapshot.userIdleMs;
    if (!merged.isKnown() || !idleMs.isKnown()) {
        mergeReading(merged, idleMs);
        return;
    }
    // The time of the last input decides, whatever the age of the measurement: idle + age is a lower bound of how long ago it was measured to be.
    if (*idleMs.value + idleMs.ageMs < *merged.value + merged.ageMs) {
        merged = idleMs;
    }
}

}  // namespace sunloco::platform
