// SPDX-License-Identifier: Apache-2.0
#include "app/energy/nvml_library.h"
#include "app/platform/autostart.h"
#include "app/platform/device_probe.h"
#include "app/platform/local_time_zone.h"
#include "app/platform/process_courtesy.h"

#include <QtTest>

#include <filesystem>
#include <thread>

#include <sys/resource.h>

using namespace sunloco;
using namespace sunloco::platform;

class TestDevices : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thisProcessor();
    void hyperThreads();
    void silentProcessor();
    void cards();
    void sleepingCards();
    void noDriver();
    void autostart();
    void autostartQuotes();
    void timeZone();
    void courtesy();
};

namespace {

void write(const QString& path, const QByteArray& text) {
    QVERIFY(QDir().mkpath(QFileInfo(path).path()));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

}  // namespace

void TestDevices::thisProcessor() {
    const std::vector<DeviceInfo> devices = probeDevices(nullptr, SleepingCards::LeaveAsleep);
    QCOMPARE(devices.size(), std::size_t{1});
    const DeviceInfo& cpu = devices.front();
    QCOMPARE(cpu.id, QStringLiteral("cpu"));
    QVERIFY(!cpu.name.isEmpty());
    QVERIFY(cpu.logicalCores >= 1 && cpu.physicalCores >= 1 && cpu.physicalCores <= cpu.logicalCores);
    QVERIFY(cpu.memoryBytes > (64LL << 20));
    QVERIFY(automaticThreads(cpu) >= 1);
    QVERIFY(!hostName().isEmpty());
}

void TestDevices::hyperThreads() {
    QTemporaryDir proc;
    QByteArray info;
    for (int cpu = 0; cpu < 8; ++cpu) {  // two packages with two cores of two threads
        info += "processor\t: " + QByteArray::number(cpu) + "\nmodel name\t: Example 9000 Processor\nphysical id\t: " + QByteArray::number(cpu / 4) +
                "\ncore id\t\t: " + QByteArray::number(cpu % 2) + "\n\n";
    }
    write(proc.filePath(QStringLiteral("cpuinfo")), info);
    write(proc.filePath(QStringLiteral("meminfo")), "MemTotal:       16303836 kB\nMemFree:  1 kB\n");
    const DeviceInfo cpu = probeDevices(nullptr, SleepingCards::LeaveAsleep, proc.path().toStdString()).front();
    QCOMPARE(cpu.name, QStringLiteral("Example 9000 Processor"));
    QCOMPARE(cpu.logicalCores, 8);
    QCOMPARE(cpu.physicalCores, 4);
    QCOMPARE(automaticThreads(cpu), 3);
    QCOMPARE(cpu.memoryBytes, std::int64_t{16303836} * 1024);
}

void TestDevices::silentProcessor() {
    QTemporaryDir proc;
    const DeviceInfo cpu = probeDevices(nullptr, SleepingCards::LeaveAsleep, proc.path().toStdString()).front();
    QVERIFY(!cpu.name.isEmpty());
    QVERIFY(cpu.physicalCores >= 1);
    write(proc.filePath(QStringLiteral("cpuinfo")), "processor\t: 0\nBogoMIPS\t: 50.00\nprocessor\t: 1\n");
    QCOMPARE(probeDevices(nullptr, SleepingCards::LeaveAsleep, proc.path().toStdString()).front().physicalCores, 2);
}

void TestDevices::cards() {
    energy::NvmlLibrary nvml(FAKE_NVML);
    const std::vector<DeviceInfo> devices = probeDevices(&nvml, SleepingCards::Wake);
    QCOMPARE(devices.size(), std::size_t{3});
    QCOMPARE(devices[1].id, QStringLiteral("GPU-zero"));
    QCOMPARE(devices[1].name, QStringLiteral("Fake RTX 4090"));
    QCOMPARE(devices[1].memoryBytes, 24LL << 30);
    QCOMPARE(devices[1].computeCapability, 89);
    QCOMPARE(devices[1].driver, QStringLiteral("580.65.06"));
    QCOMPARE(devices[2].computeCapability, 61);
    QVERIFY2(!nvml.isOpen(), "a look must not keep the card awake");
}

void TestDevices::sleepingCards() {
    QTemporaryDir pci;
    const auto card = [&pci](const char* slot, const char* vendor, const char* kind, const char* state) {
        const QString at = pci.filePath(QString::fromLatin1(slot));
        write(at + QStringLiteral("/vendor"), vendor);
        write(at + QStringLiteral("/class"), kind);
        write(at + QStringLiteral("/power/runtime_status"), state);
    };
    const auto asleep = [&pci] { return energy::allNvidiaCardsSleep(pci.path().toStdString()); };
    QVERIFY(!asleep());
    card("0000:00:02.0", "0x8086\n", "0x030000\n", "active\n");
    QVERIFY(!asleep());  // no NVIDIA card at all
    card("0000:01:00.0", "0x10de\n", "0x030000\n", "suspended\n");
    card("0000:01:00.1", "0x10de\n", "0x040300\n", "active\n");  // its sound device
    QVERIFY(asleep());
    card("0000:02:00.0", "0x10de\n", "0x030200\n", "active\n");
    QVERIFY(!asleep());
}

void TestDevices::noDriver() {
    energy::NvmlLibrary nvml("libno-such-driver.so.1");
    QCOMPARE(probeDevices(&nvml, SleepingCards::Wake).size(), std::size_t{1});
    const auto opened = nvml.open();
    QVERIFY(!opened.has_value());
    QCOMPARE(opened.error().code, core::ErrorCode::NotFound);
}

void TestDevices::autostart() {
    QTemporaryDir config;
    const Autostart entry(config.path().toStdString());
    QVERIFY(!entry.isEnabled());
    QVERIFY(entry.disable().has_value());
    QVERIFY(!entry.enable("sunloco").has_value());
    const auto enabled = entry.enable("/opt/sunloco/bin/sunloco");
    QVERIFY2(enabled.has_value(), enabled ? "" : enabled.error().text().c_str());
    QVERIFY(entry.isEnabled());
    QFile file(QString::fromStdString(entry.entryPath().string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(text.startsWith("[Desktop Entry]\n"));
    QVERIFY(text.contains("\nExec=\"/opt/sunloco/bin/sunloco\" --minimized\n"));
    file.close();
    // A desktop's own switch counts.
    write(file.fileName(), QByteArray(text).replace("X-GNOME-Autostart-enabled=true", "X-GNOME-Autostart-enabled=false"));
    QVERIFY(!entry.isEnabled());
    QVERIFY(entry.enable("/opt/sunloco/bin/sunloco").has_value());
    QVERIFY(entry.isEnabled());
    QVERIFY(entry.disable().has_value());
    QVERIFY(!QFile::exists(file.fileName()));
}

void TestDevices::autostartQuotes() {
    QTemporaryDir config;
    const Autostart entry(config.path().toStdString());
    QVERIFY(entry.enable(R"(/home/a b/$x/100%/q"t/sunloco)").has_value());
    QFile file(QString::fromStdString(entry.entryPath().string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY2(file.readAll().contains(R"(Exec="/home/a b/\\$x/100%%/q\\"t/sunloco" --minimized)"), "quoting of the Desktop Entry Specification");
    QVERIFY(!entry.enable("/tmp/a\nExec=evil").has_value());
}

void TestDevices::timeZone() {
    qputenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
    const rules::UtcOffset berlin = systemUtcOffset();
    QCOMPARE(berlin(1'736'942'400'000), 3600);   // 2025-01-15
    QCOMPARE(berlin(1'743'296'399'999), 3600);   // a millisecond before summer
    QCOMPARE(berlin(1'743'296'400'000), 7200);
    QCOMPARE(berlin(1'761'440'400'000), 3600);   // 2025-10-26T01:00Z
    qputenv("TZ", "UTC0");
    QCOMPARE(systemUtcOffset()(1'743'296'400'000), 0);
    QCOMPARE(rules::localHourAt(1'743'296'400'000, systemUtcOffset()).hour, 1);
}

void TestDevices::courtesy() {
    // In a child, as it is meant; "nice" without arguments prints the niceness it runs with.
    QProcess child;
    child.setChildProcessModifier([] { giveWayToOthers(); });
    child.start(QStringLiteral("sh"), {QStringLiteral("-c"), QStringLiteral("nice; cat /proc/self/oom_score_adj")});
    QVERIFY(child.waitForFinished(20'000));
    const QList<QByteArray> lines = child.readAllStandardOutput().split('\n');
    QCOMPARE(lines.value(0).toInt(), kWorkerNice);
    QCOMPARE(lines.value(1).toInt(), kWorkerOomScore);
}

QTEST_GUILESS_MAIN(TestDevices)
#include "tst_devices.moc"
