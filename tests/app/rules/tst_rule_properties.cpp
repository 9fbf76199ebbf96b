// SPDX-License-Identifier: Apache-2.0
// What must hold for every sequence of sensor values, settings and requests.
#include "tests/app/rules/rules_fixture.h"

#include <QtTest>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace sunloco;
using namespace sunloco::rules;

namespace {

rc::Gen<Reading<std::int64_t>> anyNumber(std::int64_t upTo) {
    return rc::gen::map(rc::gen::tuple(rc::gen::inRange(0, 8), rc::gen::inRange<std::int64_t>(0, upTo), rc::gen::inRange<std::int64_t>(0, 40'000)),
                        [](const std::tuple<int, std::int64_t, std::int64_t>& t) {
                            return std::get<0>(t) == 0 ? Reading<std::int64_t>::unknown(UnknownReason::NoAnswer)
                                                       : Reading<std::int64_t>::known(std::get<1>(t), std::get<2>(t));
                        });
}

rc::Gen<Reading<bool>> anyFlag() {
    return rc::gen::map(rc::gen::inRange(0, 9), [](int which) {
        return which == 0 ? Reading<bool>::unknown(UnknownReason::NoSource) : Reading<bool>::known(which >= 6);
    });
}

rc::Gen<Inputs> anyInputs() {
    return rc::gen::exec([] {
        Inputs inputs;
        SensorSnapshot& s = inputs.snapshot;
        s.userIdleMs = *anyNumber(2 * kHour);
        s.sessionLocked = *anyFlag();
        s.sleepPending = *anyFlag();
        s.awakeMs = *anyNumber(kHour);
        s.onBattery = *anyFlag();
        s.batteryPercent = Reading<double>::known(*rc::gen::inRange(0, 101));
        s.upsOnBattery = *anyFlag();
        s.meteredNetwork = *anyFlag();
        s.freeDiskBytes = *anyNumber(30 * kGib);
        s.usedDiskBytes = *anyNumber(60 * kGib);
        s.workAvailable = *anyFlag();
        const auto put = [&inputs](std::string_view key, const std::string& text) { RC_ASSERT(inputs.settings.setText(key, text).has_value()); };
        put("mode", *rc::gen::element<std::string>("rules", "rules", "rules", "always", "never"));
        put("battery.run_on_battery", *rc::gen::element<std::string>("on", "off"));
        put("idle.in_use_percent", *rc::gen::element<std::string>("0", "0", "25", "60"));
        put("idle.only_when_locked", *rc::gen::element<std::string>("off", "off", "on"));
        put("schedule.enabled", *rc::gen::element<std::string>("off", "on"));
        put("schedule.grid", *rc::gen::element<std::string>("mon-sun 0-24", "mon-fri 8-13", "wed 12-13", ""));
        put("throttle.percent", *rc::gen::element<std::string>("100", "25", "80"));
        put("device.b.mode", *rc::gen::element<std::string>("rules", "always", "never"));
        inputs.devices = {"a", "b"};
        switch (*rc::gen::inRange(0, 6)) {
        case 0: inputs.userOverride = *pauseFor("15m", kNoon, {}); break;
        case 1: inputs.userOverride = *runNowFor(15, kNoon); break;
        default: break;
        }
        return inputs;
    });
}

bool yieldsToUser(RuleId rule) {
    switch (rule) {
    case RuleId::StartGrace:
    case RuleId::SessionLock:
    case RuleId::UserIdle:
    case RuleId::Battery:
    case RuleId::BatteryLevel:
    case RuleId::Schedule:
    case RuleId::MinimumTimes: return true;
    default: return false;
    }
}

}  // namespace

class TestRuleProperties : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everySequence();
    void settingsTextForms();
    void weekGridForms();
};

void TestRuleProperties::everySequence() {
    const bool held = rc::check("decisions of any sequence", [] {
        Decision last;
        bool haveLast = false;
        core::UtcMs now = kNoon;
        const int steps = *rc::gen::inRange(1, 12);
        for (int step = 0; step < steps; ++step) {
            const Inputs inputs = *anyInputs();
            now += *rc::gen::inRange<std::int64_t>(1, 4 * kMinute);
            const Decision decision = evaluate(inputs, now, haveLast ? &last : nullptr);
            // Pure: the same inputs give the same decision.
            RC_ASSERT(toJson(evaluate(inputs, now, haveLast ? &last : nullptr)).dump() == toJson(decision).dump());
            const auto stops = [&](RuleId rule) { return decision.find(rule)->stops; };
            const bool asked = inputs.userOverride.isRunNow(now);
            // Nothing runs over a pause, unsafe power, announced sleep, a full disk, or without work.
            for (const RuleId hard : {RuleId::UserPause, RuleId::PowerSafety, RuleId::Sleep, RuleId::DiskFloor, RuleId::DiskQuota, RuleId::HasWork}) {
                RC_ASSERT((!(decision.run && stops(hard))));
            }
            // Device a follows the whole agent: never on when the idle time is unknown, stale or short, unless the user said so.
            const DeviceDecision& a = decision.devices[0];
            const bool gentle = inputs.settings.number(keys::kInUsePercent) > 0;
            const auto idle = inputs.snapshot.userIdleMs.notOlderThan(30'000);
            const bool away = idle.isKnown() && *idle.value >= (inputs.snapshot.sessionLocked.value == true ? kMinute : 10 * kMinute);
            if (a.run && !asked && inputs.settings.mode() == Mode::Rules && !away) {
                RC_ASSERT(gentle);
                RC_ASSERT(a.throttlePercent <= inputs.settings.number(keys::kInUsePercent));
            }
            if (inputs.settings.deviceMode("b") == Mode::Never) {
                RC_ASSERT(!decision.devices[1].run);
            }
            RC_ASSERT((decision.run == (decision.devices[0].run || decision.devices[1].run)));
            RC_ASSERT((decision.throttlePercent >= 25 && decision.throttlePercent <= 100));
            RC_ASSERT(decision.uploadAllowed == !decision.upload.stops);
            // The deciding rule is the first that stops; a foreseen time lies ahead; kind and time agree.
            if (!decision.run && decision.deciding.detail != "all_devices_off") {
                for (const Verdict& verdict : decision.verdicts) {
                    if (verdict.stops && verdict.rule != RuleId::MeteredNetwork) {
                        RC_ASSERT(verdict.rule == decision.deciding.rule);
                        break;
                    }
                }
            }
            RC_ASSERT(decision.nextChange.has_value() == (decision.nextKind != NextKind::None));
            for (const Verdict& verdict : decision.verdicts) {
                RC_ASSERT(verdict.nextChange.has_value() == (verdict.nextKind != NextKind::None));
                RC_ASSERT((!verdict.nextChange || *verdict.nextChange >= now));
                RC_ASSERT(verdict.since <= now);
                RC_ASSERT((!(verdict.stops && verdict.overridden)));
                RC_ASSERT((!verdict.overridden || yieldsToUser(verdict.rule)));
                RC_ASSERT((verdict.kind != VerdictKind::Deny || verdict.stops || verdict.overridden));
            }
            // Minimum rest: after a stop by the battery, the rules do not start within three minutes.
            if (haveLast && !last.run && a.run && decision.run && !asked && inputs.settings.mode() == Mode::Rules && last.stoppedBy == RuleId::Battery) {
                RC_ASSERT(now - last.stoppedAt >= 3 * kMinute);
            }
            // JSON keeps everything.
            const auto again = decisionFromJson(toJson(decision));
            RC_ASSERT(again.has_value());
            RC_ASSERT(toJson(*again).dump() == toJson(decision).dump());
            last = decision;
            haveLast = true;
        }
    });
    QVERIFY(held);
}

void TestRuleProperties::settingsTextForms() {
    const bool held = rc::check("text set, read back, stored and loaded", [] {
        const auto table = settingsTable();
        const SettingSpec& spec = table[*rc::gen::inRange<std::size_t>(0, table.size())];
        std::string key(spec.key);
        if (const auto star = key.find('*'); star != std::string::npos) {
            key.replace(star, 1, *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'z'))));
        }
        const std::string text = *rc::gen::oneOf(rc::gen::string<std::string>(), rc::gen::map(rc::gen::inRange(-5, 300), [](int n) { return std::to_string(n); }),
                                                 rc::gen::element<std::string>("on", "off", "always", "never", "wait", "mon 1-2", "gently_always"));
        Settings settings;
        if (!settings.setText(key, text).has_value()) {
            RC_ASSERT(settings == Settings{});
            return;
        }
        const auto value = settings.get(key);
        RC_ASSERT(value.has_value());
        Settings again;
        RC_ASSERT(again.setText(key, toText(spec, *value)).has_value());
        RC_ASSERT(again == settings);
        const auto loaded = Settings::fromJson(settings.toJson());
        RC_ASSERT(loaded.has_value());
        RC_ASSERT(*loaded == settings);
    });
    QVERIFY(held);
}

void TestRuleProperties::weekGridForms() {
    const bool held = rc::check("bits and spans are two forms of one week", [] {
        WeekGrid grid;
        for (int day = 0; day < WeekGrid::kDays; ++day) {
            for (int hour = 0; hour < WeekGrid::kHours; ++hour) {
                grid.set(day, hour, *rc::gen::inRange(0, 4) != 0);
            }
        }
        const auto fromBits = WeekGrid::parse(grid.bits());
        const auto fromSpans = WeekGrid::parse(grid.spans());
        RC_ASSERT((fromBits.has_value() && *fromBits == grid));
        RC_ASSERT((fromSpans.has_value() && *fromSpans == grid));
    });
    QVERIFY(held);
}

QTEST_GUILESS_MAIN(TestRuleProperties)
#include "tst_rule_properties.moc"
