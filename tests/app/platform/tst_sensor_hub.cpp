// SPDX-License-Identifier: Apache-2.0
#include "tests/app/platform/test_clock.h"

#include "app/platform/disk_sensor.h"
#include "app/platform/sensor_hub.h"

#include <QtTest>

#include <filesystem>

using namespace sunloco;
using namespace sunloco::platform;
using rules::Reading;
using rules::UnknownReason;

namespace {

/// A source that the test speaks for.
class SpokenSensor final : public Sensor {
public:
    SpokenSensor(const core::Clock& clock, int calmMs, int alertMs) : Sensor(QStringLiteral("spoken"), clock), m_calm(calmMs), m_alert(alertMs) {}

    void start() override {}
    void poll() override { ++polls; }
    [[nodiscard]] int pollInterval(Pace pace) const override { return pace == Pace::Alert ? m_alert : m_calm; }
    void contribute(rules::SensorSnapshot& snapshot) const override {
        mergeIdle(snapshot, idle);
        mergeReading(snapshot.sleepPending, sleep);
        mergeReading(snapshot.awakeMs, awake);
        mergeReading(snapshot.onBattery, battery);
    }
    void readyToSleep() override { ++letGo; }
    void say() { Q_EMIT readingChanged(); }
    using Sensor::noteFailure;
    using Sensor::noteSuccess;

    Reading<std::int64_t> idle = Reading<std::int64_t>::unknown(UnknownReason::NoSource);
    Reading<bool> sleep = Reading<bool>::unknown(UnknownReason::NoSource);
    Reading<std::int64_t> awake = Reading<std::int64_t>::unknown(UnknownReason::NoSource);
    Reading<bool> battery = Reading<bool>::unknown(UnknownReason::NoSource);
    int polls = 0;
    int letGo = 0;

private:
    int m_calm;
    int m_alert;
};

struct Pair {
    SpokenSensor* first = nullptr;
    SpokenSensor* second = nullptr;
    std::unique_ptr<SensorHub> hub;
};

Pair twoSensors(const core::Clock& clock) {
    Pair pair;
    std::vector<std::unique_ptr<Sensor>> sensors;
    auto first = std::make_unique<SpokenSensor>(clock, 0, 0);
    auto second = std::make_unique<SpokenSensor>(clock, 0, 0);
    pair.first = first.get();
    pair.second = second.get();
    sensors.push_back(std::move(first));
    sensors.push_back(std::move(second));
    pair.hub = std::make_unique<SensorHub>(clock, std::move(sensors));
    return pair;
}

}  // namespace

class TestSensorHub : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingKnownWithoutSensors();
    void smallestIdleWins();
    void idleNeverLongerThanTheSession();
    void firstSourceIsTrusted();
    void changesAreGathered();
    void sleepBySensor();
    void sleepByClocks();
    void threeFailuresDropASource();
    void disk();
    void systemSensorsAnswer();
    void pace();
};

void TestSensorHub::nothingKnownWithoutSensors() {
    TestClock clock;
    const SensorHub hub(clock, {});
    const rules::SensorSnapshot snapshot = hub.snapshot();
    QVERIFY(!snapshot.userIdleMs.isKnown() && !snapshot.onBattery.isKnown() && !snapshot.meteredNetwork.isKnown() && !snapshot.freeDiskBytes.isKnown());
    QCOMPARE(snapshot.userIdleMs.reason, UnknownReason::NoSource);
    QCOMPARE(*snapshot.awakeMs.value, std::int64_t{0});
}

