// SPDX-License-Identifier: Apache-2.0
// Each rule on its own: sensor and setting → verdict, numbers, since and next change.
#include "tests/app/rules/rules_fixture.h"

#include <QtTest>

using namespace sunloco;
using namespace sunloco::rules;

namespace {

void set(Inputs& inputs, std::string_view key, std::string_view text) {
    const auto done = inputs.settings.setText(key, text);
    if (!done) {
        qFatal("%s", done.error().message.c_str());
    }
}

Verdict ask(RuleId rule, const Inputs& inputs, core::UtcMs now = kNoon, const Decision* previous = nullptr) {
    return *evaluate(inputs, now, previous).find(rule);
}

}  // namespace

/// What a row of the table expects.
struct Expected {
    VerdictKind kind;
    const char* detail;
    bool stops;
};

class TestRules : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tableOrder();
    void kinds_data();
    void kinds();
    void idleNumbers();
    void idleLocked();
    void idleStale();
    void graceEnds();
    void pauseNumbers();
    void batteryRecoversHigher();
    void diskRecoversHigher();
    void scheduleNext();
    void restAfterPowerStop();
    void runsAtLeastAWhile();
    void sinceStays();

private:
    using Change = std::function<void(Inputs&)>;
    struct Case {
        const char* name;
        RuleId rule;
        Change change;
        Expected expected;
    };
    static std::vector<Case> cases();
};

void TestRules::tableOrder() {
    // The order of precedence that people see.
    const Decision decision = evaluate(quietPc(), kNoon);
    int group = 0;
    for (const Verdict& verdict : decision.verdicts) {
        QVERIFY(static_cast<int>(ruleGroup(verdict.rule)) >= group);
        group = static_cast<int>(ruleGroup(verdict.rule));
        QVERIFY(ruleFromCode(ruleCode(verdict.rule)) == verdict.rule);
        QVERIFY(!verdict.detail.empty());
        QVERIFY(verdict.since != 0);
    }
    QCOMPARE(group, static_cast<int>(RuleGroup::Work));
    QVERIFY(!ruleFromCode("no_such_rule").has_value());
}

