// SPDX-License-Identifier: Apache-2.0
// UPower, NetworkManager, logind and Mutter on a private bus: the services are played by the test, the bus and our side are real.
#include "tests/app/platform/private_bus.h"
#include "tests/app/platform/test_clock.h"

#include "app/platform/linux/logind_sensor.h"
#include "app/platform/linux/mutter_idle_sensor.h"
#include "app/platform/linux/network_manager_sensor.h"
#include "app/platform/linux/upower_sensor.h"

#include <QDBusArgument>
#include <QDBusObjectPath>
#include <QDBusUnixFileDescriptor>
#include <QtTest>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace sunloco;
using namespace sunloco::platform;
using rules::UnknownReason;

namespace {

const QString kUPower = QStringLiteral("org.freedesktop.UPower");
const QString kUPowerPath = QStringLiteral("/org/freedesktop/UPower");
const QString kDisplayDevice = QStringLiteral("/org/freedesktop/UPower/devices/DisplayDevice");
const QString kUPowerDevice = QStringLiteral("org.freedesktop.UPower.Device");
const QString kNetwork = QStringLiteral("org.freedesktop.NetworkManager");
const QString kNetworkPath = QStringLiteral("/org/freedesktop/NetworkManager");
const QString kLogin = QStringLiteral("org.freedesktop.login1");
const QString kLoginPath = QStringLiteral("/org/freedesktop/login1");
const QString kManager = QStringLiteral("org.freedesktop.login1.Manager");
const QString kSession = QStringLiteral("org.freedesktop.login1.Session");
const QString kSessionPath = QStringLiteral("/org/freedesktop/login1/session/_35");
const QString kMutter = QStringLiteral("org.gnome.Mutter.IdleMonitor");
const QString kMutterPath = QStringLiteral("/org/gnome/Mutter/IdleMonitor/Core");

rules::SensorSnapshot look(const Sensor& sensor) {
    rules::SensorSnapshot snapshot;
    sensor.contribute(snapshot);
    return snapshot;
}

QVariantMap device(uint type, bool present, uint state, double percent) {
    return {{QStringLiteral("Type"), type}, {QStringLiteral("IsPresent"), present}, {QStringLiteral("State"), state}, {QStringLiteral("Percentage"), percent}};
}

}  // namespace

class TestDBusSensors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void absentServices();
    void upowerNotebook();
    void upowerDesktopAndUps();
    void upowerComesAndGoes();
    void upowerRefuses();
    void metered_data();
    void metered();
    void lockAndLogin();
    void sleepWaitsForUs();
    void sessionOfTheUser();
    void mutterIdle();
    void mutterReturn();
    void mutterGoes();

private:
    [[nodiscard]] QDBusConnection bus() const { return connectToBus(QDBusConnection::SystemBus, m_bus->address()); }
    TestClock m_clock;
    std::unique_ptr<PrivateBus> m_bus;
};

void TestDBusSensors::init() {
    if (QStandardPaths::findExecutable(QStringLiteral("dbus-daemon")).isEmpty()) {
        QSKIP("dbus-daemon is needed (installer/test.sh installs it)");
    }
    m_bus = std::make_unique<PrivateBus>();
    QVERIFY(!m_bus->address().isEmpty());
    qunsetenv("XDG_SESSION_ID");
}

void TestDBusSensors::cleanup() {
    if (m_bus) {
        QDBusConnection::disconnectFromBus(QStringLiteral("sunloco-") + m_bus->address());
    }
    m_bus.reset();
}

void TestDBusSensors::absentServices() {
    UPowerSensor upower(m_clock, bus());
    NetworkManagerSensor network(m_clock, bus());
    LogindSensor logind(m_clock, bus());
    MutterIdleSensor mutter(m_clock, bus(), MutterIdleSensor::Desktop::Gnome);
    const std::vector<Sensor*> all{&upower, &network, &logind, &mutter};
    for (Sensor* sensor : all) {
        sensor->start();
    }
    for (const Sensor* sensor : all) {
        QTRY_COMPARE(sensor->health(), Sensor::Health::Absent);
        QVERIFY(!sensor->problem().isEmpty());
    }
    QCOMPARE(look(upower).onBattery.reason, UnknownReason::NoSource);
    QCOMPARE(look(network).meteredNetwork.reason, UnknownReason::NoSource);
    QCOMPARE(look(logind).sessionLocked.reason, UnknownReason::NoSource);
    QCOMPARE(look(mutter).userIdleMs.reason, UnknownReason::NoSource);
    QCOMPARE(mutter.pollInterval(Pace::Alert), 0);
}

