// SPDX-License-Identifier: Apache-2.0
#include "tests/app/platform/test_clock.h"

#include "app/energy/energy_buckets.h"
#include "app/energy/nvml_library.h"
#include "app/energy/power_meter.h"

#include <QtTest>

#include <thread>

using namespace sunloco;
using namespace sunloco::energy;

namespace {

constexpr core::UtcMs kQuarter = EnergyBuckets::kBucketMs;
/// 2025-01-15T12:00:00Z, the start of a bucket.
constexpr core::UtcMs kNoon = 1'736'942'400'000;

void write(const QString& path, const QByteArray& text) {
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

/// /proc, powercap and power_supply as the test says.
class FakeMachine {
public:
    [[nodiscard]] PowerMeterOptions options(NvmlLibrary* nvml = nullptr) const {
        return {path("proc"), path("powercap"), path("power"), nvml};
    }
    /// Processor time in ticks: of our worker (pid 42), and of everybody.
    void ticks(int own, int everybody) const {
        write(file("proc/42/stat"), "42 (sun) loco (x) R 1 2 3 4 5 6 7 8 9 10 " + QByteArray::number(own / 2) + ' ' + QByteArray::number(own - own / 2) + " 0 0\n");
        write(file("proc/stat"), "cpu  " + QByteArray::number(everybody) + " 0 0 99999 1234 0 0 0 0 0\ncpu0 1 2 3\n");
    }
    void package(qulonglong microJoules, const char* zone = "intel-rapl:0") const {
        const QString at = QStringLiteral("powercap/") + QLatin1String(zone);
        write(file(at + QStringLiteral("/name")), "package-0\n");
        write(file(at + QStringLiteral("/energy_uj")), QByteArray::number(microJoules) + '\n');
        write(file(at + QStringLiteral("/max_energy_range_uj")), "1000000000\n");
    }
    [[nodiscard]] QString file(const QString& name) const { return m_folder.filePath(name); }
    [[nodiscard]] QString file(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private:
    [[nodiscard]] std::filesystem::path path(const char* name) const { return file(name).toStdString(); }
    QTemporaryDir m_folder;
};

}  // namespace

class TestEnergy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bucketsIntegrate();
    void bucketsSplitAtQuarters();
    void bucketsKnowGaps();
    void bucketsSurviveClockJumps();
    void bucketsAddUp();
    void nothingRuns();
    void raplByShare();
    void raplWraps();
    void batteryByShare();
    void estimate_data();
    void estimate();
    void cardsByCounterAndPower();
    void cardWithoutMeter();
    void nvmlErrors_data();
    void nvmlErrors();
    void realProcess();
};

void TestEnergy::bucketsIntegrate() {
    EnergyBuckets buckets;
    buckets.add(kNoon, 500, Origin::Unknown, false);  // the first only sets the start
    QVERIFY(buckets.takeChanged().empty());
    buckets.add(kNoon + 10'000, 360, Origin::Unknown, false);
    buckets.add(kNoon + 20'000, 180, Origin::Battery, true);
    const auto taken = buckets.takeChanged();
    QCOMPARE(taken.size(), std::size_t{1});
    QCOMPARE(taken[0].startUtc, kNoon);
    QCOMPARE(taken[0].milliJoules[static_cast<std::size_t>(Origin::Unknown)], std::int64_t{3'600'000});
    QCOMPARE(taken[0].milliJoules[static_cast<std::size_t>(Origin::Battery)], std::int64_t{1'800'000});
    QCOMPARE(taken[0].estimatedMilliJoules, std::int64_t{1'800'000});
    QVERIFY(taken[0].isEstimate());
    QCOMPARE(taken[0].wattHours(), 1.5);
    QCOMPARE(taken[0].measuredMs, std::int64_t{20'000});
    QVERIFY(buckets.takeChanged().empty());
}

void TestEnergy::bucketsSplitAtQuarters() {
    EnergyBuckets buckets;
    buckets.add(kNoon + kQuarter - 4'000, 100, Origin::Unknown, false);
    buckets.add(kNoon + kQuarter + 6'000, 100, Origin::Unknown, false);
    const auto taken = buckets.takeChanged();
    QCOMPARE(taken.size(), std::size_t{2});
    QCOMPARE(taken[0].totalMilliJoules(), std::int64_t{400'000});
    QCOMPARE(taken[1].startUtc, kNoon + kQuarter);
    QCOMPARE(taken[1].totalMilliJoules(), std::int64_t{600'000});
    QCOMPARE(EnergyBuckets::bucketStart(-1), -kQuarter);
    QCOMPARE(EnergyBuckets::bucketStart(kNoon + kQuarter - 1), kNoon);
}

void TestEnergy::bucketsKnowGaps() {
    EnergyBuckets buckets;
    buckets.add(kNoon, 100, Origin::Unknown, false);
    buckets.add(kNoon + 60'000, 100, Origin::Unknown, false);   // just no gap
    buckets.add(kNoon + 180'001, 100, Origin::Unknown, false);  // two minutes without a reading: no energy is invented
    buckets.stop();
    buckets.add(kNoon + 600'000, 100, Origin::Unknown, false);  // nothing ran meanwhile
    buckets.add(kNoon + 610'000, 100, Origin::Unknown, false);
    const auto taken = buckets.takeChanged();
    QCOMPARE(taken.size(), std::size_t{1});
    QCOMPARE(taken[0].totalMilliJoules(), std::int64_t{7'000'000});
    QCOMPARE(taken[0].gapMs, std::int64_t{120'001});
    QCOMPARE(taken[0].measuredMs, std::int64_t{70'000});
}

void TestEnergy::bucketsSurviveClockJumps() {
    EnergyBuckets buckets;
    buckets.add(kNoon, 100, Origin::Unknown, false);
    buckets.add(kNoon - 3'600'000, 100, Origin::Unknown, false);  // set back
    buckets.add(kNoon - 3'590'000, 100, Origin::Unknown, false);
    buckets.add(kNoon - 3'580'000, -5, Origin::Unknown, false);
    buckets.add(kNoon - 3'570'000, std::nan(""), Origin::Unknown, false);
    const auto taken = buckets.takeChanged();
    QCOMPARE(taken.size(), std::size_t{1});
    QCOMPARE(taken[0].totalMilliJoules(), std::int64_t{1'000'000});
}

void TestEnergy::bucketsAddUp() {
    // A day of odd steps and odd watts: the buckets' sum is the integral, to a milliwatt-second per piece.
    EnergyBuckets buckets;
    buckets.add(kNoon, 0, Origin::Unknown, false);
    core::UtcMs now = kNoon;
    double integral = 0;
    int pieces = 0;
    for (int i = 0; now < kNoon + 86'400'000; ++i) {
        const core::UtcMs step = 700 + (i * 7919) % 40'000;
        const double watts = 30 + (i * 104'729) % 3000 / 7.0;
        now += step;
        buckets.add(now, watts, i % 3 == 0 ? Origin::Battery : Origin::Unknown, false);
        integral += watts * static_cast<double>(step);
        pieces += 2;
    }
    std::int64_t sum = 0;
    std::int64_t covered = 0;
    for (const EnergyBucket& bucket : buckets.takeChanged()) {
        QCOMPARE(bucket.startUtc % kQuarter, core::UtcMs{0});
        QVERIFY(bucket.measuredMs <= kQuarter);
        sum += bucket.totalMilliJoules();
        covered += bucket.measuredMs;
    }
    QVERIFY(std::abs(static_cast<double>(sum) - integral) <= pieces);
    QCOMPARE(covered, now - kNoon);
}

void TestEnergy::nothingRuns() {
    TestClock clock;
    FakeMachine machine;
    machine.ticks(0, 0);
    PowerMeter meter(clock, machine.options());
    QVERIFY(!meter.read().has_value());
    meter.setWorkers({{42, "cpu"}});
    QVERIFY(!meter.read().has_value());  // no time has passed
    clock.advance(1'000);
    QVERIFY(meter.read().has_value());
    meter.setWorkers({});
    clock.advance(1'000);
    QVERIFY(!meter.read().has_value());
}

void TestEnergy::raplByShare() {
    TestClock clock;
    FakeMachine machine;
    machine.ticks(1000, 5000);
    machine.package(5'000'000);
    machine.package(123, "intel-rapl:0:0");  // a part of the package does not count again
    PowerMeter meter(clock, machine.options());
    meter.setWorkers({{42, "cpu"}});
    clock.advance(10'000);
    machine.ticks(1750, 6000);  // 750 of 1000 busy ticks were ours
    machine.package(405'000'000);
    machine.package(900'000'000, "intel-rapl:0:0");
    const auto reading = meter.read();
    QVERIFY(reading.has_value());
    QCOMPARE(reading->watts, 30.0);  // 400 J in 10 s = 40 W, three quarters of it
    QCOMPARE(reading->source, PowerSource::Rapl);
    QVERIFY(!reading->isEstimate);
    QCOMPARE(meter.byDevice().at("cpu").watts, 30.0);
    // The next reading covers only the time since this one.
    clock.advance(10'000);
    machine.ticks(1750, 7000);
    machine.package(505'000'000);
    QCOMPARE(meter.read()->watts, 0.0);
}

void TestEnergy::raplWraps() {
    TestClock clock;
    FakeMachine machine;
    machine.ticks(0, 0);
    machine.package(950'000'000);
    PowerMeter meter(clock, machine.options());
    meter.setWorkers({{42, "cpu"}});
    clock.advance(2'000);
    machine.ticks(100, 100);
    machine.package(10'000'000);  // over 1000 J and round again
    QCOMPARE(meter.read()->watts, 30.0);
}

void TestEnergy::batteryByShare() {
    TestClock clock;
    FakeMachine machine;
    machine.ticks(0, 0);
    write(machine.file("power/BAT0/type"), "Battery\n");
    write(machine.file("power/BAT0/status"), "Discharging\n");
    write(machine.file("power/BAT0/power_now"), "24000000\n");
    PowerMeter meter(clock, machine.options());
    meter.setWorkers({{42, "cpu"}});
    clock.advance(1'000);
    machine.ticks(50, 100);
    auto reading = meter.read();
    QCOMPARE(reading->watts, 12.0);
    QCOMPARE(reading->source, PowerSource::Battery);
    QVERIFY(reading->isEstimate);
    // Some batteries tell current and voltage instead.
    QVERIFY(QFile::remove(machine.file("power/BAT0/power_now")));
    write(machine.file("power/BAT0/current_now"), "2000000\n");
    write(machine.file("power/BAT0/voltage_now"), "12000000\n");
    clock.advance(1'000);
    machine.ticks(150, 200);
    QCOMPARE(meter.read()->watts, 24.0);
}

void TestEnergy::estimate_data() {
    QTest::addColumn<QByteArray>("limit");
    QTest::addColumn<bool>("notebook");
    QTest::addColumn<double>("rated");
    QTest::newRow("desktop") << QByteArray() << false << 65.0;
    QTest::newRow("notebook on mains") << QByteArray() << true << 28.0;
    QTest::newRow("the processor's own limit") << QByteArray("125000000\n") << false << 125.0;
}

void TestEnergy::estimate() {
    QFETCH(QByteArray, limit);
    QFETCH(bool, notebook);
    QFETCH(double, rated);
    TestClock clock;
    FakeMachine machine;
    machine.ticks(0, 0);
    if (notebook) {
        write(machine.file("power/BAT0/type"), "Battery\n");
        write(machine.file("power/BAT0/status"), "Full\n");
    }
    if (!limit.isEmpty()) {
        // The counter is for root only on most systems; the limit can be read by all.
        write(machine.file("powercap/intel-rapl:0/name"), "package-0\n");
        write(machine.file("powercap/intel-rapl:0/constraint_0_power_limit_uw"), limit);
    }
    PowerMeter meter(clock, machine.options());
    meter.setWorkers({{42, "cpu"}});
    clock.advance(10'000);
    machine.ticks(1000, 1000);  // 1000 ticks in 10 s = one core busy all the time
    const auto reading = meter.read();
    QCOMPARE(reading->source, PowerSource::Estimate);
    QVERIFY(reading->isEstimate);
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    QCOMPARE(reading->watts, rated / cores);
}

void TestEnergy::cardsByCounterAndPower() {
    TestClock clock;
    FakeMachine machine;
    QTemporaryDir folder;
    const QString openFile = folder.filePath(QStringLiteral("opened"));
    qputenv("FAKE_NVML_OPEN_FILE", openFile.toUtf8());
    qputenv("FAKE_NVML_ENERGY_MJ", "1000000");
    qputenv("FAKE_NVML_POWER_MW", "60000");
    machine.ticks(0, 0);
    NvmlLibrary nvml(FAKE_NVML);
    PowerMeter meter(clock, machine.options(&nvml));
    meter.setWorkers({{42, "GPU-zero"}, {42, "GPU-one"}});
    clock.advance(5'000);
    qputenv("FAKE_NVML_ENERGY_MJ", "2000000");
    const auto reading = meter.read();
    QVERIFY(reading.has_value());
    QCOMPARE(meter.byDevice().at("GPU-zero").watts, 200.0);  // 1000 J in 5 s
    QCOMPARE(meter.byDevice().at("GPU-one").watts, 60.0);    // no counter: its power reading
    QVERIFY(!meter.byDevice().at("GPU-one").isEstimate);
    QCOMPARE(reading->watts, 260.0 + meter.byDevice().at("cpu").watts);
    QCOMPARE(reading->source, PowerSource::Nvml);
    // The counter is reset when the driver is loaded anew: no huge and no negative number.
    clock.advance(5'000);
    qputenv("FAKE_NVML_ENERGY_MJ", "5");
    QVERIFY(meter.read().has_value());
    QCOMPARE(meter.byDevice().at("GPU-zero").watts, 60.0);
    // Nothing trains on a card any more: NVML is closed, so that the card can sleep.
    meter.setWorkers({});
    QFile file(openFile);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("0"));
    qunsetenv("FAKE_NVML_OPEN_FILE");
}

void TestEnergy::cardWithoutMeter() {
    TestClock clock;
    FakeMachine machine;
    qunsetenv("FAKE_NVML_ENERGY_MJ");
    qunsetenv("FAKE_NVML_POWER_MW");
    machine.ticks(0, 0);
    machine.package(0);
    NvmlLibrary nvml(FAKE_NVML);
    PowerMeter meter(clock, machine.options(&nvml));
    meter.setWorkers({{42, "GPU-one"}});
    clock.advance(1'000);
    machine.ticks(10, 10);
    machine.package(20'000'000);
    const auto reading = meter.read();
    QVERIFY(reading.has_value());
    QCOMPARE(reading->watts, 20.0);
    QVERIFY2(reading->isEstimate, "a sum without the card is no measurement");
    QVERIFY(meter.byDevice().find("GPU-one") == meter.byDevice().end());
}

void TestEnergy::nvmlErrors_data() {
    QTest::addColumn<int>("init");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("driver not loaded") << 9 << static_cast<int>(core::ErrorCode::NotFound) << "not loaded";
    QTest::newRow("no permission") << 4 << static_cast<int>(core::ErrorCode::PermissionDenied) << "does not let";
    QTest::newRow("card lost") << 15 << static_cast<int>(core::ErrorCode::DeviceLost) << "restart";
    QTest::newRow("driver updated") << 18 << static_cast<int>(core::ErrorCode::Unsupported) << "restart the PC";
    QTest::newRow("anything else") << 999 << static_cast<int>(core::ErrorCode::Io) << "999";
}

void TestEnergy::nvmlErrors() {
    QFETCH(int, init);
    QFETCH(int, code);
    QFETCH(QString, says);
    qputenv("FAKE_NVML_INIT", QByteArray::number(init));
    NvmlLibrary nvml(FAKE_NVML);
    const auto opened = nvml.open();
    qunsetenv("FAKE_NVML_INIT");
    QVERIFY(!opened.has_value());
    QCOMPARE(static_cast<int>(opened.error().code), code);
    QVERIFY2(QString::fromStdString(opened.error().text()).contains(says), opened.error().text().c_str());
    // The driver is there the next time.
    QVERIFY(nvml.open().has_value());
    QCOMPARE(nvml.watts("GPU-none").error().code, core::ErrorCode::NotFound);
}

void TestEnergy::realProcess() {
    // The kernel's own files and this very process: whatever this machine offers, the answer is finite and not negative.
    const core::SystemClock clock;
    PowerMeter meter(clock, {});
    meter.setWorkers({{QCoreApplication::applicationPid(), "cpu"}});
    QElapsedTimer timer;
    timer.start();
    volatile double work = 1;
    while (timer.elapsed() < 300) {
        work = work * 1.0000001;
    }
    const auto reading = meter.read();
    QVERIFY(reading.has_value());
    QVERIFY(std::isfinite(reading->watts) && reading->watts > 0 && reading->watts < 5'000);
    qInfo("this process drew about %.1f W (%s)", reading->watts, powerSourceName(reading->source).data());
}

QTEST_GUILESS_MAIN(TestEnergy)
#include "tst_energy.moc"
