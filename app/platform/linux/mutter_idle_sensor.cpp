// SPDX-License-Identifier: Apache-2.0
#include "app/platform/linux/mutter_idle_sensor.h"

#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusServiceWatcher>

namespace sunloco::platform {
namespace {

constexpr int kTimeoutMs = 5000;
constexpr int kPollMs = 10'000;
/// An active watch fires once, at the next input. It is armed again only after a short quiet, or each key would be a message on the bus.
constexpr std::int64_t kQuietMs = 4000;

}  // namespace

MutterIdleSensor::MutterIdleSensor(const core::Clock& clock, QDBusConnection sessionBus, Desktop desktop)
    : Sensor(desktop == Desktop::Gnome ? QStringLiteral("mutter-idle") : QStringLiteral("muffin-idle"), clock), m_bus(std::move(sessionBus)) {
    const bool gnome = desktop == Desktop::Gnome;
    m_service = m_interface = gnome ? QStringLiteral("org.gnome.Mutter.IdleMonitor") : QStringLiteral("org.cinnamon.Muffin.IdleMonitor");
    m_path = gnome ? QStringLiteral("/org/gnome/Mutter/IdleMonitor/Core") : QStringLiteral("/org/cinnamon/Muffin/IdleMonitor/Core");
}

void MutterIdleSensor::start() {
    if (!m_bus.isConnected()) {
        noteAbsent(QStringLiteral("no session bus"));
        return;
    }
    m_bus.connect(m_service, m_path, m_interface, QStringLiteral("WatchFired"), this, SLOT(onWatchFired(uint)));
    auto* watcher = new QDBusServiceWatcher(m_service, m_bus, QDBusServiceWatcher::WatchForOwnerChange, this);
    connect(watcher, &QDBusServiceWatcher::serviceRegistered, this, [this] {
        m_serviceThere = true;
        poll();
        armWatch();
    });
    connect(watcher, &QDBusServiceWatcher::serviceUnregistered, this, [this] {
        m_serviceThere = false;
        m_known = false;
        m_watch = 0;
        noteAbsent(QStringLiteral("the desktop's idle monitor has gone"));
        Q_EMIT readingChanged();
    });
    QDBusMessage ask = QDBusMessage::createMethodCall(QStringLiteral("org.freedesktop.DBus"), QStringLiteral("/org/freedesktop/DBus"),
                                                      QStringLiteral("org.freedesktop.DBus"), QStringLiteral("NameHasOwner"));
    ask << m_service;
    auto* call = new QDBusPendingCallWatcher(m_bus.asyncCall(ask, kTimeoutMs), this);
    connect(call, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        done->deleteLater();
        const QDBusPendingReply<bool> reply = *done;
        m_serviceThere = m_serviceThere || (!reply.isError() && reply.value());
        if (m_serviceThere) {
            poll();
            armWatch();
        } else {
            noteAbsent(QStringLiteral("this desktop has no %1").arg(m_service));
            Q_EMIT readingChanged();
        }
    });
}

int MutterIdleSensor::pollInterval(Pace) const { return m_serviceThere ? kPollMs : 0; }

void MutterIdleSensor::setPace(Pace pace) {
    m_pace = pace;
    armWatch();
}

void MutterIdleSensor::poll() {
    if (!m_serviceThere || m_waiting) {
        return;
    }
    m_waiting = true;
    QDBusMessage ask = QDBusMessage::createMethodCall(m_service, m_path, m_interface, QStringLiteral("GetIdletime"));
    ask.setAutoStartService(false);
    auto* call = new QDBusPendingCallWatcher(m_bus.asyncCall(ask, kTimeoutMs), this);
    connect(call, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        done->deleteLater();
        m_waiting = false;
        if (!m_serviceThere) {
            return;
        }
        const QDBusPendingReply<qulonglong> reply = *done;
        if (reply.isError()) {
            m_known = false;
            noteFailure(reply.error().message());
        } else {
            m_known = true;
            m_idleMs = static_cast<std::int64_t>(reply.value());
            m_measuredAt = now();
            noteSuccess();
            if (m_idleMs >= kQuietMs) {
                armWatch();
            }
        }
        Q_EMIT readingChanged();
    });
}

void MutterIdleSensor::armWatch() {
    if (!m_serviceThere || m_pace == Pace::Calm || m_watch != 0 || m_arming) {
        return;
    }
    m_arming = true;
    QDBusMessage ask = QDBusMessage::createMethodCall(m_service, m_path, m_interface, QStringLiteral("AddUserActiveWatch"));
    ask.setAutoStartService(false);
    auto* call = new QDBusPendingCallWatcher(m_bus.asyncCall(ask, kTimeoutMs), this);
    connect(call, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        done->deleteLater();
        m_arming = false;
        const QDBusPendingReply<uint> reply = *done;
        if (reply.isError()) {
            noteFailure(reply.error().message());
        } else {
            m_watch = reply.value();
        }
    });
}

void MutterIdleSensor::onWatchFired(uint id) {
    if (id != m_watch || id == 0) {
        return;
    }
    m_watch = 0;
    m_known = true;
    m_idleMs = 0;
    m_measuredAt = now();
    Q_EMIT readingChanged();
}

void MutterIdleSensor::contribute(rules::SensorSnapshot& snapshot) const {
    mergeIdle(snapshot, m_known && health() != Health::Dropped ? rules::Reading<std::int64_t>::known(m_idleMs, now() - m_measuredAt)
                                                              : rules::Reading<std::int64_t>::unknown(unknownReason()));
}

}  // namespace sunloco::platform
