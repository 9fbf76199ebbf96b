// SPDX-License-Identifier: Apache-2.0
#include "app/rules/trace_replay.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace sunloco;
using namespace sunloco::rules;

class TestTraceReplay : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aDay();
    void foreseenChangesFallBetweenRows();
    void gapsAreUnknown();
    void batteryEnergy();
    void daylightSaving();
    void refuses_data();
    void refuses();
    void readsAFile();
};

void TestTraceReplay::aDay() {
    // The user leaves at 10:00, is away 10 min at 10:10, comes back at 10:30.
    std::string csv = "t_utc,idle_s,on_battery\n";
    for (int minute = 0; minute <= 40; ++minute) {
        const int idle = minute < 30 ? minute * 60 : 0;
        csv += "2025-01-15T10:" + std::string(minute < 10 ? "0" : "") + std::to_string(minute) + ":00Z," + std::to_string(idle) + ",0\n";
    }
    const auto result = replayTrace(csv, {});
    QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
    const core::Json json = toJson(*result);
    QCOMPARE(json["transitions"].size(), std::size_t{3});
    QCOMPARE(json["transitions"][0]["state"].get<std::string>(), std::string("waiting_for_idle"));
    QCOMPARE(json["transitions"][1]["t_utc"].get<std::string>(), std::string("2025-01-15T10:10:00Z"));
    QCOMPARE(json["transitions"][1]["state"].get<std::string>(), std::string("training"));
    QCOMPARE(json["transitions"][1]["power_w"].get<double>(), 100.0);
    QCOMPARE(json["transitions"][2]["t_utc"].get<std::string>(), std::string("2025-01-15T10:30:00Z"));
    QCOMPARE(json["transitions"][2]["reason"].get<std::string>(), std::string("user_idle"));
    QCOMPARE(json["totals"]["starts"].get<int>(), 1);
    QCOMPARE(json["totals"]["hours"].get<double>(), 0.333);
    QCOMPARE(json["totals"]["unknown_wh"].get<double>(), 33.333);
    QCOMPARE(json["totals"]["battery_wh"].get<double>(), 0.0);
    const core::Json spoken = toJson(*result, [](const Decision& d) { return "because of " + std::string(ruleCode(d.deciding.rule)); });
    QCOMPARE(spoken["transitions"][2]["reason"].get<std::string>(), std::string("because of user_idle"));
}

void TestTraceReplay::foreseenChangesFallBetweenRows() {
    // Rows every two minutes; ten minutes of idleness end in the middle of two rows, a schedule ends there, too.
    ReplayOptions options;
    options.maxGapMs = 300'000;
    QVERIFY(options.settings.setText("schedule.enabled", "on").has_value());
    QVERIFY(options.settings.setText("schedule.grid", "wed 10-11").has_value());
    const auto result = replayTrace("t_utc,idle_s\n2025-01-15T10:50:30Z,540\n2025-01-15T10:54:30Z,780\n2025-01-15T10:58:30Z,1020\n"
                                    "2025-01-15T11:02:30Z,1260\n",
                                    options);
    QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
    QCOMPARE(result->transitions.size(), std::size_t{3});
    QCOMPARE(isoTime(result->transitions[1].at), std::string("2025-01-15T10:51:30Z"));
    QVERIFY(result->transitions[1].decision.run);
    QCOMPARE(isoTime(result->transitions[2].at), std::string("2025-01-15T11:00:00Z"));
    QCOMPARE(result->transitions[2].decision.deciding.rule, RuleId::Schedule);
}

