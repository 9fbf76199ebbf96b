// SPDX-License-Identifier: Apache-2.0
// The real XScreenSaver counter of a real X server (Xvfb), moved by xdotool.
#include "app/platform/sensor_hub.h"

#ifdef SUNLOCO_HAVE_XSS
#include "app/platform/linux/x11_idle_sensor.h"
#endif

#include <QtTest>

using namespace sunloco;
using namespace sunloco::platform;

class TestX11Idle : public QObject {
    Q_OBJECT
#ifdef SUNLOCO_HAVE_XSS
private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void counterGrowsAndResets();
    void returnIsNoticedWhileTraining();
    void serverEnds();
    void noServer();

private:
    void xdotool(const QStringList& arguments) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DISPLAY"), m_display);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral("xdotool"), arguments);
        QVERIFY(process.waitForFinished(20'000));
        QCOMPARE(process.exitCode(), 0);
    }
    static rules::Reading<std::int64_t> idle(const Sensor& sensor) {
        rules::SensorSnapshot snapshot;
        sensor.contribute(snapshot);
        return snapshot.userIdleMs;
    }
    /// Polls until the answer has come.
    static rules::Reading<std::int64_t> poll(X11IdleSensor& sensor) {
        QSignalSpy changed(&sensor, &Sensor::readingChanged);
        sensor.poll();
        if (changed.isEmpty()) {
            changed.wait(20'000);
        }
        return idle(sensor);
    }

    core::SystemClock m_clock;
    QProcess m_server;
    QString m_display;
#endif
};

#ifdef SUNLOCO_HAVE_XSS

void TestX11Idle::initTestCase() {
    for (const char* program : {"Xvfb", "xdotool"}) {
        if (QStandardPaths::findExecutable(QLatin1String(program)).isEmpty()) {
            QSKIP("Xvfb and xdotool are needed (installer/test.sh installs them)");
        }
    }
}

void TestX11Idle::init() {
    // The server chooses a free display and tells it on its standard output.
    m_server.start(QStringLiteral("Xvfb"), {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"), QStringLiteral("0"),
                                            QStringLiteral("320x200x24"), QStringLiteral("-nolisten"), QStringLiteral("tcp"), QStringLiteral("-noreset")});
    QVERIFY(m_server.waitForStarted(20'000));
    QByteArray number;
    while (!number.contains('\n') && m_server.waitForReadyRead(30'000)) {
        number += m_server.readAllStandardOutput();
    }
    m_display = QLatin1Char(':') + QString::fromLatin1(number.trimmed());
    QVERIFY2(m_display.size() > 1, m_server.readAllStandardError().constData());
}

void TestX11Idle::cleanup() {
    m_server.terminate();
    if (!m_server.waitForFinished(10'000)) {
        m_server.kill();
        m_server.waitForFinished(10'000);
    }
}

void TestX11Idle::counterGrowsAndResets() {
    X11IdleSensor sensor(m_clock, m_display);
    QCOMPARE(idle(sensor).reason, rules::UnknownReason::Starting);
    xdotool({QStringLiteral("key"), QStringLiteral("a")});
    QElapsedTimer passed;
    passed.start();
    const auto first = poll(sensor);
    QVERIFY(first.isKnown());
    QVERIFY(sensor.available());
    // Time passes: the counter must have grown by what we waited, and by no more than has passed.
    QTest::qWait(1'200);
    const auto later = poll(sensor);
    QVERIFY(later.isKnown());
    QVERIFY(*later.value - *first.value >= 1'000);
    QVERIFY(*later.value - *first.value <= passed.elapsed() + 5);
    // A key sets it back; on a busy machine the answer may be late, so ask for it more than once.
    bool setBack = false;
    for (int attempt = 0; attempt < 20 && !setBack; ++attempt) {
        xdotool({QStringLiteral("key"), QStringLiteral("b")});
        const auto touched = poll(sensor);
        setBack = touched.isKnown() && *touched.value < *later.value;
    }
    QVERIFY(setBack);
}

void TestX11Idle::returnIsNoticedWhileTraining() {
    std::vector<std::unique_ptr<Sensor>> sensors;
    sensors.push_back(std::make_unique<X11IdleSensor>(m_clock, m_display));
    SensorHub hub(m_clock, std::move(sensors));
    xdotool({QStringLiteral("key"), QStringLiteral("a")});
    hub.start();
    hub.setPace(Pace::Alert);
    // Idle for a while, seen by the hub's own polling.
    QTRY_VERIFY_WITH_TIMEOUT(hub.snapshot().userIdleMs.value.value_or(0) >= 1'500, 30'000);
    // Somebody touches the mouse: the hub says so by itself, without anybody asking. Again and again, for a busy machine may be late once.
    bool noticed = false;
    connect(&hub, &SensorHub::changed, this, [&] { noticed = noticed || hub.snapshot().userIdleMs.value.value_or(9'999) < 1'000; });
    for (int attempt = 0; attempt < 20 && !noticed; ++attempt) {
        xdotool({QStringLiteral("mousemove"), QString::number(10 + attempt), QStringLiteral("20")});
        if (QTest::qWaitFor([&noticed] { return noticed; }, 1'000)) break;
    }
    QVERIFY(noticed);
}

void TestX11Idle::serverEnds() {
    X11IdleSensor sensor(m_clock, m_display);
    QVERIFY(poll(sensor).isKnown());
    m_server.kill();
    QVERIFY(m_server.waitForFinished(10'000));
    // This process lives on (libX11 would have ended it), the value is unknown, and after three failures the source is left out.
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("x11-idle: failed 3 times.*")));
    for (int i = 0; i < 3; ++i) {
        QVERIFY(!poll(sensor).isKnown());
    }
    QCOMPARE(sensor.health(), Sensor::Health::Dropped);
    QVERIFY(!sensor.problem().isEmpty());
}

void TestX11Idle::noServer() {
    X11IdleSensor sensor(m_clock, QStringLiteral(":7777"));
    QVERIFY(!poll(sensor).isKnown());
    QVERIFY2(sensor.problem().contains(QStringLiteral(":7777")), qPrintable(sensor.problem()));
}

#endif

QTEST_GUILESS_MAIN(TestX11Idle)
#include "tst_x11_idle.moc"
