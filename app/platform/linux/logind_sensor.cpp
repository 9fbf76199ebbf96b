// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/logind_sensor.h"

#include <QDBusArgument>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

#include <algorithm>

namespace sunloco::platform {
namespace {

constexpr int kTimeoutMs = 5000;
const QString& service() {
    static const QString name = QStringLiteral("org.freedesktop.login1");
    return name;
}
const QString& managerPath() {
    static const QString path = QStringLiteral("/org/freedesktop/login1");
    return path;
}
const QString& managerInterface() {
    static const QString name = QStringLiteral("org.freedesktop.login1.Manager");
    return name;
}

}  // namespace

LogindSensor::LogindSensor(const core::Clock& clock, QDBusConnection systemBus) : Sensor(QStringLiteral("logind"), clock), m_bus(std::move(systemBus)) {}

void LogindSensor::start() {
    if (!m_bus.isConnected()) {
        noteAbsent(QStringLiteral("no system bus"));
        return;
    }
    m_bus.connect(service(), managerPath(), managerInterface(), QStringLiteral("PrepareForSleep"), this, SLOT(onPrepareForSleep(bool)));
    m_manager = std::make_unique<DBusProperties>(m_bus, service(), managerPath(), managerInterface(), DBusProperties::Activation::Forbidden);
    connect(m_manager.get(), &DBusProperties::changed, this, [this] {
        const bool there = m_manager->state() == DBusProperties::State::Present;
        if (!there) {
            m_sleepPending.reset();
            m_delay.reset();
            m_session.reset();
            m_user.reset();
            m_sessionPath.clear();
            if (m_manager->state() == DBusProperties::State::Failed) {
                noteFailure(m_manager->problem());
            } else {
                noteAbsent(QStringLiteral("systemd-logind is not there"));
            }
            Q_EMIT readingChanged();
            return;
        }
        const bool first = !available();
        noteSuccess();
        const bool preparing = m_manager->value(QStringLiteral("PreparingForSleep")).toBool();
        if (first || m_sleepPending != preparing) {
            m_sleepPending = preparing;
            Q_EMIT readingChanged();
        }
        if (first) {
            takeDelay();
            findSession();
        }
    });
    m_manager->start();
}

/// The session in which this program stands; a user service stands in none, then the user's graphical session.
void LogindSensor::findSession() {
    const QByteArray id = qgetenv("XDG_SESSION_ID");
    if (id.isEmpty()) {
        m_user = std::make_unique<DBusProperties>(m_bus, service(), QStringLiteral("/org/freedesktop/login1/user/self"),
                                                  QStringLiteral("org.freedesktop.login1.User"), DBusProperties::Activation::Forbidden);
        connect(m_user.get(), &DBusProperties::changed, this, [this] {
            // Display is a structure (so): the session's id and path.
            const QVariant display = m_user->value(QStringLiteral("Display"));
            if (!display.canConvert<QDBusArgument>()) {
                return;
            }
            const auto argument = display.value<QDBusArgument>();
            QString sessionId;
            QDBusObjectPath path;
            argument.beginStructure();
            argument >> sessionId >> path;
            argument.endStructure();
            if (!sessionId.isEmpty()) {
                watchSession(path.path());
            }
        });
        m_user->start();
        return;
    }
    QDBusMessage ask = QDBusMessage::createMethodCall(service(), managerPath(), managerInterface(), QStringLiteral("GetSession"));
    ask << QString::fromLocal8Bit(id);
    auto* call = new QDBusPendingCallWatcher(m_bus.asyncCall(ask, kTimeoutMs), this);
    connect(call, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        done->deleteLater();
        const QDBusPendingReply<QDBusObjectPath> reply = *done;
        if (!reply.isError()) {
            watchSession(reply.value().path());
        }
    });
}

void LogindSensor::watchSession(const QString& path) {
    if (path == m_sessionPath) {
        return;
    }
    m_sessionPath = path;
    m_session = std::make_unique<DBusProperties>(m_bus, service(), path, QStringLiteral("org.freedesktop.login1.Session"),
                                                 DBusProperties::Activation::Forbidden);
    connect(m_session.get(), &DBusProperties::changed, this, &LogindSensor::readingChanged);
    m_session->start();
}

void LogindSensor::takeDelay() {
    QDBusMessage ask = QDBusMessage::createMethodCall(service(), managerPath(), managerInterface(), QStringLiteral("Inhibit"));
    ask << QStringLiteral("sleep") << QStringLiteral("SunLoCo") << QStringLiteral("Saves the training state") << QStringLiteral("delay");
    auto* call = new QDBusPendingCallWatcher(m_bus.asyncCall(ask, kTimeoutMs), this);
    connect(call, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        done->deleteLater();
        const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *done;
        // Refused: then the step that runs is simply redone after the sleep.
        if (!reply.isError() && m_sleepPending != true) {
            m_delay = reply.value();
        }
    });
}

void LogindSensor::readyToSleep() {
    if (m_sleepPending == true) {
        m_delay.reset();
    }
}

void LogindSensor::onPrepareForSleep(bool starting) {
    m_sleepPending = starting;
    if (!starting) {
        takeDelay();
    }
    Q_EMIT readingChanged();
}

void LogindSensor::contribute(rules::SensorSnapshot& snapshot) const {
    mergeReading(snapshot.sleepPending,
                 m_sleepPending ? rules::Reading<bool>::known(*m_sleepPending) : rules::Reading<bool>::unknown(unknownReason()));
    const bool session = m_session && m_session->state() == DBusProperties::State::Present;
    mergeReading(snapshot.sessionLocked, session ? rules::Reading<bool>::known(m_session->value(QStringLiteral("LockedHint")).toBool())
                                                 : rules::Reading<bool>::unknown(available() ? rules::UnknownReason::NoSource : unknownReason()));
    const auto loginUs = session ? m_session->value(QStringLiteral("TimestampMonotonic")).toULongLong() : 0;
    if (loginUs > 0) {
        mergeReading(snapshot.awakeMs,
                     rules::Reading<std::int64_t>::known(std::max<std::int64_t>(now() - static_cast<std::int64_t>(loginUs / 1000), 0)));
    }
}

}  // namespace sunloco::platform
