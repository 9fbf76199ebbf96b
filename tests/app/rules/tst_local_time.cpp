// SPDX-License-Identifier: Apache-2.0
#include "tests/app/rules/rules_fixture.h"

#include "app/rules/trace_replay.h"
#include "app/rules/week_grid.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace sunloco;
using namespace sunloco::rules;

namespace {

/// "2025-03-30T01:00:00Z" to milliseconds, by Qt: another hand than the code under test.
core::UtcMs at(const char* iso) { return QDateTime::fromString(QString::fromLatin1(iso), Qt::ISODate).toMSecsSinceEpoch(); }
QString iso(core::UtcMs utc) { return QDateTime::fromMSecsSinceEpoch(utc, Qt::UTC).toString(Qt::ISODate); }

/// Lord Howe Island: summer time is half an hour; it ends on 2025-04-06 at 02:00 local (+11:00), which is 2025-04-05T15:00Z.
int lordHowe(core::UtcMs utc) { return utc < 1'743'865'200'000 ? 39'600 : 37'800; }

}  // namespace

class TestLocalTime : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void weekdays();
    void hourChanges_data();
    void hourChanges();
    void tomorrow_data();
    void tomorrow();
    void gridText();
    void gridRefuses_data();
    void gridRefuses();
    void gridAgainstBruteForce_data();
    void gridAgainstBruteForce();
    void pauses_data();
    void pauses();
    void overrideSurvivesRestart();
    void isoTimes();
};

void TestLocalTime::weekdays() {
    QCOMPARE(localHourAt(0, {}).weekday, 3);  // 1970-01-01 was a Thursday
    QCOMPARE(localHourAt(-1, {}).weekday, 2);
    QCOMPARE(localHourAt(-1, {}).hour, 23);
    QCOMPARE(localHourAt(kNoon, {}).weekday, 2);
    QCOMPARE(localHourAt(kNoon, {}).hour, 12);
    QCOMPARE(localHourAt(at("2025-01-19T23:30:00Z"), centralEurope).weekday, 0);
    QCOMPARE(localHourAt(at("2025-01-19T23:30:00Z"), centralEurope).hour, 0);
}

void TestLocalTime::hourChanges_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("next");
    QTest::addColumn<bool>("island");
    QTest::newRow("plain") << "2025-01-15T12:10:00Z" << "2025-01-15T13:00:00Z" << false;
    QTest::newRow("on the hour") << "2025-01-15T12:00:00Z" << "2025-01-15T13:00:00Z" << false;
    QTest::newRow("spring, into the gap") << "2025-03-30T00:30:00Z" << "2025-03-30T01:00:00Z" << false;
    QTest::newRow("autumn, the hour comes twice") << "2025-10-26T00:30:00Z" << "2025-10-26T02:00:00Z" << false;
    QTest::newRow("autumn, its second time") << "2025-10-26T01:30:00Z" << "2025-10-26T02:00:00Z" << false;
    QTest::newRow("half an hour back") << "2025-04-05T14:50:00Z" << "2025-04-05T15:30:00Z" << true;
}

void TestLocalTime::hourChanges() {
    QFETCH(QString, from);
    QFETCH(QString, next);
    QFETCH(bool, island);
    const UtcOffset offset = island ? UtcOffset(lordHowe) : UtcOffset(centralEurope);
    QCOMPARE(iso(nextHourChange(at(from.toLatin1().constData()), offset)), next);
}

void TestLocalTime::tomorrow_data() {
    QTest::addColumn<QString>("now");
    QTest::addColumn<int>("hour");
    QTest::addColumn<QString>("expected");
    QTest::newRow("afternoon") << "2025-01-15T15:00:00Z" << 6 << "2025-01-16T05:00:00Z";
    QTest::newRow("just after midnight, local") << "2025-01-15T23:10:00Z" << 6 << "2025-01-17T05:00:00Z";
    QTest::newRow("over the change to summer") << "2025-03-29T20:00:00Z" << 6 << "2025-03-30T04:00:00Z";
    QTest::newRow("the hour that does not exist") << "2025-03-29T20:00:00Z" << 2 << "2025-03-30T01:00:00Z";
    QTest::newRow("over the change to winter") << "2025-10-25T20:00:00Z" << 6 << "2025-10-26T05:00:00Z";
    QTest::newRow("the hour that comes twice: its first time") << "2025-10-25T20:00:00Z" << 2 << "2025-10-26T00:00:00Z";
}

