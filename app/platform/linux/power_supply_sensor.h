// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/platform/sensor.h"

#include <filesystem>
#include <optional>

namespace sunloco::platform {

/// Mains or battery from the kernel's /sys/class/power_supply, for systems without UPower.
class PowerSupplySensor final : public Sensor {
    Q_OBJECT
public:
    PowerSupplySensor(const core::Clock& clock, std::filesystem::path folder);

    void start() override {}
    void poll() override;
    [[nodiscard]] int pollInterval(Pace pace) const override;
    void contribute(rules::SensorSnapshot& snapshot) const override;

private:
    struct Supply {
        bool onBattery = false;
        bool upsOnBattery = false;
        std::optional<double> percent;
        [[nodiscard]] bool operator==(const Supply&) const = default;
    };
    std::filesystem::path m_folder;
    std::optional<Supply> m_supply;
    core::MonotonicMs m_measuredAt = 0;
};

}  // namespace sunloco::platform
