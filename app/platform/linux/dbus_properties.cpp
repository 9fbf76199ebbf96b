// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/dbus_properties.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusServiceWatcher>

namespace sunloco::platform {
namespace {

constexpr int kTimeoutMs = 5000;
const QString& propertiesInterface() {
    static const QString name = QStringLiteral("org.freedesktop.DBus.Properties");
    return name;
}

}  // namespace

DBusProperties::DBusProperties(QDBusConnection bus, QString service, QString path, QString interface, Activation activation, QObject* parent)
    : QObject(parent), m_bus(std::move(bus)), m_service(std::move(service)), m_path(std::move(path)), m_interface(std::move(interface)),
      m_activation(activation) {}

void DBusProperties::start() {
    if (!m_bus.isConnected()) {
        setState(State::Absent, QStringLiteral("no D-Bus to ask"));
        return;
    }
    m_bus.connect(m_service, m_path, propertiesInterface(), QStringLiteral("PropertiesChanged"), this,
                  SLOT(onPropertiesChanged(QString,QVariantMap,QStringList)));
    auto* watcher = new QDBusServiceWatcher(m_service, m_bus, QDBusServiceWatcher::WatchForOwnerChange, this);
    connect(watcher, &QDBusServiceWatcher::serviceRegistered, this, &DBusProperties::refresh);
    connect(watcher, &QDBusServiceWatcher::serviceUnregistered, this, [this] {
        m_values.clear();
        ++m_serial;
        setState(State::Absent, QStringLiteral("%1 has stopped").arg(m_service));
    });
    refresh();
}

void DBusProperties::refresh() {
    if (!m_bus.isConnected()) {
        setState(State::Absent, QStringLiteral("no D-Bus to ask"));
        return;
    }
    QDBusMessage ask = QDBusMessage::createMethodCall(m_service, m_path, propertiesInterface(), QStringLiteral("GetAll"));
    ask << m_interface;
    ask.setAutoStartService(m_activation == Activation::Allowed);
    const int serial = ++m_serial;
    auto* watcher = new QDBusPendingCallWatcher(m_bus.asyncCall(ask, kTimeoutMs), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, serial](QDBusPendingCallWatcher* call) {
        call->deleteLater();
        if (serial != m_serial) {
            return;  // an answer from a service that has gone, or one that was asked again
        }
        const QDBusPendingReply<QVariantMap> reply = *call;
        if (!reply.isError()) {
            m_values = reply.value();
            m_state = State::Present;
            m_problem.clear();
            Q_EMIT changed();
            return;
        }
        if (reply.error().name() == QStringLiteral("org.freedesktop.DBus.Error.NameHasNoOwner")) {
            setState(State::Absent, reply.error().message());  // what the bus answers where it may not start the service; Qt has no type for it
            return;
        }
        switch (reply.error().type()) {
        case QDBusError::ServiceUnknown:
        case QDBusError::UnknownObject:
        case QDBusError::UnknownInterface:
        case QDBusError::Disconnected:
            setState(State::Absent, reply.error().message());
            break;
        default: setState(State::Failed, reply.error().message()); break;
        }
    });
}

void DBusProperties::onPropertiesChanged(const QString& interface, const QVariantMap& changedValues, const QStringList& invalidated) {
    if (interface != m_interface) {
        return;
    }
    for (auto it = changedValues.cbegin(); it != changedValues.cend(); ++it) {
        m_values.insert(it.key(), it.value());
    }
    if (!invalidated.isEmpty()) {
        refresh();
        return;
    }
    if (m_state == State::Present) {
        Q_EMIT changed();
    }
}

void DBusProperties::setState(State state, const QString& problem) {
    m_state = state;
    m_problem = problem;
    Q_EMIT changed();
}

QDBusConnection connectToBus(QDBusConnection::BusType type, const QString& address) {
    if (address.isEmpty()) {
        return type == QDBusConnection::SystemBus ? QDBusConnection::systemBus() : QDBusConnection::sessionBus();
    }
    // One connection per address for the whole process; Qt keeps it by name.
    return QDBusConnection::connectToBus(address, QStringLiteral("sunloco-") + address);
}

}  // namespace sunloco::platform
