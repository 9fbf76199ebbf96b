// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/network_manager_sensor.h"

namespace sunloco::platform {

NetworkManagerSensor::NetworkManagerSensor(const core::Clock& clock, QDBusConnection systemBus)
    : Sensor(QStringLiteral("network-manager"), clock),
      m_manager(std::move(systemBus), QStringLiteral("org.freedesktop.NetworkManager"), QStringLiteral("/org/freedesktop/NetworkManager"),
                QStringLiteral("org.freedesktop.NetworkManager"), DBusProperties::Activation::Forbidden) {
    connect(&m_manager, &DBusProperties::changed, this, &NetworkManagerSensor::onChanged);
}

void NetworkManagerSensor::onChanged() {
    switch (m_manager.state()) {
    case DBusProperties::State::Present: noteSuccess(); break;
    case DBusProperties::State::Absent: noteAbsent(QStringLiteral("NetworkManager is not there")); break;
    case DBusProperties::State::Failed: noteFailure(m_manager.problem()); break;
    case DBusProperties::State::Asking: return;
    }
    Q_EMIT readingChanged();
}

void NetworkManagerSensor::contribute(rules::SensorSnapshot& snapshot) const {
    using Metered = rules::Reading<bool>;
    if (!available()) {
        mergeReading(snapshot.meteredNetwork, Metered::unknown(unknownReason()));
        return;
    }
    // NMMetered: 0 unknown, 1 yes, 2 no, 3 guess yes, 4 guess no.
    switch (m_manager.value(QStringLiteral("Metered")).toUInt()) {
    case 1:
    case 3: mergeReading(snapshot.meteredNetwork, Metered::known(true)); break;
    case 2:
    case 4: mergeReading(snapshot.meteredNetwork, Metered::known(false)); break;
    default: mergeReading(snapshot.meteredNetwork, Metered::unknown(rules::UnknownReason::NoAnswer)); break;
    }
}

}  // namespace sunloco::platform