void TestTraceReplay::gapsAreUnknown() {
    const auto result = replayTrace("t_utc,idle_s\n0,36000\n7200,43200\n7260,43260\n", {});
    QVERIFY(result.has_value());
    // Two minutes of trust, then unknown = in use, then known again.
    QCOMPARE(result->transitions.size(), std::size_t{3});
    QCOMPARE(result->transitions[1].at, core::UtcMs{120'000});
    QCOMPARE(result->transitions[1].decision.deciding.detail, std::string("stale"));
    QCOMPARE(result->totals.starts, 2);
    QVERIFY(std::abs(result->totals.hours - 180.0 / 3600) < 1e-9);
    const auto empty = replayTrace("t_utc,idle_s\n0,\n60,36000\n120,36060\n", {});
    QVERIFY(empty.has_value());
    QCOMPARE(empty->transitions[0].decision.state, RunState::WaitingForIdle);
    QCOMPARE(empty->transitions[0].decision.deciding.kind, VerdictKind::Unknown);
}

void TestTraceReplay::batteryEnergy() {
    ReplayOptions options;
    options.maxGapMs = 4'000'000;
    QVERIFY(options.settings.setText("battery.run_on_battery", "on").has_value());
    const auto result = replayTrace("t_utc,on_battery,battery_percent,own_w\n0,1,90,50\n3600,1,40,50\n7200,0,40,50\n10800,0,60,50\n", options);
    QVERIFY(result.has_value());
    QVERIFY(std::abs(result->totals.batteryWh - 50) < 1e-9);
    QVERIFY(result->totals.unknownWh > 45 && result->totals.unknownWh <= 50);
    QCOMPARE(result->totals.starts, 2);
}

void TestTraceReplay::daylightSaving() {
    // 2025-03-30: at 01:00 UTC Berlin's clock jumps from 2 to 3; "sun 3-4" opens right then and lasts an hour.
    ReplayOptions options;
    options.maxGapMs = 1LL << 40;
    options.utcOffset = [](core::UtcMs utc) { return utc >= 1'743'296'400'000 ? 7200 : 3600; };
    QVERIFY(options.settings.setText("schedule.enabled", "on").has_value());
    QVERIFY(options.settings.setText("schedule.grid", "sun 3-4").has_value());
    const auto result = replayTrace("t_utc\n2025-03-30T00:00:00Z\n2025-03-30T12:00:00Z\n", options);
    QVERIFY(result.has_value());
    QCOMPARE(result->transitions.size(), std::size_t{3});
    QCOMPARE(isoTime(result->transitions[1].at), std::string("2025-03-30T01:00:00Z"));
    QCOMPARE(isoTime(result->transitions[2].at), std::string("2025-03-30T02:00:00Z"));
}

void TestTraceReplay::refuses_data() {
    QTest::addColumn<QString>("csv");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << "" << "no rows";
    QTest::newRow("names only") << "t_utc,idle_s\n" << "no rows";
    QTest::newRow("no time") << "idle_s\n3\n" << "t_utc";
    QTest::newRow("unknown column") << "t_utc,moon\n0,1\n" << "moon";
    QTest::newRow("column twice") << "t_utc,idle_s,idle_s\n0,1,1\n" << "idle_s";
    QTest::newRow("too few cells") << "t_utc,idle_s\n0\n" << "trace line 2";
    QTest::newRow("text") << "t_utc,idle_s\n0,long\n" << "idle_s";
    QTest::newRow("negative") << "t_utc,idle_s\n0,-1\n" << "idle_s";
    QTest::newRow("nan") << "t_utc,idle_s\n0,nan\n" << "idle_s";
    QTest::newRow("truth value") << "t_utc,on_battery\n0,yes\n" << "0 or 1";
    QTest::newRow("back in time") << "t_utc,idle_s\n60,1\n30,1\n" << "trace line 3";
    QTest::newRow("same time") << "t_utc,idle_s\n60,1\n60,1\n" << "trace line 3";
    QTest::newRow("local time") << "t_utc\n2025-03-30T02:00:00+01:00\n" << "t_utc";
    QTest::newRow("no such day") << "t_utc\n2025-02-30T02:00:00Z\n" << "t_utc";
    QTest::newRow("overflow") << "t_utc,free_gib\n0,1e300\n" << "free_gib";
}

void TestTraceReplay::refuses() {
    QFETCH(QString, csv);
    QFETCH(QString, says);
    const auto result = replayTrace(csv.toStdString(), {});
    QVERIFY(!result.has_value());
    QVERIFY2(QString::fromStdString(result.error().text()).contains(says), result.error().text().c_str());
}

void TestTraceReplay::readsAFile() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("day.csv"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("\xEF\xBB\xBF# my day\r\nt_utc, idle_s\r\n0, 700\r\n60, 760\r\n");
    file.close();
    const auto result = replayTraceFile(path.toStdString(), {});
    QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
    QCOMPARE(result->totals.starts, 1);
    const auto missing = replayTraceFile(folder.filePath(QStringLiteral("none.csv")).toStdString(), {});
    QVERIFY(!missing.has_value());
    QVERIFY(missing.error().text().find("none.csv") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestTraceReplay)
#include "tst_trace_replay.moc"
