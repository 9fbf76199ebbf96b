// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/linux/dbus_properties.h"
#include "app/platform/sensor.h"

namespace sunloco::platform {

/// Mains, battery or uninterruptible supply by UPower: its OnBattery and its DisplayDevice. Events only.
class UPowerSensor final : public Sensor {
    Q_OBJECT
public:
    UPowerSensor(const core::Clock& clock, QDBusConnection systemBus);

    void start() override;
    void contribute(rules::SensorSnapshot& snapshot) const override;

private:
    void onChanged();

    DBusProperties m_daemon;
    DBusProperties m_device;
};

}  // namespace sunloco::platform
