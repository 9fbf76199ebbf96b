// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/sensor.h"

#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sunloco::platform {

/// One sensor as `sunloco-ctl test` shows it.
struct SensorReport {
    QString name;
    Sensor::Health health = Sensor::Health::Starting;
    QString problem;
};

/// Owns the sensors, polls them with one timer and puts their readings into one snapshot.
/// Thread: the main thread. Idle wake-ups: one timer tick every 10 s; while training one every 250 ms where the idle time must be polled.
class SensorHub final : public QObject {
    Q_OBJECT
public:
    SensorHub(const core::Clock& clock, std::vector<std::unique_ptr<Sensor>> sensors, QObject* parent = nullptr);
    ~SensorHub() override;

    void start();
    /// All readings now, with their ages; the agent adds its own (work, used disk) before it asks the rules.
    [[nodiscard]] rules::SensorSnapshot snapshot() const;
    /// Alert while a worker runs, Calm otherwise.
    void setPace(Pace pace);
    [[nodiscard]] Pace pace() const { return m_pace; }
    [[nodiscard]] std::vector<SensorReport> report() const;
    /// To be called when the worker is silent after aboutToSleep(): lets the system go to sleep at once instead of after its waiting time.
    void readyToSleep();

Q_SIGNALS:
    /// A reading changed; at most once per turn of the event loop.
    void changed();
    /// The system goes to sleep within about five seconds: save, stop the worker, call readyToSleep().
    void aboutToSleep();
    /// The system is back.
    void resumed();

private:
    void tick();
    void schedule();
    void noteChange();
    void noticeSleepByClocks();
    void noticeSleepBySensor();

    const core::Clock& m_clock;
    std::vector<std::unique_ptr<Sensor>> m_sensors;
    std::vector<core::MonotonicMs> m_due;
    QTimer m_timer;
    Pace m_pace = Pace::Calm;
    bool m_changePending = false;
    bool m_sleepPending = false;
    core::MonotonicMs m_startedAt = 0;
    core::MonotonicMs m_resumedAt = 0;
    core::MonotonicMs m_lastMonotonic = 0;
    core::UtcMs m_lastUtc = 0;
};

/// Where the sensors of this system look; tests point them elsewhere.
struct SensorOptions {
    std::filesystem::path dataFolder;                               ///< its file system is the one whose free space counts
    std::filesystem::path powerSupplyFolder = "/sys/class/power_supply";
    QString display;                                                ///< X11 display; empty: $DISPLAY, and none in a Wayland session
    QString systemBus;                                              ///< D-Bus address; empty: the system's
    QString sessionBus;                                             ///< D-Bus address; empty: the session's
};

/// The sensors of the operating system this was built for, most trusted first. Defined once per system (linux/, null/).
std::vector<std::unique_ptr<Sensor>> makeSystemSensors(const core::Clock& clock, const SensorOptions& options);

}  // namespace sunloco::platform