void TestLocalTime::tomorrow() {
    QFETCH(QString, now);
    QFETCH(int, hour);
    QFETCH(QString, expected);
    QCOMPARE(iso(nextDayAt(at(now.toLatin1().constData()), hour, centralEurope)), expected);
}

void TestLocalTime::gridText() {
    const auto grid = WeekGrid::parse("Mon-Fri 22-7; sun 12:00-13:00");
    QVERIFY(grid.has_value());
    QCOMPARE(grid->count(), 5 * 9 + 1);
    QVERIFY(grid->at(0, 22) && grid->at(1, 6) && !grid->at(1, 7) && grid->at(5, 6) && !grid->at(0, 0) && grid->at(6, 12));
    QCOMPARE(grid->bits().size(), std::size_t{168});
    QVERIFY(*WeekGrid::parse(grid->bits()) == *grid);
    QVERIFY(*WeekGrid::parse(grid->spans()) == *grid);
    const auto wrapping = WeekGrid::parse("fri-mon 0-24");
    QVERIFY(wrapping.has_value());
    QCOMPARE(wrapping->count(), 4 * 24);
    QVERIFY(wrapping->at(0, 5) && wrapping->at(6, 5) && !wrapping->at(3, 5));
    const auto sundayNight = WeekGrid::parse("sun 22-2");
    QVERIFY(sundayNight.has_value() && sundayNight->at(0, 1) && sundayNight->at(6, 23) && !sundayNight->at(0, 2));
    QCOMPARE(WeekGrid::parse("")->count(), 0);
    QCOMPARE(WeekGrid::always().spans(), std::string("mon-sun 0-24"));
}

void TestLocalTime::gridRefuses_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"mon", "mon 7", "mon 7-7", "mon 24-3", "mun 7-9", "mon-xyz 7-9", "mon 7-9x", "mon -7-9", "mon 7-25", "0101", "mon 7-9, tue"}) {
        QTest::newRow(text) << QString::fromLatin1(text);
    }
    QTest::newRow("169 bits") << QString(169, QLatin1Char('1'));
    QTest::newRow("very long") << QString(100'000, QLatin1Char('m'));
}

void TestLocalTime::gridRefuses() {
    QFETCH(QString, text);
    const auto grid = WeekGrid::parse(text.toStdString());
    QVERIFY(!grid.has_value());
    QVERIFY(grid.error().message.size() < 400);
}

void TestLocalTime::gridAgainstBruteForce_data() {
    QTest::addColumn<QString>("week");
    QTest::addColumn<QString>("start");
    QTest::addColumn<bool>("island");
    for (const char* week : {"mon-fri 22-7", "sun 2-3", "sun 1-2, sun 3-4", "wed 12-13", "mon-sun 0-1"}) {
        for (const char* start : {"2025-03-29T20:17:00Z", "2025-10-25T20:17:00Z", "2025-10-26T00:30:00Z", "2025-07-01T00:00:00Z", "2025-04-05T14:50:00Z"}) {
            QTest::addRow("%s from %s", week, start) << QString::fromLatin1(week) << QString::fromLatin1(start) << false;
        }
    }
    QTest::newRow("half an hour back") << "sun 1-2" << "2025-04-05T13:50:00Z" << true;
}

void TestLocalTime::gridAgainstBruteForce() {
    QFETCH(QString, week);
    QFETCH(QString, start);
    QFETCH(bool, island);
    const UtcOffset offset = island ? UtcOffset(lordHowe) : UtcOffset(centralEurope);
    const auto grid = WeekGrid::parse(week.toStdString());
    QVERIFY(grid.has_value());
    core::UtcMs now = at(start.toLatin1().constData());
    // Three changes in a row, each found by stepping through the minutes.
    for (int change = 0; change < 3; ++change) {
        const bool open = grid->isOpenAt(now, offset);
        core::UtcMs expected = now;
        while (grid->isOpenAt(expected, offset) == open && expected < now + 9LL * 24 * kHour) {
            expected += kMinute;
        }
        const auto next = grid->nextChange(now, offset);
        QVERIFY(next.has_value());
        QCOMPARE(iso(*next), iso(expected));
        now = expected;
    }
    QVERIFY(!WeekGrid::always().nextChange(now, offset).has_value());
    QVERIFY(!WeekGrid{}.nextChange(now, offset).has_value());
}

