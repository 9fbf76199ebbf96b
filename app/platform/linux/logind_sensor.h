// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/linux/dbus_properties.h"
#include "app/platform/sensor.h"

#include <QDBusUnixFileDescriptor>

#include <memory>
#include <optional>

namespace sunloco::platform {

/// Lock screen, login time and the announcement of sleep by systemd-logind. Holds a "delay" inhibitor, so that sleep waits (at most
/// InhibitDelayMaxSec, usually 5 s) until the worker has saved. Its IdleHint is not used: several desktops never set it.
class LogindSensor final : public Sensor {
    Q_OBJECT
public:
    LogindSensor(const core::Clock& clock, QDBusConnection systemBus);

    void start() override;
    void readyToSleep() override;
    void contribute(rules::SensorSnapshot& snapshot) const override;

private Q_SLOTS:
    void onPrepareForSleep(bool starting);

private:
    void findSession();
    void watchSession(const QString& path);
    void takeDelay();

    QDBusConnection m_bus;
    std::unique_ptr<DBusProperties> m_manager;
    std::unique_ptr<DBusProperties> m_user;
    std::unique_ptr<DBusProperties> m_session;
    QString m_sessionPath;
    std::optional<bool> m_sleepPending;
    std::optional<QDBusUnixFileDescriptor> m_delay;
};

}  // namespace sunloco::platform
