// SPDX-License-Identifier: Apache-2.0
// The rules together: precedence, the user's overrides, devices, uploads, next change, JSON.
#include "tests/app/rules/rules_fixture.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace sunloco;
using namespace sunloco::rules;

namespace {

void set(Inputs& inputs, std::string_view key, std::string_view text) {
    const auto done = inputs.settings.setText(key, text);
    if (!done) {
        qFatal("%s", done.error().message.c_str());
    }
}

/// Everything that can stop stops.
Inputs everythingStops() {
    Inputs inputs = onBattery(5);
    SensorSnapshot& s = inputs.snapshot;
    s.sleepPending = Reading<bool>::known(true);
    s.awakeMs = Reading<std::int64_t>::known(0);
    s.userIdleMs = Reading<std::int64_t>::known(0);
    s.meteredNetwork = Reading<bool>::known(true);
    s.freeDiskBytes = Reading<std::int64_t>::known(0);
    s.usedDiskBytes = Reading<std::int64_t>::known(90 * kGib);
    s.workAvailable = Reading<bool>::known(false);
    set(inputs, "mode", "never");
    set(inputs, "idle.only_when_locked", "on");
    set(inputs, "schedule.enabled", "on");
    set(inputs, "schedule.grid", "wed 0-1");
    inputs.userOverride = *pauseFor("1h", kNoon, {});
    return inputs;
}

}  // namespace

class TestDecisions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void runsWhenAllAllow();
    void precedence();
    void runNowStandsAboveWhatYields();
    void alwaysStandsAboveWhatYields();
    void devicesHaveTheirOwnMode();
    void limits();
    void uploads();
    void nextStartIsTheLatest();
    void nextEndIsTheFirst();
    void states_data();
    void states();
    void minimumOfMemory();
    void jsonRoundTrip();
    void jsonRefuses_data();
    void jsonRefuses();
};

void TestDecisions::runsWhenAllAllow() {
    const Decision decision = evaluate(quietPc(), kNoon);
    QVERIFY(decision.run);
    QCOMPARE(decision.state, RunState::Training);
    QCOMPARE(decision.throttlePercent, 100);
    QCOMPARE(decision.runningSince, kNoon);
    QVERIFY(decision.uploadAllowed);
    QCOMPARE(decision.devices.size(), std::size_t{1});
    QCOMPARE(decision.devices.front().id, std::string("cpu"));
}

void TestDecisions::precedence() {
    // Take the stops away one by one: each time the next rule in the shown order decides.
    Inputs inputs = everythingStops();
    const Decision first = evaluate(inputs, kNoon);
    QCOMPARE(first.deciding.rule, RuleId::UserPause);
    struct Step {
        std::function<void(Inputs&)> fix;
        RuleId next;
    };
    const std::vector<Step> steps{
        {[](Inputs& i) { i.userOverride = {}; }, RuleId::Mode},
        {[](Inputs& i) { set(i, "mode", "rules"); }, RuleId::PowerSafety},
        {[](Inputs& i) { i.snapshot.batteryPercent = Reading<double>::known(50); }, RuleId::Sleep},
        {[](Inputs& i) { i.snapshot.sleepPending = Reading<bool>::known(false); }, RuleId::StartGrace},
        {[](Inputs& i) { i.snapshot.awakeMs = Reading<std::int64_t>::known(kHour); }, RuleId::SessionLock},
        {[](Inputs& i) { set(i, "idle.only_when_locked", "off"); }, RuleId::UserIdle},
        {[](Inputs& i) { i.snapshot.userIdleMs = Reading<std::int64_t>::known(kHour); }, RuleId::DiskFloor},
        {[](Inputs& i) { i.snapshot.freeDiskBytes = Reading<std::int64_t>::known(100 * kGib); }, RuleId::DiskQuota},
        {[](Inputs& i) { i.snapshot.usedDiskBytes = Reading<std::int64_t>::known(0); }, RuleId::Battery},
        {[](Inputs& i) { i.snapshot.onBattery = Reading<bool>::known(false); }, RuleId::Schedule},
        {[](Inputs& i) { set(i, "schedule.enabled", "off"); }, RuleId::HasWork},
    };
    for (const Step& step : steps) {
        step.fix(inputs);
        const Decision decision = evaluate(inputs, kNoon);
        QVERIFY(!decision.run);
        QCOMPARE(ruleCode(decision.deciding.rule), ruleCode(step.next));
        QVERIFY(decision.deciding == *decision.find(step.next));
    }
    inputs.snapshot.workAvailable = Reading<bool>::known(true);
    QVERIFY(evaluate(inputs, kNoon).run);
}