void TestLocalTime::pauses_data() {
    QTest::addColumn<QString>("length");
    QTest::addColumn<qint64>("minutes");  // -1 = forever, -2 = refused
    QTest::newRow("15m") << "15m" << qint64{15};
    QTest::newRow("1h") << "1h" << qint64{60};
    QTest::newRow("4h") << "4h" << qint64{240};
    QTest::newRow("2d") << "2d" << qint64{2880};
    QTest::newRow("bare") << "90" << qint64{90};
    QTest::newRow("forever") << "forever" << qint64{-1};
    QTest::newRow("empty") << "" << qint64{-1};
    QTest::newRow("tomorrow") << "tomorrow" << qint64{17 * 60};  // noon UTC = 13:00 in winter; 06:00 is 17 h later
    for (const char* wrong : {"0m", "-5m", "5x", "h", "1.5h", "99999999999999999999m", "9999999h", "15 m"}) {
        QTest::newRow(wrong) << QString::fromLatin1(wrong) << qint64{-2};
    }
}

void TestLocalTime::pauses() {
    QFETCH(QString, length);
    QFETCH(qint64, minutes);
    const auto pause = pauseFor(length.toStdString(), kNoon, centralEurope);
    QCOMPARE(pause.has_value(), minutes != -2);
    if (!pause) {
        QVERIFY(pause.error().message.find(length.left(80).toStdString()) != std::string::npos);
        return;
    }
    QVERIFY(pause->isPause(kNoon) && !pause->isRunNow(kNoon));
    QCOMPARE(pause->until.has_value(), minutes != -1);
    if (minutes > 0) {
        QCOMPARE(*pause->until, kNoon + minutes * kMinute);
        QVERIFY(pause->isActive(*pause->until - 1));
        QVERIFY(!pause->isActive(*pause->until));
    } else {
        QVERIFY(pause->isActive(kNoon + 1000LL * 24 * kHour));
    }
}

void TestLocalTime::overrideSurvivesRestart() {
    for (const auto& value : {pauseFor("1h", kNoon, {}), pauseFor("forever", kNoon, {}), runNowFor(30, kNoon), runNowFor(0, kNoon),
                              core::Result<UserOverride>(UserOverride{})}) {
        QVERIFY(value.has_value());
        const auto parsed = core::parseJson(toJson(*value).dump());
        QVERIFY(parsed.has_value());
        const auto again = userOverrideFromJson(*parsed);
        QVERIFY(again.has_value());
        QVERIFY(*again == *value);
    }
    QVERIFY(runNowFor(0, kNoon)->isRunNow(kNoon + 10 * kHour));
    QVERIFY(!runNowFor(-1, kNoon).has_value());
    QVERIFY(!runNowFor(kMaxOverrideMinutes + 1, kNoon).has_value());
    for (const char* wrong : {R"({"kind":"stop"})", R"({"kind":"pause"})", R"({"kind":"pause","since":1,"till":2})", R"({"kind":"pause","since":"1"})", "[]"}) {
        const auto parsed = core::parseJson(wrong);
        QVERIFY(parsed.has_value());
        QVERIFY2(!userOverrideFromJson(*parsed).has_value(), wrong);
    }
}

void TestLocalTime::isoTimes() {
    for (const core::UtcMs utc : {core::UtcMs{0}, kNoon, at("2024-02-29T23:59:59Z"), at("1969-12-31T00:00:01Z")}) {
        QCOMPARE(QString::fromStdString(isoTime(utc)), iso(utc));
    }
    QCOMPARE(isoTime(kNoon + 7), std::string("2025-01-15T12:00:00.007Z"));
}

QTEST_GUILESS_MAIN(TestLocalTime)
#include "tst_local_time.moc"
