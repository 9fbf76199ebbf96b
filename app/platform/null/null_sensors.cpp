// SPDX-License-Identifier: Apache-2.0
// An operating system without sensors of its own: only the disk is known. Idle time stays unknown, which counts as "in use",
// so that nothing runs there by the rules; the mode "always" and "run now" work.
#include "app/platform/disk_sensor.h"
#include "app/platform/sensor_hub.h"

namespace sunloco::platform {

std::vector<std::unique_ptr<Sensor>> makeSystemSensors(const core::Clock& clock, const SensorOptions& options) {
    std::vector<std::unique_ptr<Sensor>> sensors;
    sensors.push_back(std::make_unique<DiskSensor>(clock, options.dataFolder));
    return sensors;
}

}  // namespace sunloco::platform