void TestDBusSensors::upowerNotebook() {
    BusService service(m_bus->address(), kUPower);
    service.setProperties(kUPowerPath, kUPower, {{QStringLiteral("OnBattery"), false}});
    service.setProperties(kDisplayDevice, kUPowerDevice, device(2, true, 4, 97));
    UPowerSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_COMPARE(look(sensor).onBattery.value, std::optional(false));
    QCOMPARE(look(sensor).batteryPercent.value, std::optional(97.0));
    QCOMPARE(look(sensor).upsOnBattery.value, std::optional(false));
    // The plug is pulled: the signal alone brings it.
    QSignalSpy changed(&sensor, &Sensor::readingChanged);
    service.setProperties(kUPowerPath, kUPower, {{QStringLiteral("OnBattery"), true}});
    QTRY_COMPARE(look(sensor).onBattery.value, std::optional(true));
    QVERIFY(!changed.isEmpty());
    // A dock that is too weak: mains is there, the battery drains all the same.
    service.setProperties(kUPowerPath, kUPower, {{QStringLiteral("OnBattery"), false}});
    QTRY_COMPARE(look(sensor).onBattery.value, std::optional(false));
    service.setProperties(kDisplayDevice, kUPowerDevice, {{QStringLiteral("State"), 2U}, {QStringLiteral("Percentage"), 51.5}});
    QTRY_COMPARE(look(sensor).onBattery.value, std::optional(true));
    QCOMPARE(look(sensor).batteryPercent.value, std::optional(51.5));
}

void TestDBusSensors::upowerDesktopAndUps() {
    BusService service(m_bus->address(), kUPower);
    // A desktop whose USB hub looks like an offline supply: OnBattery is nonsense without a battery.
    service.setProperties(kUPowerPath, kUPower, {{QStringLiteral("OnBattery"), true}});
    service.setProperties(kDisplayDevice, kUPowerDevice, device(0, false, 0, 0));
    UPowerSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_VERIFY(sensor.available());
    QCOMPARE(look(sensor).onBattery.value, std::optional(false));
    QCOMPARE(look(sensor).batteryPercent.reason, UnknownReason::NoSource);
    service.setProperties(kDisplayDevice, kUPowerDevice, device(3, true, 2, 80));
    QTRY_COMPARE(look(sensor).upsOnBattery.value, std::optional(true));
    QCOMPARE(look(sensor).onBattery.value, std::optional(false));
}

void TestDBusSensors::upowerComesAndGoes() {
    UPowerSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_COMPARE(sensor.health(), Sensor::Health::Absent);
    {
        BusService service(m_bus->address(), kUPower);
        service.setProperties(kUPowerPath, kUPower, {{QStringLiteral("OnBattery"), true}});
        service.setProperties(kDisplayDevice, kUPowerDevice, device(2, true, 2, 30));
        QTRY_COMPARE(look(sensor).onBattery.value, std::optional(true));
    }
    QTRY_COMPARE(sensor.health(), Sensor::Health::Absent);
    QVERIFY(!look(sensor).onBattery.isKnown());
}

void TestDBusSensors::upowerRefuses() {
    BusService service(m_bus->address(), kUPower);
    service.refuse(true);
    service.setProperties(kUPowerPath, kUPower, {{QStringLiteral("OnBattery"), true}});
    UPowerSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_VERIFY(!sensor.problem().isEmpty());
    QVERIFY(sensor.problem().contains(QStringLiteral("not for you")));
    QVERIFY(!look(sensor).onBattery.isKnown());
}

void TestDBusSensors::metered_data() {
    QTest::addColumn<uint>("value");
    QTest::addColumn<int>("expected");  // -1 = unknown
    QTest::newRow("unknown") << 0U << -1;
    QTest::newRow("yes") << 1U << 1;
    QTest::newRow("no") << 2U << 0;
    QTest::newRow("guess yes") << 3U << 1;
    QTest::newRow("guess no") << 4U << 0;
    QTest::newRow("a later version's") << 9U << -1;
}

