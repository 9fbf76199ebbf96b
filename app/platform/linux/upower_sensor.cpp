// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/upower_sensor.h"

namespace sunloco::platform {
namespace {

// org.freedesktop.UPower.Device: Type and State.
constexpr uint kTypeBattery = 2;
constexpr uint kTypeUps = 3;
constexpr uint kStateDischarging = 2;

const QString& service() {
    static const QString name = QStringLiteral("org.freedesktop.UPower");
    return name;
}

}  // namespace

UPowerSensor::UPowerSensor(const core::Clock& clock, QDBusConnection systemBus)
    : Sensor(QStringLiteral("upower"), clock),
      m_daemon(systemBus, service(), QStringLiteral("/org/freedesktop/UPower"), service(), DBusProperties::Activation::Allowed),
      m_device(systemBus, service(), QStringLiteral("/org/freedesktop/UPower/devices/DisplayDevice"), QStringLiteral("org.freedesktop.UPower.Device"),
               DBusProperties::Activation::Allowed) {
    connect(&m_daemon, &DBusProperties::changed, this, &UPowerSensor::onChanged);
    connect(&m_device, &DBusProperties::changed, this, &UPowerSensor::onChanged);
}

void UPowerSensor::start() {
    m_daemon.start();
    m_device.start();
}

void UPowerSensor::onChanged() {
    using State = DBusProperties::State;
    if (m_daemon.state() == State::Present && m_device.state() == State::Present) {
        noteSuccess();
    } else if (m_daemon.state() == State::Absent || m_device.state() == State::Absent) {
        noteAbsent(QStringLiteral("UPower is not there"));
    } else if (m_daemon.state() == State::Failed || m_device.state() == State::Failed) {
        noteFailure(m_daemon.state() == State::Failed ? m_daemon.problem() : m_device.problem());
    } else {
        return;
    }
    Q_EMIT readingChanged();
}

void UPowerSensor::contribute(rules::SensorSnapshot& snapshot) const {
    if (!available()) {
        mergeReading(snapshot.onBattery, rules::Reading<bool>::unknown(unknownReason()));
        mergeReading(snapshot.batteryPercent, rules::Reading<double>::unknown(unknownReason()));
        mergeReading(snapshot.upsOnBattery, rules::Reading<bool>::unknown(unknownReason()));
        return;
    }
    const uint type = m_device.value(QStringLiteral("Type")).toUInt();
    const bool present = m_device.value(QStringLiteral("IsPresent")).toBool();
    const bool discharging = m_device.value(QStringLiteral("State")).toUInt() == kStateDischarging;
    const bool battery = type == kTypeBattery && present;
    // OnBattery is false behind a dock that is too weak although the battery drains: the battery's own state counts as well.
    // A PC without a battery is on mains whatever odd supplies its USB ports report.
    const bool onBattery = battery && (m_daemon.value(QStringLiteral("OnBattery")).toBool() || discharging);
    mergeReading(snapshot.onBattery, rules::Reading<bool>::known(onBattery));
    mergeReading(snapshot.batteryPercent, battery ? rules::Reading<double>::known(m_device.value(QStringLiteral("Percentage")).toDouble())
                                                  : rules::Reading<double>::unknown(rules::UnknownReason::NoSource));
    mergeReading(snapshot.upsOnBattery, rules::Reading<bool>::known(type == kTypeUps && present && discharging));
}

}  // namespace sunloco::platform
