// SPDX-License-Identifier: Apache-2.0
#include "app/platform/sensor_hub.h"

#include "app/platform/platform_log.h"

#include <algorithm>

namespace sunloco::platform {
namespace {

/// The hub looks at the clocks and at slow sensors this often even when no sensor needs polling.
constexpr int kCalmTickMs = 10'000;
/// A sensor that is due within this time is polled with the one that is due now, so that wake-ups fall together.
constexpr int kTogetherMs = 100;
/// The wall clock ran this much further than the monotonic one: the system slept (or the clock was set; a short wait does no harm then).
constexpr std::int64_t kSleepGapMs = 60'000;

}  // namespace

SensorHub::SensorHub(const core::Clock& clock, std::vector<std::unique_ptr<Sensor>> sensors, QObject* parent)
    : QObject(parent), m_clock(clock), m_sensors(std::move(sensors)), m_due(m_sensors.size(), 0) {
    m_startedAt = m_resumedAt = m_lastMonotonic = m_clock.monotonicNow();
    m_lastUtc = m_clock.utcNow();
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::CoarseTimer);
    connect(&m_timer, &QTimer::timeout, this, &SensorHub::tick);
    for (const auto& sensor : m_sensors) {
        connect(sensor.get(), &Sensor::readingChanged, this, &SensorHub::noteChange);
    }
}

SensorHub::~SensorHub() = default;

void SensorHub::start() {
    for (const auto& sensor : m_sensors) {
        sensor->start();
    }
    tick();
}

void SensorHub::setPace(Pace pace) {
    if (pace == m_pace) {
        return;
    }
    m_pace = pace;
    for (const auto& sensor : m_sensors) {
        sensor->setPace(pace);
    }
    std::fill(m_due.begin(), m_due.end(), 0);
    schedule();
}

void SensorHub::readyToSleep() {
    for (const auto& sensor : m_sensors) {
        sensor->readyToSleep();
    }
}

void SensorHub::tick() {
    noticeSleepByClocks();
    const core::MonotonicMs now = m_clock.monotonicNow();
    for (std::size_t i = 0; i < m_sensors.size(); ++i) {
        const int interval = m_sensors[i]->pollInterval(m_pace);
        if (interval > 0 && now + kTogetherMs >= m_due[i]) {
            m_due[i] = now + interval;
            if (m_sensors[i]->mayBePolled()) {
                m_sensors[i]->poll();
            }
        }
    }
    schedule();
}

void SensorHub::schedule() {
    const core::MonotonicMs now = m_clock.monotonicNow();
    core::MonotonicMs next = now + kCalmTickMs;
    for (std::size_t i = 0; i < m_sensors.size(); ++i) {
        if (m_sensors[i]->pollInterval(m_pace) > 0 && m_sensors[i]->health() != Sensor::Health::Dropped) {
            next = std::min(next, m_due[i]);
        }
    }
    m_timer.start(static_cast<int>(std::max<core::MonotonicMs>(next - now, 0)));
}

void SensorHub::noteChange() {
    noticeSleepBySensor();
    if (m_changePending) {
        return;
    }
    m_changePending = true;
    QMetaObject::invokeMethod(
        this,
        [this] {
            m_changePending = false;
            Q_EMIT changed();
        },
        Qt::QueuedConnection);
}

void SensorHub::noticeSleepByClocks() {
    const core::MonotonicMs monotonic = m_clock.monotonicNow();
    const core::UtcMs utc = m_clock.utcNow();
    const std::int64_t gap = (utc - m_lastUtc) - (monotonic - m_lastMonotonic);
    m_lastMonotonic = monotonic;
    m_lastUtc = utc;
    if (gap > kSleepGapMs) {
        qCInfo(lcPlatform).noquote() << QStringLiteral("the clocks say that the system slept for %1 s").arg(gap / 1000);
        m_resumedAt = monotonic;
        noteChange();
        if (!m_sleepPending) {
            Q_EMIT resumed();
        }
    }
}

void SensorHub::noticeSleepBySensor() {
    rules::SensorSnapshot snapshot;
    for (const auto& sensor : m_sensors) {
        sensor->contribute(snapshot);
    }
    const bool pending = snapshot.sleepPending.value == true;
    if (pending == m_sleepPending) {
        return;
    }
    m_sleepPending = pending;
    if (pending) {
        Q_EMIT aboutToSleep();
    } else {
        m_resumedAt = m_clock.monotonicNow();
        Q_EMIT resumed();
    }
}

rules::SensorSnapshot SensorHub::snapshot() const {
    rules::SensorSnapshot snapshot;
    // Until a sensor says otherwise, nobody can tell.
    const auto none = rules::UnknownReason::NoSource;
    snapshot.userIdleMs = rules::Reading<std::int64_t>::unknown(none);
    snapshot.sessionLocked = rules::Reading<bool>::unknown(none);
    snapshot.sleepPending = rules::Reading<bool>::unknown(none);
    snapshot.onBattery = rules::Reading<bool>::unknown(none);
    snapshot.batteryPercent = rules::Reading<double>::unknown(none);
    snapshot.upsOnBattery = rules::Reading<bool>::unknown(none);
    snapshot.meteredNetwork = rules::Reading<bool>::unknown(none);
    snapshot.freeDiskBytes = rules::Reading<std::int64_t>::unknown(none);
    snapshot.awakeMs = rules::Reading<std::int64_t>::unknown(none);
    for (const auto& sensor : m_sensors) {
        sensor->contribute(snapshot);
    }
    const core::MonotonicMs now = m_clock.monotonicNow();
    // The login, where somebody knows it, else our own start; and the last wake-up.
    const std::int64_t sinceLogin = snapshot.awakeMs.value.value_or(now - m_startedAt);
    const bool slept = m_resumedAt > m_startedAt;
    const std::int64_t awake = slept ? std::min(sinceLogin, now - m_resumedAt) : sinceLogin;
    snapshot.awakeMs = rules::Reading<std::int64_t>::known(std::max<std::int64_t>(awake, 0));
    if (snapshot.userIdleMs.isKnown()) {
        // A counter that saw no input at all runs from the display server's start: nobody was idle for longer than the session is awake.
        snapshot.userIdleMs.value = std::min(*snapshot.userIdleMs.value, *snapshot.awakeMs.value);
    }
    return snapshot;
}

std::vector<SensorReport> SensorHub::report() const {
    std::vector<SensorReport> reports;
    reports.reserve(m_sensors.size());
    for (const auto& sensor : m_sensors) {
        reports.push_back({sensor->name(), sensor->health(), sensor->problem()});
    }
    return reports;
}

}  // namespace sunloco::platform
