// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDBusConnection>
#include <QDBusVirtualObject>
#include <QHash>
#include <QProcess>
#include <QTemporaryDir>
#include <QVariantMap>

namespace sunloco {

/// A D-Bus daemon of the test's own.
class PrivateBus {
public:
    /// Starts it; address() is empty when there is no dbus-daemon.
    PrivateBus();
    ~PrivateBus();
    [[nodiscard]] const QString& address() const { return m_address; }

private:
    QTemporaryDir m_folder;
    QProcess m_daemon;
    QString m_address;
};

/// A service on the bus with a connection of its own: objects with properties, methods that the test answers, signals on demand.
class BusService : public QDBusVirtualObject {
    Q_OBJECT
public:
    using Method = std::function<QVariantList(const QVariantList&)>;

    BusService(const QString& address, const QString& name);
    ~BusService() override;

    /// Sets properties; what is on the bus already hears PropertiesChanged.
    void setProperties(const QString& path, const QString& interface, const QVariantMap& properties);
    void setMethod(const QString& name, Method method) { m_methods.insert(name, std::move(method)); }
    void emitSignal(const QString& path, const QString& interface, const QString& name, const QVariantList& arguments);
    /// Property requests are answered by an error from now on.
    void refuse(bool refuse) { m_refuse = refuse; }
    [[nodiscard]] int calls(const QString& method) const { return m_calls.value(method); }

    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override;
    [[nodiscard]] QString introspect(const QString&) const override { return {}; }

private:
    QString m_connectionName;
    QDBusConnection m_bus;
    QString m_name;
    QHash<QString, QHash<QString, QVariantMap>> m_properties;
    QHash<QString, Method> m_methods;
    QHash<QString, int> m_calls;
    bool m_refuse = false;
};

}  // namespace sunloco