void TestDBusSensors::metered() {
    QFETCH(uint, value);
    QFETCH(int, expected);
    BusService service(m_bus->address(), kNetwork);
    service.setProperties(kNetworkPath, kNetwork, {{QStringLiteral("Metered"), value}});
    NetworkManagerSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_VERIFY(sensor.available());
    const auto reading = look(sensor).meteredNetwork;
    QCOMPARE(reading.isKnown(), expected >= 0);
    if (expected >= 0) {
        QCOMPARE(*reading.value, expected == 1);
    }
    // The other network is announced by a signal.
    service.setProperties(kNetworkPath, kNetwork, {{QStringLiteral("Metered"), expected == 1 ? 2U : 1U}});
    QTRY_COMPARE(look(sensor).meteredNetwork.value, std::optional(expected != 1));
}

void TestDBusSensors::lockAndLogin() {
    qputenv("XDG_SESSION_ID", "5");
    BusService service(m_bus->address(), kLogin);
    service.setProperties(kLoginPath, kManager, {{QStringLiteral("PreparingForSleep"), false}});
    service.setProperties(kSessionPath, kSession,
                          {{QStringLiteral("LockedHint"), false}, {QStringLiteral("TimestampMonotonic"), qulonglong(400'000'000)}});
    QVariantList asked;
    service.setMethod(QStringLiteral("GetSession"), [&asked](const QVariantList& arguments) {
        asked = arguments;
        return QVariantList{QVariant::fromValue(QDBusObjectPath(kSessionPath))};
    });
    LogindSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_COMPARE(look(sensor).sessionLocked.value, std::optional(false));
    QCOMPARE(asked.value(0).toString(), QStringLiteral("5"));
    QCOMPARE(look(sensor).sleepPending.value, std::optional(false));
    // Logged in at 400 s of the monotonic clock, which shows 1000 s now.
    QCOMPARE(look(sensor).awakeMs.value, std::optional(std::int64_t{600'000}));
    QSignalSpy changed(&sensor, &Sensor::readingChanged);
    service.setProperties(kSessionPath, kSession, {{QStringLiteral("LockedHint"), true}});
    QTRY_COMPARE(look(sensor).sessionLocked.value, std::optional(true));
    QVERIFY(!changed.isEmpty());
}

void TestDBusSensors::sleepWaitsForUs() {
    qputenv("XDG_SESSION_ID", "5");
    BusService service(m_bus->address(), kLogin);
    service.setProperties(kLoginPath, kManager, {{QStringLiteral("PreparingForSleep"), false}});
    // The inhibitor is a pipe: logind sees our end closing.
    QVariantList wanted;
    int readEnd = -1;
    service.setMethod(QStringLiteral("Inhibit"), [&](const QVariantList& arguments) {
        wanted = arguments;
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            return QVariantList{};
        }
        if (readEnd >= 0) {
            ::close(readEnd);
        }
        readEnd = ends[0];
        QDBusUnixFileDescriptor descriptor;
        descriptor.giveFileDescriptor(ends[1]);
        return QVariantList{QVariant::fromValue(descriptor)};
    });
    const auto released = [&readEnd] {
        pollfd state{readEnd, POLLIN, 0};
        return ::poll(&state, 1, 0) == 1 && (state.revents & POLLHUP) != 0;
    };
    LogindSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_VERIFY(readEnd >= 0);
    QCOMPARE(wanted.value(0).toString(), QStringLiteral("sleep"));
    QCOMPARE(wanted.value(3).toString(), QStringLiteral("delay"));
    QTest::qWait(50);
    QVERIFY2(!released(), "the delay is held while the system is awake");
    sensor.readyToSleep();
    QVERIFY2(!released(), "and not let go when no sleep is announced");

    service.emitSignal(kLoginPath, kManager, QStringLiteral("PrepareForSleep"), {true});
    QTRY_COMPARE(look(sensor).sleepPending.value, std::optional(true));
    QVERIFY2(!released(), "sleep waits until the worker is silent");
    sensor.readyToSleep();
    QTRY_VERIFY(released());

    service.emitSignal(kLoginPath, kManager, QStringLiteral("PrepareForSleep"), {false});
    QTRY_COMPARE(look(sensor).sleepPending.value, std::optional(false));
    QTRY_COMPARE(service.calls(QStringLiteral("Inhibit")), 2);
    QTRY_VERIFY(!released());
    ::close(readEnd);
}

void TestDBusSensors::sessionOfTheUser() {
    // A user service stands in no session of its own: the user's graphical session counts.
    BusService service(m_bus->address(), kLogin);
    service.setProperties(kLoginPath, kManager, {{QStringLiteral("PreparingForSleep"), false}});
    service.setProperties(kSessionPath, kSession, {{QStringLiteral("LockedHint"), true}});
    QDBusArgument display;
    display.beginStructure();
    display << QStringLiteral("5") << QDBusObjectPath(kSessionPath);
    display.endStructure();
    service.setProperties(QStringLiteral("/org/freedesktop/login1/user/self"), QStringLiteral("org.freedesktop.login1.User"),
                          {{QStringLiteral("Display"), QVariant::fromValue(display)}});
    LogindSensor sensor(m_clock, bus());
    sensor.start();
    QTRY_COMPARE(look(sensor).sessionLocked.value, std::optional(true));
}

void TestDBusSensors::mutterIdle() {
    BusService service(m_bus->address(), kMutter);
    qulonglong idle = 4'000;
    service.setMethod(QStringLiteral("GetIdletime"), [&idle](const QVariantList&) { return QVariantList{idle}; });
    MutterIdleSensor sensor(m_clock, bus(), MutterIdleSensor::Desktop::Gnome);
    sensor.start();
    QTRY_COMPARE(look(sensor).userIdleMs.value, std::optional(std::int64_t{4'000}));
    m_clock.advance(700);
    QCOMPARE(look(sensor).userIdleMs.ageMs, std::int64_t{700});
    idle = 60;
    sensor.poll();
    QTRY_COMPARE(look(sensor).userIdleMs.value, std::optional(std::int64_t{60}));
    QVERIFY(sensor.pollInterval(Pace::Calm) >= 5'000);
    QCOMPARE(service.calls(QStringLiteral("AddUserActiveWatch")), 0);
}

void TestDBusSensors::mutterReturn() {
    BusService service(m_bus->address(), kMutter);
    qulonglong idle = 600'000;
    uint nextWatch = 41;
    service.setMethod(QStringLiteral("GetIdletime"), [&idle](const QVariantList&) { return QVariantList{idle}; });
    service.setMethod(QStringLiteral("AddUserActiveWatch"), [&nextWatch](const QVariantList&) { return QVariantList{++nextWatch}; });
    MutterIdleSensor sensor(m_clock, bus(), MutterIdleSensor::Desktop::Gnome);
    sensor.start();
    QTRY_VERIFY(sensor.available());
    sensor.setPace(Pace::Alert);
    QTRY_COMPARE(service.calls(QStringLiteral("AddUserActiveWatch")), 1);
    QTest::qWait(50);  // the watch's number must have arrived
    // Somebody else's watch is not ours.
    service.emitSignal(kMutterPath, kMutter, QStringLiteral("WatchFired"), {7U});
    QTest::qWait(50);
    QCOMPARE(look(sensor).userIdleMs.value, std::optional(std::int64_t{600'000}));
    // Ours: the user is back, without a poll.
    const int polls = service.calls(QStringLiteral("GetIdletime"));
    service.emitSignal(kMutterPath, kMutter, QStringLiteral("WatchFired"), {42U});
    QTRY_COMPARE(look(sensor).userIdleMs.value, std::optional(std::int64_t{0}));
    QCOMPARE(service.calls(QStringLiteral("GetIdletime")), polls);
    // Armed again only after a quiet while.
    idle = 100;
    sensor.poll();
    QTRY_COMPARE(look(sensor).userIdleMs.value, std::optional(std::int64_t{100}));
    QCOMPARE(service.calls(QStringLiteral("AddUserActiveWatch")), 1);
    idle = 5'000;
    sensor.poll();
    QTRY_COMPARE(service.calls(QStringLiteral("AddUserActiveWatch")), 2);
}

void TestDBusSensors::mutterGoes() {
    MutterIdleSensor sensor(m_clock, bus(), MutterIdleSensor::Desktop::Gnome);
    sensor.start();
    QTRY_COMPARE(sensor.health(), Sensor::Health::Absent);
    {
        BusService service(m_bus->address(), kMutter);
        service.setMethod(QStringLiteral("GetIdletime"), [](const QVariantList&) { return QVariantList{qulonglong(9)}; });
        QTRY_COMPARE(look(sensor).userIdleMs.value, std::optional(std::int64_t{9}));
    }
    QTRY_VERIFY(!look(sensor).userIdleMs.isKnown());
    QCOMPARE(look(sensor).userIdleMs.reason, UnknownReason::NoSource);
}

QTEST_GUILESS_MAIN(TestDBusSensors)
#include "tst_dbus_sensors.moc"
