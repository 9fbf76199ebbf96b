// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/sensor.h"

#include <filesystem>

namespace sunloco::platform {

/// Free space for this user on the data folder's file system.
class DiskSensor final : public Sensor {
    Q_OBJECT
public:
    DiskSensor(const core::Clock& clock, std::filesystem::path folder);

    void start() override {}
    void poll() override;
    [[nodiscard]] int pollInterval(Pace pace) const override;
    void contribute(rules::SensorSnapshot& snapshot) const override;

private:
    std::filesystem::path m_folder;
    std::int64_t m_freeBytes = 0;
    core::MonotonicMs m_measuredAt = 0;
    bool m_known = false;
};

}  // namespace sunloco::platform
