// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDBusConnection>
#include <QObject>
#include <QVariantMap>

namespace sunloco::platform {

/// The properties of one D-Bus interface, kept up to date by its PropertiesChanged signal; never blocks on the service.
/// Follows the service when it starts, stops or is replaced.
class DBusProperties final : public QObject {
    Q_OBJECT
public:
    enum class State { Asking, Present, Absent, Failed };
    /// May the bus start the service when we ask for it?
    enum class Activation { Allowed, Forbidden };

    DBusProperties(QDBusConnection bus, QString service, QString path, QString interface, Activation activation, QObject* parent = nullptr);

    void start();
    /// Asks for all properties again.
    void refresh();
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const QString& problem() const { return m_problem; }
    [[nodiscard]] QVariant value(const QString& property) const { return m_values.value(property); }

Q_SIGNALS:
    void changed();

private Q_SLOTS:
    void onPropertiesChanged(const QString& interface, const QVariantMap& changedValues, const QStringList& invalidated);

private:
    void setState(State state, const QString& problem);

    QDBusConnection m_bus;
    QString m_service;
    QString m_path;
    QString m_interface;
    Activation m_activation;
    State m_state = State::Asking;
    QString m_problem;
    QVariantMap m_values;
    int m_serial = 0;
};

/// A private connection to the bus at `address`, or the usual one when it is empty.
QDBusConnection connectToBus(QDBusConnection::BusType type, const QString& address);

}  // namespace sunloco::platform