void TestSensorHub::smallestIdleWins() {
    TestClock clock;
    Pair pair = twoSensors(clock);
    pair.first->awake = Reading<std::int64_t>::known(10'000'000);
    pair.first->idle = Reading<std::int64_t>::known(50'000);
    QCOMPARE(*pair.hub->snapshot().userIdleMs.value, std::int64_t{50'000});  // the second knows nothing and does not spoil it
    pair.second->idle = Reading<std::int64_t>::known(20'000);
    QCOMPARE(*pair.hub->snapshot().userIdleMs.value, std::int64_t{20'000});
    // The last input counts: an old reading of "5 s" was 65 s ago, so a fresh "20 s" is the later input.
    pair.first->idle = Reading<std::int64_t>::known(5'000, 60'000);
    const Reading<std::int64_t> merged = pair.hub->snapshot().userIdleMs;
    QCOMPARE(*merged.value, std::int64_t{20'000});
    QCOMPARE(merged.ageMs, std::int64_t{0});
}

void TestSensorHub::idleNeverLongerThanTheSession() {
    TestClock clock;
    Pair pair = twoSensors(clock);
    pair.first->idle = Reading<std::int64_t>::known(5'000'000);
    clock.advance(30'000);
    QCOMPARE(*pair.hub->snapshot().awakeMs.value, std::int64_t{30'000});  // since our own start
    QCOMPARE(*pair.hub->snapshot().userIdleMs.value, std::int64_t{30'000});
    pair.second->awake = Reading<std::int64_t>::known(3'600'000);  // the login is known
    QCOMPARE(*pair.hub->snapshot().userIdleMs.value, std::int64_t{3'600'000});
}

void TestSensorHub::firstSourceIsTrusted() {
    TestClock clock;
    Pair pair = twoSensors(clock);
    pair.second->battery = Reading<bool>::known(true);
    QCOMPARE(pair.hub->snapshot().onBattery.value, std::optional(true));
    pair.first->battery = Reading<bool>::known(false);
    QCOMPARE(pair.hub->snapshot().onBattery.value, std::optional(false));
    pair.first->battery = Reading<bool>::unknown(UnknownReason::NoAnswer);
    QCOMPARE(pair.hub->snapshot().onBattery.value, std::optional(true));
    pair.second->battery = Reading<bool>::unknown(UnknownReason::NoSource);
    QCOMPARE(pair.hub->snapshot().onBattery.reason, UnknownReason::NoAnswer);
}

void TestSensorHub::changesAreGathered() {
    TestClock clock;
    Pair pair = twoSensors(clock);
    QSignalSpy changed(pair.hub.get(), &SensorHub::changed);
    pair.first->say();
    pair.second->say();
    pair.first->say();
    QCOMPARE(changed.count(), 0);
    QCoreApplication::processEvents();
    QCOMPARE(changed.count(), 1);
}

void TestSensorHub::sleepBySensor() {
    TestClock clock;
    Pair pair = twoSensors(clock);
    QSignalSpy about(pair.hub.get(), &SensorHub::aboutToSleep);
    QSignalSpy resumed(pair.hub.get(), &SensorHub::resumed);
    pair.first->awake = Reading<std::int64_t>::known(9'000'000);
    pair.first->sleep = Reading<bool>::known(false);
    pair.first->say();
    QCOMPARE(about.count(), 0);
    pair.first->sleep = Reading<bool>::known(true);
    pair.first->say();
    pair.first->say();
    QCOMPARE(about.count(), 1);
    pair.hub->readyToSleep();
    QCOMPARE(pair.first->letGo, 1);
    clock.advance(1'000);
    pair.first->sleep = Reading<bool>::known(false);
    pair.first->say();
    QCOMPARE(resumed.count(), 1);
    clock.advance(7'000);
    QCOMPARE(*pair.hub->snapshot().awakeMs.value, std::int64_t{7'000});
}

void TestSensorHub::sleepByClocks() {
    TestClock clock;
    Pair pair = twoSensors(clock);
    pair.first->awake = Reading<std::int64_t>::known(9'000'000);
    QSignalSpy resumed(pair.hub.get(), &SensorHub::resumed);
    clock.advance(5'000);
    pair.hub->start();  // a tick
    QCOMPARE(resumed.count(), 0);
    clock.utc += 3'600'000;  // the PC slept: only the wall clock went on
    pair.hub->start();
    QCOMPARE(resumed.count(), 1);
    QCOMPARE(*pair.hub->snapshot().awakeMs.value, std::int64_t{0});
    clock.utc -= 7'200'000;  // a clock that is set back is no sleep
    pair.hub->start();
    QCOMPARE(resumed.count(), 1);
}

void TestSensorHub::threeFailuresDropASource() {
    TestClock clock;
    SpokenSensor sensor(clock, 1000, 1000);
    sensor.noteSuccess();
    sensor.noteFailure(QStringLiteral("no answer"));
    sensor.noteFailure(QStringLiteral("no answer"));
    sensor.noteSuccess();
    sensor.noteFailure(QStringLiteral("no answer"));
    sensor.noteFailure(QStringLiteral("no answer"));
    QCOMPARE(sensor.health(), Sensor::Health::Working);  // not three in a row
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("spoken: failed 3 times.*the last straw")));
    sensor.noteFailure(QStringLiteral("the last straw"));
    QCOMPARE(sensor.health(), Sensor::Health::Dropped);
    QVERIFY(!sensor.mayBePolled());
    clock.advance(Sensor::kRevivalMs);
    QVERIFY(sensor.mayBePolled());
    QCOMPARE(sensor.health(), Sensor::Health::Starting);
}

void TestSensorHub::disk() {
    TestClock clock;
    QTemporaryDir folder;
    DiskSensor here(clock, folder.path().toStdString());
    rules::SensorSnapshot snapshot;
    here.contribute(snapshot);
    QCOMPARE(snapshot.freeDiskBytes.reason, UnknownReason::Starting);
    here.poll();
    clock.advance(1'500);
    here.contribute(snapshot);
    QVERIFY(*snapshot.freeDiskBytes.value > 0);
    QCOMPARE(snapshot.freeDiskBytes.ageMs, std::int64_t{1'500});
    const auto available = static_cast<std::int64_t>(std::filesystem::space(folder.path().toStdString()).available);
    QVERIFY(std::abs(*snapshot.freeDiskBytes.value - available) < (1LL << 32));  // others write to the same disk meanwhile

    DiskSensor nowhere(clock, "/no/such/folder");
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("disk: failed 3 times.*")));
    for (int i = 0; i < 3; ++i) {
        nowhere.poll();
    }
    rules::SensorSnapshot other;
    nowhere.contribute(other);
    QVERIFY(!other.freeDiskBytes.isKnown());
    QCOMPARE(other.freeDiskBytes.reason, UnknownReason::NoAnswer);
}

/// The real sensors of this system with a bus that is not there and an X11 display that is not there: everything says so, nothing hangs.
void TestSensorHub::systemSensorsAnswer() {
    const core::SystemClock clock;
    QTemporaryDir folder;
    SensorOptions options;
    options.dataFolder = folder.path().toStdString();
    options.powerSupplyFolder = folder.filePath(QStringLiteral("none")).toStdString();
    options.systemBus = options.sessionBus = QStringLiteral("unix:path=") + folder.filePath(QStringLiteral("no-bus"));
    options.display = QStringLiteral(":7777");
    SensorHub hub(clock, makeSystemSensors(clock, options));
    hub.start();
    QTRY_VERIFY(hub.snapshot().freeDiskBytes.isKnown());
    const rules::SensorSnapshot snapshot = hub.snapshot();
    QVERIFY(!snapshot.userIdleMs.isKnown() && !snapshot.sessionLocked.isKnown() && !snapshot.onBattery.isKnown() && !snapshot.meteredNetwork.isKnown());
    QVERIFY(snapshot.awakeMs.isKnown());
    QVERIFY(!hub.report().empty());
}

void TestSensorHub::pace() {
    // The poll intervals that the design allows: calm at most one wake-up a second in total, alert within half a second.
    const core::SystemClock clock;
    QTemporaryDir folder;
    SensorOptions options;
    options.dataFolder = folder.path().toStdString();
    options.systemBus = options.sessionBus = QStringLiteral("unix:path=/nowhere");
    options.display = QStringLiteral(":7777");
    double calmPerSecond = 1.0 / 10;  // the hub's own tick
    int fastest = 1'000'000;
    for (const auto& sensor : makeSystemSensors(clock, options)) {
        if (const int calm = sensor->pollInterval(Pace::Calm); calm > 0) {
            calmPerSecond += 1000.0 / calm;
        }
        if (const int alert = sensor->pollInterval(Pace::Alert); alert > 0) {
            fastest = std::min(fastest, alert);
        }
    }
    QVERIFY2(calmPerSecond <= 1.0, qPrintable(QString::number(calmPerSecond)));
#ifdef SUNLOCO_HAVE_XSS
    QVERIFY(fastest < 500);
#endif
}

QTEST_GUILESS_MAIN(TestSensorHub)
#include "tst_sensor_hub.moc"