void TestDecisions::runNowStandsAboveWhatYields() {
    Inputs inputs = onBattery(80);
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
    inputs.snapshot.awakeMs = Reading<std::int64_t>::known(0);
    set(inputs, "mode", "never");
    set(inputs, "schedule.enabled", "on");
    set(inputs, "schedule.grid", "wed 0-1");
    inputs.userOverride = *runNowFor(30, kNoon);
    const Decision decision = evaluate(inputs, kNoon + kMinute);
    QVERIFY(decision.run);
    QCOMPARE(decision.state, RunState::TrainingAsked);
    QCOMPARE(decision.deciding.rule, RuleId::UserPause);
    QCOMPARE(*decision.nextChange, kNoon + 30 * kMinute);
    // The rules are still measured and say that they are overridden.
    QVERIFY(decision.find(RuleId::UserIdle)->overridden);
    QVERIFY(!decision.find(RuleId::UserIdle)->stops);
    QCOMPARE(decision.find(RuleId::UserIdle)->kind, VerdictKind::Deny);
    // It ends by itself, and the mode holds again.
    QVERIFY(!evaluate(inputs, kNoon + 30 * kMinute).run);
    // Safety, sleep, disk and the lack of work stand.
    for (const auto& harm : std::vector<std::function<void(Inputs&)>>{
             [](Inputs& i) { i.snapshot.batteryPercent = Reading<double>::known(9); },
             [](Inputs& i) { i.snapshot.upsOnBattery = Reading<bool>::known(true); },
             [](Inputs& i) { i.snapshot.sleepPending = Reading<bool>::known(true); },
             [](Inputs& i) { i.snapshot.freeDiskBytes = Reading<std::int64_t>::known(kGib); },
             [](Inputs& i) { i.snapshot.usedDiskBytes = Reading<std::int64_t>::known(60 * kGib); },
             [](Inputs& i) { i.snapshot.workAvailable = Reading<bool>::known(false); },
         }) {
        Inputs harmed = inputs;
        harm(harmed);
        QVERIFY(!evaluate(harmed, kNoon + kMinute).run);
    }
}

void TestDecisions::alwaysStandsAboveWhatYields() {
    Inputs inputs = onBattery(80);
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::unknown(UnknownReason::NoSource);
    set(inputs, "mode", "always");
    QVERIFY(evaluate(inputs, kNoon).run);
    QCOMPARE(evaluate(inputs, kNoon).state, RunState::Training);
    inputs.userOverride = *pauseFor("15m", kNoon, {});
    QVERIFY(!evaluate(inputs, kNoon).run);
}

void TestDecisions::devicesHaveTheirOwnMode() {
    Inputs inputs = quietPc();
    inputs.devices = {"cpu", "GPU-1", "GPU-2"};
    set(inputs, "device.cpu.mode", "never");
    set(inputs, "device.GPU-2.mode", "always");
    Decision decision = evaluate(inputs, kNoon);
    QVERIFY(!decision.devices[0].run && decision.devices[1].run && decision.devices[2].run);
    QCOMPARE(decision.devices[0].mode, Mode::Never);
    QVERIFY(!decision.devices[0].deciding.has_value());
    // The user is back: the card that always runs goes on, the other stops and says why.
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
    decision = evaluate(inputs, kNoon);
    QVERIFY(decision.run && !decision.devices[1].run && decision.devices[2].run);
    QCOMPARE(*decision.devices[1].deciding, RuleId::UserIdle);
    // Always is not above safety, nor above the whole agent's "never".
    inputs.snapshot.upsOnBattery = Reading<bool>::known(true);
    QVERIFY(!evaluate(inputs, kNoon).run);
    inputs.snapshot.upsOnBattery = Reading<bool>::known(false);
    set(inputs, "mode", "never");
    QCOMPARE(evaluate(inputs, kNoon).state, RunState::TurnedOff);
    // All devices off: turned off, even though every rule allows.
    Inputs off = quietPc();
    set(off, "device.cpu.mode", "never");
    decision = evaluate(off, kNoon);
    QVERIFY(!decision.run);
    QCOMPARE(decision.state, RunState::TurnedOff);
    QCOMPARE(decision.deciding.detail, std::string("all_devices_off"));
    // "Run now" does not wake a device that its user has switched off.
    off.userOverride = *runNowFor(10, kNoon);
    QVERIFY(!evaluate(off, kNoon).run);
}