std::vector<TestRules::Case> TestRules::cases() {
    using K = VerdictKind;
    const auto unknownBool = Reading<bool>::unknown(UnknownReason::NoAnswer);
    const auto unknownInt = Reading<std::int64_t>::unknown(UnknownReason::NoSource);
    return {
        {"not paused", RuleId::UserPause, [](Inputs&) {}, {K::Allow, "not_paused", false}},
        {"paused", RuleId::UserPause, [](Inputs& i) { i.userOverride = *pauseFor("1h", kNoon, {}); }, {K::Deny, "until", true}},
        {"paused until resumed", RuleId::UserPause, [](Inputs& i) { i.userOverride = *pauseFor("", kNoon, {}); }, {K::Deny, "until_resumed", true}},
        {"pause is over", RuleId::UserPause, [](Inputs& i) { i.userOverride = *pauseFor("1h", kNoon - kHour, {}); }, {K::Allow, "not_paused", false}},
        {"asked to run", RuleId::UserPause, [](Inputs& i) { i.userOverride = *runNowFor(10, kNoon); }, {K::Allow, "run_now", false}},
        {"mode rules", RuleId::Mode, [](Inputs&) {}, {K::Allow, "rules", false}},
        {"mode always", RuleId::Mode, [](Inputs& i) { set(i, "mode", "always"); }, {K::Allow, "always", false}},
        {"mode never", RuleId::Mode, [](Inputs& i) { set(i, "mode", "never"); }, {K::Deny, "never", true}},
        {"run now over never", RuleId::Mode,
         [](Inputs& i) {
             set(i, "mode", "never");
             i.userOverride = *runNowFor(10, kNoon);
         },
         {K::Allow, "run_now", false}},
        {"mains", RuleId::PowerSafety, [](Inputs&) {}, {K::Allow, "mains", false}},
        {"ups runs empty", RuleId::PowerSafety, [](Inputs& i) { i.snapshot.upsOnBattery = Reading<bool>::known(true); }, {K::Deny, "ups_on_battery", true}},
        {"battery 9.9 %", RuleId::PowerSafety, [](Inputs& i) { i = onBattery(9.9); }, {K::Deny, "battery_critical", true}},
        {"battery 10 %", RuleId::PowerSafety, [](Inputs& i) { i = onBattery(10); }, {K::Allow, "battery_ok", false}},
        {"power unknown", RuleId::PowerSafety, [=](Inputs& i) { i.snapshot.onBattery = unknownBool; }, {K::Unknown, "no_answer", false}},
        {"sleep announced", RuleId::Sleep, [](Inputs& i) { i.snapshot.sleepPending = Reading<bool>::known(true); }, {K::Deny, "sleep_announced", true}},
        {"sleep unknown", RuleId::Sleep, [=](Inputs& i) { i.snapshot.sleepPending = unknownBool; }, {K::Unknown, "no_answer", false}},
        {"just logged in", RuleId::StartGrace, [](Inputs& i) { i.snapshot.awakeMs = Reading<std::int64_t>::known(179'999); }, {K::Deny, "just_started", true}},
        {"three minutes in", RuleId::StartGrace, [](Inputs& i) { i.snapshot.awakeMs = Reading<std::int64_t>::known(180'000); }, {K::Allow, "settled", false}},
        {"login unknown", RuleId::StartGrace, [=](Inputs& i) { i.snapshot.awakeMs = unknownInt; }, {K::Unknown, "no_source", true}},
        {"lock not asked for", RuleId::SessionLock, [](Inputs&) {}, {K::Off, "not_used", false}},
        {"must be locked", RuleId::SessionLock, [](Inputs& i) { set(i, "idle.only_when_locked", "on"); }, {K::Deny, "unlocked", true}},
        {"is locked", RuleId::SessionLock,
         [](Inputs& i) {
             set(i, "idle.only_when_locked", "on");
             i.snapshot.sessionLocked = Reading<bool>::known(true);
         },
         {K::Allow, "locked", false}},
        {"lock unknown", RuleId::SessionLock,
         [=](Inputs& i) {
             set(i, "idle.only_when_locked", "on");
             i.snapshot.sessionLocked = unknownBool;
         },
         {K::Unknown, "no_answer", true}},
        {"idle for an hour", RuleId::UserIdle, [](Inputs&) {}, {K::Allow, "away", false}},
        {"idle to the millisecond", RuleId::UserIdle, [](Inputs& i) { i.snapshot.userIdleMs = Reading<std::int64_t>::known(10 * kMinute); }, {K::Allow, "away", false}},
        {"a millisecond short", RuleId::UserIdle, [](Inputs& i) { i.snapshot.userIdleMs = Reading<std::int64_t>::known(10 * kMinute - 1); }, {K::Deny, "in_use", true}},
        {"idle unknown", RuleId::UserIdle, [=](Inputs& i) { i.snapshot.userIdleMs = unknownInt; }, {K::Unknown, "no_source", true}},
        {"in use, gently", RuleId::UserIdle,
         [](Inputs& i) {
             set(i, "idle.in_use_percent", "30");
             i.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
         },
         {K::Limit, "in_use", false}},
        {"idle unknown, gently", RuleId::UserIdle,
         [=](Inputs& i) {
             set(i, "idle.in_use_percent", "30");
             i.snapshot.userIdleMs = unknownInt;
         },
         {K::Limit, "idle_unknown", false}},
        {"away, gently does not limit", RuleId::UserIdle, [](Inputs& i) { set(i, "idle.in_use_percent", "30"); }, {K::Allow, "away", false}},
        {"metered", RuleId::MeteredNetwork, [](Inputs& i) { i.snapshot.meteredNetwork = Reading<bool>::known(true); }, {K::Deny, "metered", true}},
        {"metered, told to upload", RuleId::MeteredNetwork,
         [](Inputs& i) {
             set(i, "network.metered_uploads", "upload");
             i.snapshot.meteredNetwork = Reading<bool>::known(true);
         },
         {K::Off, "not_used", false}},
        {"metered unknown", RuleId::MeteredNetwork, [=](Inputs& i) { i.snapshot.meteredNetwork = unknownBool; }, {K::Unknown, "no_answer", false}},
        {"metered unknown, careful", RuleId::MeteredNetwork,
         [=](Inputs& i) {
             set(i, "network.metered_uploads", "wait_unknown");
             i.snapshot.meteredNetwork = unknownBool;
         },
         {K::Unknown, "no_answer", true}},
        {"disk at the floor", RuleId::DiskFloor, [](Inputs& i) { i.snapshot.freeDiskBytes = Reading<std::int64_t>::known(5 * kGib); }, {K::Allow, "enough_free", false}},
        {"disk a byte below", RuleId::DiskFloor, [](Inputs& i) { i.snapshot.freeDiskBytes = Reading<std::int64_t>::known(5 * kGib - 1); }, {K::Deny, "too_little_free", true}},
        {"disk unknown", RuleId::DiskFloor, [=](Inputs& i) { i.snapshot.freeDiskBytes = unknownInt; }, {K::Unknown, "no_source", true}},
        {"disk stale", RuleId::DiskFloor, [](Inputs& i) { i.snapshot.freeDiskBytes.ageMs = 6 * kMinute; }, {K::Unknown, "stale", true}},
        {"no floor", RuleId::DiskFloor,
         [=](Inputs& i) {
             set(i, "disk.floor_gib", "0");
             i.snapshot.freeDiskBytes = unknownInt;
         },
         {K::Off, "not_used", false}},
        {"quota full", RuleId::DiskQuota, [](Inputs& i) { i.snapshot.usedDiskBytes = Reading<std::int64_t>::known(50 * kGib + 1); }, {K::Deny, "quota_used_up", true}},
        {"quota just kept", RuleId::DiskQuota, [](Inputs& i) { i.snapshot.usedDiskBytes = Reading<std::int64_t>::known(50 * kGib); }, {K::Allow, "within_quota", false}},
        {"use unknown", RuleId::DiskQuota, [=](Inputs& i) { i.snapshot.usedDiskBytes = unknownInt; }, {K::Unknown, "no_source", true}},
        {"on battery", RuleId::Battery, [](Inputs& i) { i = onBattery(100); }, {K::Deny, "on_battery", true}},
        {"on mains", RuleId::Battery, [](Inputs&) {}, {K::Allow, "mains", false}},
        {"supply unknown", RuleId::Battery, [=](Inputs& i) { i.snapshot.onBattery = unknownBool; }, {K::Unknown, "no_answer", true}},
        {"battery allowed", RuleId::Battery,
         [](Inputs& i) {
             i = onBattery(100);
             set(i, "battery.run_on_battery", "on");
         },
         {K::Off, "not_used", false}},
        {"level good", RuleId::BatteryLevel,
         [](Inputs& i) {
             i = onBattery(50);
             set(i, "battery.run_on_battery", "on");
         },
         {K::Allow, "battery_ok", false}},
        {"level low", RuleId::BatteryLevel,
         [](Inputs& i) {
             i = onBattery(49);
             set(i, "battery.run_on_battery", "on");
         },
         {K::Deny, "battery_low", true}},
        {"level unknown", RuleId::BatteryLevel,
         [](Inputs& i) {
             i = onBattery(49);
             i.snapshot.batteryPercent = Reading<double>::unknown(UnknownReason::NoAnswer);
             set(i, "battery.run_on_battery", "on");
         },
         {K::Unknown, "no_answer", true}},
        {"no schedule", RuleId::Schedule, [](Inputs&) {}, {K::Off, "not_used", false}},
        {"no hour chosen", RuleId::Schedule,
         [](Inputs& i) {
             set(i, "schedule.enabled", "on");
             set(i, "schedule.grid", "");
         },
         {K::Deny, "no_hour_chosen", true}},
        {"full speed", RuleId::Throttle, [](Inputs&) {}, {K::Off, "not_used", false}},
        {"half speed", RuleId::Throttle, [](Inputs& i) { set(i, "throttle.percent", "50"); }, {K::Limit, "limited", false}},
        {"nothing to do", RuleId::HasWork, [](Inputs& i) { i.snapshot.workAvailable = Reading<bool>::known(false); }, {K::Deny, "no_work", true}},
        {"work unknown", RuleId::HasWork, [](Inputs& i) { i.snapshot.workAvailable = Reading<bool>{}; }, {K::Unknown, "starting", true}},
    };
}

void TestRules::kinds_data() {
    QTest::addColumn<int>("index");
    const std::vector<Case> all = cases();
    for (std::size_t i = 0; i < all.size(); ++i) {
        QTest::newRow(all[i].name) << static_cast<int>(i);
    }
}

void TestRules::kinds() {
    QFETCH(int, index);
    const Case one = cases()[static_cast<std::size_t>(index)];
    Inputs inputs = quietPc();
    one.change(inputs);
    const Decision decision = evaluate(inputs, kNoon);
    const Verdict& verdict = *decision.find(one.rule);
    QCOMPARE(verdictKindName(verdict.kind), verdictKindName(one.expected.kind));
    QCOMPARE(verdict.detail, std::string(one.expected.detail));
    QCOMPARE(verdict.stops, one.expected.stops);
    // A rule that stops a run stops the run (but for run-now cases, which have their own test).
    if (one.expected.stops && one.rule != RuleId::MeteredNetwork) {
        QVERIFY(!decision.run);
    }
}

void TestRules::idleNumbers() {
    Inputs inputs = quietPc();
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(40'000, 2'000);  // measured 2 s ago
    const Verdict verdict = ask(RuleId::UserIdle, inputs);
    QCOMPARE(*verdict.value, 40'000.0);
    QCOMPARE(*verdict.limit, 600'000.0);
    QCOMPARE(verdict.unit, Unit::Milliseconds);
    QCOMPARE(verdict.since, kNoon - 42'000);
    QCOMPARE(*verdict.nextChange, kNoon - 42'000 + 600'000);
    QCOMPARE(verdict.nextKind, NextKind::Earliest);
}

void TestRules::idleLocked() {
    Inputs inputs = quietPc();
    inputs.snapshot.sessionLocked = Reading<bool>::known(true);
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(kMinute);
    QCOMPARE(ask(RuleId::UserIdle, inputs).detail, std::string("away_locked"));
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(kMinute - 1);
    QVERIFY(ask(RuleId::UserIdle, inputs).stops);
}

void TestRules::idleStale() {
    Inputs inputs = quietPc();
    inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(kHour, 30'001);
    const Verdict verdict = ask(RuleId::UserIdle, inputs);
    QCOMPARE(verdict.detail, std::string("stale"));
    QVERIFY(verdict.stops);
}

void TestRules::graceEnds() {
    Inputs inputs = quietPc();
    inputs.snapshot.awakeMs = Reading<std::int64_t>::known(kMinute);
    const Verdict verdict = ask(RuleId::StartGrace, inputs);
    QCOMPARE(*verdict.nextChange, kNoon + 2 * kMinute);
    QCOMPARE(verdict.since, kNoon - kMinute);
}

void TestRules::pauseNumbers() {
    Inputs inputs = quietPc();
    inputs.userOverride = *pauseFor("4h", kNoon - kHour, {});
    const Decision decision = evaluate(inputs, kNoon);
    QCOMPARE(decision.state, RunState::PausedByUser);
    QCOMPARE(decision.deciding.since, kNoon - kHour);
    QCOMPARE(*decision.nextChange, kNoon + 3 * kHour);
    QCOMPARE(decision.nextKind, NextKind::Fact);
}

void TestRules::batteryRecoversHigher() {
    const auto at = [](double percent) {
        Inputs inputs = onBattery(percent);
        set(inputs, "battery.run_on_battery", "on");
        set(inputs, "times.min_off_minutes", "0");
        return inputs;
    };
    const Decision low = evaluate(at(49), kNoon);
    QVERIFY(low.find(RuleId::BatteryLevel)->stops);
    const Decision between = evaluate(at(52.9), kNoon + 1000, &low);
    QVERIFY(between.find(RuleId::BatteryLevel)->stops);
    QVERIFY(!evaluate(at(53), kNoon + 2000, &between).find(RuleId::BatteryLevel)->stops);
    // Without the memory 51 % is fine.
    QVERIFY(!evaluate(at(51), kNoon).find(RuleId::BatteryLevel)->stops);
}

void TestRules::diskRecoversHigher() {
    const auto at = [](double gib) {
        Inputs inputs = quietPc();
        set(inputs, "times.min_off_minutes", "0");
        inputs.snapshot.freeDiskBytes = Reading<std::int64_t>::known(static_cast<std::int64_t>(gib * static_cast<double>(kGib)));
        return inputs;
    };
    const Decision low = evaluate(at(4.9), kNoon);
    QVERIFY(low.find(RuleId::DiskFloor)->stops);
    QVERIFY(evaluate(at(5.2), kNoon + 1000, &low).find(RuleId::DiskFloor)->stops);
    QVERIFY(!evaluate(at(5.26), kNoon + 1000, &low).find(RuleId::DiskFloor)->stops);
}

void TestRules::scheduleNext() {
    Inputs inputs = quietPc();
    inputs.utcOffset = centralEurope;
    set(inputs, "schedule.enabled", "on");
    set(inputs, "schedule.grid", "mon-sun 22-7");
    // Noon UTC is 13:00 local: closed, opens at 22:00 local = 21:00 UTC.
    const Decision closed = evaluate(inputs, kNoon);
    QCOMPARE(closed.find(RuleId::Schedule)->detail, std::string("closed"));
    QCOMPARE(*closed.nextChange, kNoon + 9 * kHour);
    QCOMPARE(closed.nextKind, NextKind::Fact);
    // 22:30 local: open until 07:00 local.
    const Decision open = evaluate(inputs, kNoon + 9 * kHour + 30 * kMinute, &closed);
    QVERIFY(open.run);
    QCOMPARE(open.deciding.rule, RuleId::Schedule);
    QCOMPARE(*open.nextChange, kNoon + 18 * kHour);
}

void TestRules::restAfterPowerStop() {
    const Decision running = evaluate(quietPc(), kNoon);
    QVERIFY(running.run);
    const Decision stopped = evaluate(onBattery(80), kNoon + kMinute, &running);
    QVERIFY(!stopped.run);
    QCOMPARE(*stopped.stoppedBy, RuleId::Battery);
    // Plugged in again at once: rests for three minutes from the stop.
    const Decision resting = evaluate(quietPc(), kNoon + 2 * kMinute, &stopped);
    QVERIFY(!resting.run);
    QCOMPARE(resting.deciding.rule, RuleId::MinimumTimes);
    QCOMPARE(resting.deciding.detail, std::string("resting"));
    QCOMPARE(*resting.nextChange, kNoon + 4 * kMinute);
    QVERIFY(evaluate(quietPc(), kNoon + 4 * kMinute, &resting).run);
    // A clock that was set back does not prolong it.
    QVERIFY(evaluate(quietPc(), kNoon - kHour, &resting).run);
    // A stop by the user's return needs no rest: idle minutes are the wait.
    Inputs inUse = quietPc();
    inUse.snapshot.userIdleMs = Reading<std::int64_t>::known(0);
    const Decision byUser = evaluate(inUse, kNoon + kMinute, &running);
    QCOMPARE(*byUser.stoppedBy, RuleId::UserIdle);
    QVERIFY(evaluate(quietPc(), kNoon + 2 * kMinute, &byUser).run);
}

void TestRules::runsAtLeastAWhile() {
    const auto at = [](double percent, std::int64_t idleMs) {
        Inputs inputs = onBattery(percent);
        set(inputs, "battery.run_on_battery", "on");
        inputs.snapshot.userIdleMs = Reading<std::int64_t>::known(idleMs);
        return inputs;
    };
    const Decision running = evaluate(at(51, kHour), kNoon);
    QVERIFY(running.run);
    const Decision held = evaluate(at(49, kHour), kNoon + kMinute, &running);
    QVERIFY(held.run);
    QCOMPARE(held.find(RuleId::BatteryLevel)->detail, std::string("held_by_minimum_time"));
    QCOMPARE(*held.nextChange, kNoon + 5 * kMinute);
    // The user's return is not held up, nor is a battery far below its limit.
    QVERIFY(!evaluate(at(49, 0), kNoon + 2 * kMinute, &held).run);
    QVERIFY(!evaluate(at(45, kHour), kNoon + 2 * kMinute, &held).run);
    QVERIFY(!evaluate(at(49, kHour), kNoon + 5 * kMinute, &held).run);
}

void TestRules::sinceStays() {
    const Decision first = evaluate(onBattery(80), kNoon);
    const Decision second = evaluate(onBattery(79), kNoon + kMinute, &first);
    QCOMPARE(second.find(RuleId::Battery)->since, kNoon);
    const Decision third = evaluate(quietPc(), kNoon + 2 * kMinute, &second);
    QCOMPARE(third.find(RuleId::Battery)->since, kNoon + 2 * kMinute);
}

QTEST_GUILESS_MAIN(TestRules)
#include "tst_rules.moc"
