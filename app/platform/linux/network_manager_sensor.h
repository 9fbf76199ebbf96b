// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/linux/dbus_properties.h"
#include "app/platform/sensor.h"

namespace sunloco::platform {

/// Does data cost money on this network? NetworkManager's Metered. Events only.
class NetworkManagerSensor final : public Sensor {
    Q_OBJECT
public:
    NetworkManagerSensor(const core::Clock& clock, QDBusConnection systemBus);

    void start() override { m_manager.start(); }
    void contribute(rules::SensorSnapshot& snapshot) const override;

private:
    void onChanged();

    DBusProperties m_manager;
};

}  // namespace sunloco::platform