void TestDecisions::limits() {
    Inputs inputs = quietPc();
    set(inputs, "throttle.percent", "70");
    QCOMPARE(evaluate(inputs, kNoon).throttlePercent, 70);
    QCOMPARE(evaluate(inputs, kNoon).deciding.rule, RuleId::Throttle);
    set(inputs, "idle.in_use_percent", "25");
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
    const Decision gentle = evaluate(inputs, kNoon);
    QVERIFY(gentle.run);
    QCOMPARE(gentle.throttlePercent, 25);
    QCOMPARE(gentle.devices.front().throttlePercent, 25);
    QCOMPARE(gentle.deciding.rule, RuleId::UserIdle);
    // Asked to run: the user's own upper bound still holds, the gentleness does not.
    inputs.userOverride = *runNowFor(10, kNoon);
    QCOMPARE(evaluate(inputs, kNoon).throttlePercent, 70);
}

void TestDecisions::uploads() {
    Inputs inputs = quietPc();
    inputs.snapshot.meteredNetwork = Reading<bool>::known(true);
    Decision decision = evaluate(inputs, kNoon);
    QVERIFY2(decision.run, "a metered network does not stop the training");
    QVERIFY(!decision.uploadAllowed);
    QCOMPARE(decision.upload.rule, RuleId::MeteredNetwork);
    // "Always" and "run now" do not spend the user's data volume.
    set(inputs, "mode", "always");
    QVERIFY(!evaluate(inputs, kNoon).uploadAllowed);
    inputs = quietPc();
    inputs.userOverride = *pauseFor("1h", kNoon, {});
    decision = evaluate(inputs, kNoon);
    QVERIFY(!decision.run && decision.uploadAllowed);
    set(inputs, "network.upload_while_paused", "off");
    decision = evaluate(inputs, kNoon);
    QVERIFY(!decision.uploadAllowed);
    QCOMPARE(decision.upload.rule, RuleId::UserPause);
    // A rule that stops the training does not stop the upload.
    inputs.userOverride = {};
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
    QVERIFY(evaluate(inputs, kNoon).uploadAllowed);
}

void TestDecisions::nextStartIsTheLatest() {
    Inputs inputs = quietPc();
    set(inputs, "schedule.enabled", "on");
    set(inputs, "schedule.grid", "wed 20-21");
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
    Decision decision = evaluate(inputs, kNoon);
    QCOMPARE(decision.deciding.rule, RuleId::UserIdle);
    QCOMPARE(*decision.nextChange, kNoon + 8 * kHour);
    QCOMPARE(decision.nextKind, NextKind::Earliest);
    // A stop that nobody can foresee hides it.
    inputs.snapshot.onBattery = Reading<bool>::known(true);
    decision = evaluate(inputs, kNoon);
    QVERIFY(!decision.nextChange.has_value());
    QCOMPARE(decision.nextKind, NextKind::None);
}

void TestDecisions::nextEndIsTheFirst() {
    Inputs inputs = quietPc();
    set(inputs, "schedule.enabled", "on");
    set(inputs, "schedule.grid", "wed 0-14");
    inputs.userOverride = *runNowFor(600, kNoon);
    const Decision decision = evaluate(inputs, kNoon);
    QVERIFY(decision.run);
    QCOMPARE(decision.deciding.rule, RuleId::Schedule);
    QCOMPARE(*decision.nextChange, kNoon + 2 * kHour);
}

