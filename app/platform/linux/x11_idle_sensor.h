// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/sensor.h"

#include <memory>

namespace sunloco::platform {

class X11IdleThread;

/// Idle time of an X11 session by the XScreenSaver extension. libX11 and libXss are loaded at run time; their calls can hang on a dead server,
/// so they live in a thread of their own. Not for Wayland sessions: there the counter sees X windows only.
class X11IdleSensor final : public Sensor {
    Q_OBJECT
public:
    /// `display`: "" = $DISPLAY.
    X11IdleSensor(const core::Clock& clock, const QString& display);
    ~X11IdleSensor() override;

    void start() override {}
    void poll() override;
    [[nodiscard]] int pollInterval(Pace pace) const override;
    void setPace(Pace pace) override;
    void contribute(rules::SensorSnapshot& snapshot) const override;

private:
    friend class X11IdleThread;
    void onIdle(std::int64_t idleMs);
    void onFailure(const QString& problem);

    std::shared_ptr<X11IdleThread> m_thread;
    Pace m_pace = Pace::Calm;
    bool m_waiting = false;
    core::MonotonicMs m_askedAt = 0;
    bool m_known = false;
    std::int64_t m_idleMs = 0;
    core::MonotonicMs m_measuredAt = 0;
    core::MonotonicMs m_announcedAt = 0;
};

}  // namespace sunloco::platform
