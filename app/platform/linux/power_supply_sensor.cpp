// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/power_supply_sensor.h"

#include "app/platform/kernel_file.h"

#include <cstdlib>
#include <system_error>

namespace sunloco::platform {
namespace {

/// One attribute of a supply; empty when it cannot be read.
std::string attribute(const std::filesystem::path& folder, const char* name) { return readKernelFile(folder / name); }

}  // namespace

PowerSupplySensor::PowerSupplySensor(const core::Clock& clock, std::filesystem::path folder)
    : Sensor(QStringLiteral("power-supply"), clock), m_folder(std::move(folder)) {}

int PowerSupplySensor::pollInterval(Pace pace) const { return pace == Pace::Alert ? 5'000 : 30'000; }

void PowerSupplySensor::poll() {
    std::error_code failed;
    std::filesystem::directory_iterator entries(m_folder, failed);
    if (failed) {
        m_supply.reset();
        noteAbsent(QStringLiteral("%1 is not there").arg(QString::fromStdString(m_folder.string())));
        Q_EMIT readingChanged();
        return;
    }
    Supply supply;
    double percentSum = 0;
    int batteries = 0;
    for (const std::filesystem::directory_entry& entry : entries) {
        const std::string type = attribute(entry.path(), "type");
        const bool discharging = attribute(entry.path(), "status") == "Discharging";
        // A mouse or a headset has a battery too; "Device" says that it does not feed the PC.
        if (attribute(entry.path(), "scope") == "Device") {
            continue;
        }
        if (type == "UPS") {
            supply.upsOnBattery = supply.upsOnBattery || discharging;
        } else if (type == "Battery" && attribute(entry.path(), "present") != "0") {
            const std::string capacity = attribute(entry.path(), "capacity");
            char* end = nullptr;
            const double percent = std::strtod(capacity.c_str(), &end);
            if (!capacity.empty() && end != nullptr && *end == '\0') {
                percentSum += percent;
                ++batteries;
            }
            supply.onBattery = supply.onBattery || discharging;
        }
    }
    if (batteries > 0) {
        supply.percent = percentSum / batteries;
    }
    const bool notable = m_supply != supply;
    m_supply = supply;
    m_measuredAt = now();
    noteSuccess();
    if (notable) {
        Q_EMIT readingChanged();
    }
}

void PowerSupplySensor::contribute(rules::SensorSnapshot& snapshot) const {
    if (!m_supply) {
        mergeReading(snapshot.onBattery, rules::Reading<bool>::unknown(unknownReason()));
        return;
    }
    const std::int64_t age = now() - m_measuredAt;
    mergeReading(snapshot.onBattery, rules::Reading<bool>::known(m_supply->onBattery, age));
    mergeReading(snapshot.batteryPercent, m_supply->percent ? rules::Reading<double>::known(*m_supply->percent, age)
                                                            : rules::Reading<double>::unknown(rules::UnknownReason::NoSource));
    mergeReading(snapshot.upsOnBattery, rules::Reading<bool>::known(m_supply->upsOnBattery, age));
}

}  // namespace sunloco::platform
