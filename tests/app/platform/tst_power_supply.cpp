// SPDX-License-Identifier: Apache-2.0
#include "tests/app/platform/test_clock.h"

#include "app/platform/linux/power_supply_sensor.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::platform;

class TestPowerSupply : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void noBatteryIsMains();
    void notebook();
    void weakDock();
    void mouseBatteryDoesNotCount();
    void twoBatteries();
    void ups();
    void absentFolder();

private:
    void supply(const char* name, std::initializer_list<std::pair<const char*, const char*>> attributes) {
        const QString path = m_folder->filePath(QString::fromLatin1(name));
        QVERIFY(QDir().mkpath(path));
        for (const auto& [attribute, value] : attributes) {
            QFile file(path + QLatin1Char('/') + QLatin1String(attribute));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(value);
            file.write("\n");
        }
    }
    rules::SensorSnapshot look() {
        m_sensor = std::make_unique<PowerSupplySensor>(m_clock, m_folder->path().toStdString());
        m_sensor->poll();
        rules::SensorSnapshot snapshot;
        m_sensor->contribute(snapshot);
        return snapshot;
    }
    TestClock m_clock;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<PowerSupplySensor> m_sensor;
};

void TestPowerSupply::noBatteryIsMains() {
    supply("ucsi-source-psy-1", {{"type", "USB"}, {"online", "0"}});
    const auto snapshot = look();
    QCOMPARE(snapshot.onBattery.value, std::optional(false));
    QCOMPARE(snapshot.upsOnBattery.value, std::optional(false));
    QCOMPARE(snapshot.batteryPercent.reason, rules::UnknownReason::NoSource);
}

void TestPowerSupply::notebook() {
    supply("AC", {{"type", "Mains"}, {"online", "0"}});
    supply("BAT0", {{"type", "Battery"}, {"present", "1"}, {"status", "Discharging"}, {"capacity", "63"}});
    QCOMPARE(look().onBattery.value, std::optional(true));
    QCOMPARE(look().batteryPercent.value, std::optional(63.0));
    supply("BAT0", {{"status", "Charging"}});
    QCOMPARE(look().onBattery.value, std::optional(false));
    supply("BAT0", {{"present", "0"}, {"status", "Discharging"}});
    QCOMPARE(look().onBattery.value, std::optional(false));
}

void TestPowerSupply::weakDock() {
    supply("AC", {{"type", "Mains"}, {"online", "1"}});
    supply("BAT0", {{"type", "Battery"}, {"status", "Discharging"}, {"capacity", "20"}});
    QCOMPARE(look().onBattery.value, std::optional(true));
}

void TestPowerSupply::mouseBatteryDoesNotCount() {
    supply("hidpp_battery_0", {{"type", "Battery"}, {"scope", "Device"}, {"status", "Discharging"}, {"capacity", "4"}});
    QCOMPARE(look().onBattery.value, std::optional(false));
    QVERIFY(!look().batteryPercent.isKnown());
}

void TestPowerSupply::twoBatteries() {
    supply("BAT0", {{"type", "Battery"}, {"status", "Full"}, {"capacity", "100"}});
    supply("BAT1", {{"type", "Battery"}, {"status", "Discharging"}, {"capacity", "40"}});
    QCOMPARE(look().batteryPercent.value, std::optional(70.0));
    QCOMPARE(look().onBattery.value, std::optional(true));
}

void TestPowerSupply::ups() {
    supply("ups", {{"type", "UPS"}, {"status", "Discharging"}});
    QCOMPARE(look().upsOnBattery.value, std::optional(true));
    QCOMPARE(look().onBattery.value, std::optional(false));
}

void TestPowerSupply::absentFolder() {
    PowerSupplySensor sensor(m_clock, "/no/such/folder");
    sensor.poll();
    rules::SensorSnapshot snapshot;
    sensor.contribute(snapshot);
    QVERIFY(!snapshot.onBattery.isKnown());
    QCOMPARE(snapshot.onBattery.reason, rules::UnknownReason::NoSource);
}

QTEST_GUILESS_MAIN(TestPowerSupply)
#include "tst_power_supply.moc"
