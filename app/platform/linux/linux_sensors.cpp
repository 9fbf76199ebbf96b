// SPDX-License-Identifier: Apache-2.0
// The sensors of Linux, most trusted first. A new one is a file in this folder and a line here.
#include "app/platform/disk_sensor.h"
#include "app/platform/linux/logind_sensor.h"
#include "app/platform/linux/mutter_idle_sensor.h"
#include "app/platform/linux/network_manager_sensor.h"
#include "app/platform/linux/power_supply_sensor.h"
#include "app/platform/linux/upower_sensor.h"
#ifdef SUNLOCO_HAVE_XSS
#include "app/platform/linux/x11_idle_sensor.h"
#endif
#include "app/platform/sensor_hub.h"

namespace sunloco::platform {
namespace {

/// Under Wayland an X11 server is there for old programs only and sees nothing of the others' input; a dead one may even hang.
bool isX11Session() {
    return qgetenv("XDG_SESSION_TYPE") != "wayland" && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") && !qEnvironmentVariableIsEmpty("DISPLAY");
}

}  // namespace

std::vector<std::unique_ptr<Sensor>> makeSystemSensors(const core::Clock& clock, const SensorOptions& options) {
    const QDBusConnection system = connectToBus(QDBusConnection::SystemBus, options.systemBus);
    const QDBusConnection session = connectToBus(QDBusConnection::SessionBus, options.sessionBus);
    std::vector<std::unique_ptr<Sensor>> sensors;
    sensors.push_back(std::make_unique<MutterIdleSensor>(clock, session, MutterIdleSensor::Desktop::Gnome));
    sensors.push_back(std::make_unique<MutterIdleSensor>(clock, session, MutterIdleSensor::Desktop::Cinnamon));
#ifdef SUNLOCO_HAVE_XSS
    if (!options.display.isEmpty() || isX11Session()) {
        sensors.push_back(std::make_unique<X11IdleSensor>(clock, options.display));
    }
#endif
    sensors.push_back(std::make_unique<LogindSensor>(clock, system));
    sensors.push_back(std::make_unique<UPowerSensor>(clock, system));
    sensors.push_back(std::make_unique<PowerSupplySensor>(clock, options.powerSupplyFolder));
    sensors.push_back(std::make_unique<NetworkManagerSensor>(clock, system));
    sensors.push_back(std::make_unique<DiskSensor>(clock, options.dataFolder));
    return sensors;
}

}  // namespace sunloco::platform
