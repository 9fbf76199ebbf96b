// SPDX-License-Identifier: Apache-2.0
#include "tests/app/platform/private_bus.h"

#include <QDBusMessage>
#include <QDBusVariant>
#include <QFile>
#include <QUuid>

namespace sunloco {

PrivateBus::PrivateBus() {
    const QString config = m_folder.filePath(QStringLiteral("bus.conf"));
    QFile file(config);
    if (!file.open(QIODevice::WriteOnly)) {
        return;
    }
    file.write("<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
               "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n<busconfig><type>session</type><listen>unix:path=");
    file.write(QFile::encodeName(m_folder.filePath(QStringLiteral("socket"))));
    file.write("</listen><auth>EXTERNAL</auth><policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
               "<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n");
    file.close();
    m_daemon.start(QStringLiteral("dbus-daemon"), {QStringLiteral("--nofork"), QStringLiteral("--print-address=1"), QStringLiteral("--config-file=") + config});
    if (!m_daemon.waitForStarted(20'000)) {
        return;
    }
    QByteArray line;
    while (!line.contains('\n') && m_daemon.waitForReadyRead(20'000)) {
        line += m_daemon.readAllStandardOutput();
    }
    m_address = QString::fromUtf8(line.trimmed());
}

PrivateBus::~PrivateBus() {
    m_daemon.terminate();
    if (!m_daemon.waitForFinished(10'000)) {
        m_daemon.kill();
        m_daemon.waitForFinished(10'000);
    }
}

BusService::BusService(const QString& address, const QString& name)
    : m_connectionName(QUuid::createUuid().toString()), m_bus(QDBusConnection::connectToBus(address, m_connectionName)), m_name(name) {
    m_bus.registerVirtualObject(QStringLiteral("/"), this, QDBusConnection::SubPath);
    m_bus.registerService(name);
}

BusService::~BusService() {
    m_bus.unregisterService(m_name);
    QDBusConnection::disconnectFromBus(m_connectionName);
}

void BusService::setProperties(const QString& path, const QString& interface, const QVariantMap& properties) {
    QVariantMap& held = m_properties[path][interface];
    for (auto it = properties.cbegin(); it != properties.cend(); ++it) {
        held.insert(it.key(), it.value());
    }
    emitSignal(path, QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("PropertiesChanged"), {interface, properties, QStringList{}});
}

void BusService::emitSignal(const QString& path, const QString& interface, const QString& name, const QVariantList& arguments) {
    QDBusMessage message = QDBusMessage::createSignal(path, interface, name);
    message.setArguments(arguments);
    m_bus.send(message);
}

bool BusService::handleMessage(const QDBusMessage& message, const QDBusConnection& connection) {
    const QString member = message.member();
    ++m_calls[member];
    if (member == QStringLiteral("GetAll")) {
        const QString interface = message.arguments().value(0).toString();
        if (m_refuse) {
            connection.send(message.createErrorReply(QDBusError::AccessDenied, QStringLiteral("not for you")));
        } else if (!m_properties.value(message.path()).contains(interface)) {
            connection.send(message.createErrorReply(QDBusError::UnknownObject, QStringLiteral("no such object")));
        } else {
            connection.send(message.createReply(m_properties.value(message.path()).value(interface)));
        }
        return true;
    }
    if (const auto method = m_methods.constFind(member); method != m_methods.constEnd()) {
        connection.send(message.createReply((*method)(message.arguments())));
        return true;
    }
    return false;
}

}  // namespace sunloco