void TestDecisions::states_data() {
    QTest::addColumn<int>("state");
    QTest::addColumn<int>("which");
    QTest::newRow("idle") << static_cast<int>(RunState::WaitingForIdle) << 0;
    QTest::newRow("idle unknown") << static_cast<int>(RunState::WaitingForIdle) << 1;
    QTest::newRow("battery") << static_cast<int>(RunState::PausedByRule) << 2;
    QTest::newRow("work") << static_cast<int>(RunState::WaitingForWork) << 3;
    QTest::newRow("never") << static_cast<int>(RunState::TurnedOff) << 4;
    QTest::newRow("pause") << static_cast<int>(RunState::PausedByUser) << 5;
}

void TestDecisions::states() {
    QFETCH(int, state);
    QFETCH(int, which);
    Inputs inputs = quietPc();
    switch (which) {
    case 0: inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(5); break;
    case 1: inputs.snapshot.userIdleMs = Reading<std::int64_t>::unknown(UnknownReason::NoSource); break;
    case 2: inputs.snapshot.onBattery = Reading<bool>::known(true); break;
    case 3:
        inputs.snapshot.workAvailable = Reading<bool>::known(false);
        inputs.snapshot.workAskedAgainAt = kNoon + kMinute;
        break;
    case 4: set(inputs, "mode", "never"); break;
    default: inputs.userOverride = *pauseFor("", kNoon, {}); break;
    }
    const Decision decision = evaluate(inputs, kNoon);
    QCOMPARE(static_cast<int>(decision.state), state);
    QVERIFY(!decision.run);
    if (which == 3) {
        QCOMPARE(*decision.nextChange, kNoon + kMinute);
    }
}

void TestDecisions::minimumOfMemory() {
    const Decision first = evaluate(quietPc(), kNoon);
    const Decision second = evaluate(quietPc(), kNoon + kMinute, &first);
    QCOMPARE(second.runningSince, kNoon);
    const Decision third = evaluate(onBattery(50), kNoon + 2 * kMinute, &second);
    QCOMPARE(third.runningSince, core::UtcMs{0});
    QCOMPARE(third.stoppedAt, kNoon + 2 * kMinute);
    const Decision fourth = evaluate(onBattery(50), kNoon + 3 * kMinute, &third);
    QCOMPARE(fourth.stoppedAt, kNoon + 2 * kMinute);
}

void TestDecisions::jsonRoundTrip() {
    for (const Inputs& inputs : {quietPc(), everythingStops(), onBattery(12)}) {
        const Decision before = evaluate(quietPc(), kNoon - kMinute);
        const Decision decision = evaluate(inputs, kNoon, &before);
        const auto parsed = core::parseJson(toJson(decision).dump());
        QVERIFY(parsed.has_value());
        const auto again = decisionFromJson(*parsed);
        QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
        QVERIFY(again->verdicts == decision.verdicts);
        QVERIFY(again->devices == decision.devices);
        QVERIFY(again->deciding == decision.deciding && again->upload == decision.upload);
        QVERIFY(again->stoppedBy == decision.stoppedBy && again->nextChange == decision.nextChange);
        QCOMPARE(toJson(*again).dump(), toJson(decision).dump());
    }
}

void TestDecisions::jsonRefuses_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::newRow("unknown rule") << "rule" << R"("moon_phase")";
    QTest::newRow("unknown verdict") << "verdict" << R"("maybe")";
    QTest::newRow("text for a number") << "value" << R"("12")";
    QTest::newRow("number for a switch") << "stops" << "1";
    QTest::newRow("fraction of a millisecond") << "since" << "1.5";
}

void TestDecisions::jsonRefuses() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    core::Json json = toJson(evaluate(quietPc(), kNoon).deciding);
    QVERIFY(verdictFromJson(json).has_value());
    json[key.toStdString()] = core::Json::parse(value.toStdString());
    QVERIFY(!verdictFromJson(json).has_value());
    QVERIFY(!verdictFromJson(core::Json::array()).has_value());
}

QTEST_GUILESS_MAIN(TestDecisions)
#include "tst_decisions.moc"
