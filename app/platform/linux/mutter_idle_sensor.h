// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/sensor.h"

#include <QDBusConnection>

namespace sunloco::platform {

/// Idle time by the compositor's IdleMonitor: GNOME (Mutter) and Cinnamon (Muffin), X11 and Wayland alike.
/// While training, an "active watch" reports the user's return at once.
class MutterIdleSensor final : public Sensor {
    Q_OBJECT
public:
    enum class Desktop { Gnome, Cinnamon };
    MutterIdleSensor(const core::Clock& clock, QDBusConnection sessionBus, Desktop desktop);

    void start() override;
    void poll() override;
    [[nodiscard]] int pollInterval(Pace pace) const override;
    void setPace(Pace pace) override;
    void contribute(rules::SensorSnapshot& snapshot) const override;

private Q_SLOTS:
    void onWatchFired(uint id);

private:
    void armWatch();

    QDBusConnection m_bus;
    QString m_service;
    QString m_path;
    QString m_interface;
    Pace m_pace = Pace::Calm;
    bool m_serviceThere = false;
    bool m_waiting = false;
    bool m_arming = false;
    uint m_watch = 0;
    bool m_known = false;
    std::int64_t m_idleMs = 0;
    core::MonotonicMs m_measuredAt = 0;
};

}  // namespace sunloco::platform
