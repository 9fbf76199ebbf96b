// SPDX-License-Identifier: Apache-2.0
#include "app/rules/settings.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <set>

using namespace sunloco;
using namespace sunloco::rules;

class TestSettings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRowIsSound();
    void defaultsAreInForce();
    void refusals_data();
    void refusals();
    void acceptsText_data();
    void acceptsText();
    void storesOnlyChanges();
    void jsonRoundTrip();
    void strictJson_data();
    void strictJson();
    void deviceKeys();
    void presetsChangeWhatTheySay();
};

void TestSettings::everyRowIsSound() {
    std::set<std::string_view> seen;
    for (const SettingSpec& spec : settingsTable()) {
        const std::string name(spec.key);
        const char* const key = name.c_str();
        QVERIFY2(seen.insert(spec.key).second, key);
        QVERIFY2(!spec.title.empty() && !spec.help.empty(), key);
        QVERIFY2(!spec.help.ends_with('!') && spec.help.ends_with('.'), key);
        std::string used(spec.key);
        if (const auto star = used.find('*'); star != std::string::npos) {
            used.replace(star, 1, "cpu");
        }
        QVERIFY2(findSetting(used) == &spec, key);
        // The default itself passes the check, and setting it leaves nothing to store.
        Settings settings;
        const auto set = settings.set(used, defaultValue(spec));
        QVERIFY2(set.has_value(), key);
        QVERIFY2(settings.toJson().empty(), key);
        if (spec.type == SettingType::Choice) {
            QVERIFY2(spec.options.size() >= 2, key);
            for (const SettingOption& option : spec.options) {
                QVERIFY2(settings.setText(used, option.value).has_value(), key);
                QVERIFY2(!option.title.empty(), key);
            }
        }
        if (spec.type == SettingType::Number) {
            QVERIFY2(spec.min < spec.max, key);
            QVERIFY2(settings.set(used, spec.min).has_value() && settings.set(used, spec.max).has_value(), key);
            QVERIFY2(!settings.set(used, spec.max + 1).has_value() && !settings.set(used, std::int64_t{-1}).has_value(), key);
            QCOMPARE(settings.set(used, std::int64_t{0}).has_value(), spec.zero != ZeroMeaning::NotAllowed || spec.min == 0);
        }
    }
    // The keys that code asks for by name are all there.
    for (const std::string_view key : {keys::kMode, keys::kPreset, keys::kAutostart, keys::kIdleMinutes, keys::kInUsePercent, keys::kOnlyWhenLocked,
                                       keys::kScheduleEnabled, keys::kScheduleGrid, keys::kThrottlePercent, keys::kMinOnMinutes, keys::kMinOffMinutes,
                                       keys::kRunOnBattery, keys::kBatteryMinPercent, keys::kMeteredUploads, keys::kUploadWhilePaused, keys::kUploadKib,
                                       keys::kDownloadKib, keys::kDiskFloorGib, keys::kDiskQuotaGib, keys::kCpuThreads}) {
        QVERIFY2(findSetting(key) != nullptr, std::string(key).c_str());
    }
}

void TestSettings::defaultsAreInForce() {
    const Settings settings;
    QCOMPARE(settings.number(keys::kIdleMinutes), std::int64_t{10});
    QCOMPARE(settings.mode(), Mode::Rules);
    QCOMPARE(settings.deviceMode("cpu"), Mode::Rules);
    QVERIFY(!settings.isOn(keys::kRunOnBattery));
    QCOMPARE(settings.choice(keys::kMeteredUploads), std::string("wait"));
    QCOMPARE(settings.week().count(), WeekGrid::kBits);
}

void TestSettings::refusals_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("unknown key") << "idle.seconds" << "5" << "no setting \"idle.seconds\"";
    QTest::newRow("pattern key") << "device.*.mode" << "never" << "no setting";
    QTest::newRow("empty device") << "device..mode" << "never" << "no setting";
    QTest::newRow("too large") << "idle.minutes" << "241" << "1 to 240 min";
    QTest::newRow("zero not allowed") << "idle.minutes" << "0" << "given was \"0\"";
    QTest::newRow("below the range but not zero") << "throttle.percent" << "24" << "25 to 100 %";
    QTest::newRow("zero means off, one does not") << "idle.in_use_percent" << "1" << "or 0 for off";
    QTest::newRow("not a number") << "idle.minutes" << "10m" << "given was \"10m\"";
    QTest::newRow("number too long") << "idle.minutes" << "99999999999999999999" << "1 to 240";
    QTest::newRow("not an option") << "mode" << "sometimes" << "one of always rules never";
    QTest::newRow("not a switch") << "schedule.enabled" << "maybe" << "on or off";
    QTest::newRow("proxy without a kind") << "network.proxy" << "proxy.home:3128" << "such as http://proxy.home:3128";
    QTest::newRow("proxy of an unknown kind") << "network.proxy" << "ftp://proxy.home:21" << "given was \"ftp://proxy.home:21\"";
    QTest::newRow("proxy without a port") << "network.proxy" << "http://proxy.home" << "port";
    QTest::newRow("port too large") << "network.proxy" << "http://proxy.home:65536" << "1 to 65535";
    QTest::newRow("port zero") << "network.proxy" << "http://proxy.home:0" << "1 to 65535";
    QTest::newRow("proxy with a path") << "network.proxy" << "http://proxy.home:80/x" << "1 to 65535";
    QTest::newRow("proxy without a host") << "network.proxy" << "http://:3128" << "host";
    QTest::newRow("proxy of two lines") << "network.proxy" << "http://a\nb:3128" << "port";
    QTest::newRow("password in the proxy") << "network.proxy" << "http://me:secret@proxy.home:3128" << "https_proxy";
    QTest::newRow("empty proxy") << "network.proxy" << "" << "system";
    QTest::newRow("bad week") << "schedule.grid" << "mon-fri 7-25" << "168 characters";
}

void TestSettings::refusals() {
    QFETCH(QString, key);
    QFETCH(QString, text);
    QFETCH(QString, says);
    Settings settings;
    const auto set = settings.setText(key.toStdString(), text.toStdString());
    QVERIFY(!set.has_value());
    QCOMPARE(set.error().code, core::ErrorCode::InvalidArgument);
    QVERIFY2(QString::fromStdString(set.error().message).contains(says), set.error().message.c_str());
    QVERIFY(settings == Settings{});
}

void TestSettings::acceptsText_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("readBack");
    QTest::newRow("number") << "idle.minutes" << "15" << "15";
    QTest::newRow("off by zero") << "disk.floor_gib" << "0" << "0";
    QTest::newRow("yes") << "battery.run_on_battery" << "yes" << "on";
    QTest::newRow("choice") << "mode" << "always" << "always";
    QTest::newRow("device by uuid") << "device.GPU-1b2c-3d.mode" << "never" << "never";
    QTest::newRow("no proxy") << "network.proxy" << "none" << "none";
    for (const char* proxy : {"http://proxy.home:3128", "https://10.0.0.1:65535", "socks5h://[::1]:1080", "socks5://p:1"}) QTest::newRow(proxy) << "network.proxy" << proxy << proxy;
    QTest::newRow("week") << "schedule.grid" << "mon-fri 22-7" << "mon 22-24, tue-fri 0-7, tue-fri 22-24, sat 0-7";
}

void TestSettings::acceptsText() {
    QFETCH(QString, key);
    QFETCH(QString, text);
    QFETCH(QString, readBack);
    Settings settings;
    const auto set = settings.setText(key.toStdString(), text.toStdString());
    QVERIFY2(set.has_value(), set ? "" : set.error().message.c_str());
    const auto value = settings.get(key.toStdString());
    QVERIFY(value.has_value());
    QCOMPARE(QString::fromStdString(toText(*findSetting(key.toStdString()), *value)), readBack);
    QVERIFY(!settings.isDefault(key.toStdString()));
    QVERIFY(settings.reset(key.toStdString()).has_value());
    QVERIFY(settings == Settings{});
}

void TestSettings::storesOnlyChanges() {
    Settings settings;
    QVERIFY(settings.set(keys::kIdleMinutes, std::int64_t{20}).has_value());
    QCOMPARE(settings.toJson().dump(), std::string(R"({"idle.minutes":20})"));
    QVERIFY(settings.set(keys::kIdleMinutes, std::int64_t{10}).has_value());
    QCOMPARE(settings.toJson().dump(), std::string("{}"));
}

void TestSettings::jsonRoundTrip() {
    Settings settings;
    QVERIFY(settings.setText("mode", "always").has_value());
    QVERIFY(settings.setText("schedule.enabled", "on").has_value());
    QVERIFY(settings.setText("schedule.grid", "sat-sun 0-24").has_value());
    QVERIFY(settings.setText("device.cpu.mode", "never").has_value());
    QVERIFY(settings.setText("network.upload_kib_s", "250").has_value());
    const auto text = settings.toJson().dump();
    const auto parsed = core::parseJson(text);
    QVERIFY(parsed.has_value());
    const auto again = Settings::fromJson(*parsed);
    QVERIFY2(again.has_value(), again ? "" : again.error().message.c_str());
    QVERIFY(*again == settings);
}

void TestSettings::strictJson_data() {
    QTest::addColumn<QString>("json");
    QTest::addColumn<QString>("names");
    QTest::newRow("array") << "[]" << "object";
    QTest::newRow("unknown key") << R"({"idle.minuets": 10})" << "idle.minuets";
    QTest::newRow("text for a number") << R"({"idle.minutes": "10"})" << "idle.minutes";
    QTest::newRow("fraction") << R"({"idle.minutes": 10.5})" << "idle.minutes";
    QTest::newRow("huge") << R"({"idle.minutes": 18446744073709551615})" << "idle.minutes";
    QTest::newRow("null") << R"({"mode": null})" << "mode";
    QTest::newRow("nested") << R"({"schedule.grid": {"mon": 1}})" << "schedule.grid";
    QTest::newRow("number for a switch") << R"({"schedule.enabled": 1})" << "schedule.enabled";
}

void TestSettings::strictJson() {
    QFETCH(QString, json);
    QFETCH(QString, names);
    const auto parsed = core::parseJson(json.toStdString());
    QVERIFY(parsed.has_value());
    const auto settings = Settings::fromJson(*parsed);
    QVERIFY(!settings.has_value());
    QVERIFY2(QString::fromStdString(settings.error().text()).contains(names), settings.error().text().c_str());
}

void TestSettings::deviceKeys() {
    Settings settings;
    QVERIFY(settings.setText("device.cpu.mode", "never").has_value());
    QVERIFY(settings.setText("device.GPU-7.mode", "always").has_value());
    QVERIFY(settings.setText("idle.minutes", "7").has_value());
    const std::vector<std::string> expected{"device.GPU-7.mode", "device.cpu.mode"};
    QVERIFY(settings.deviceKeys() == expected);
    QCOMPARE(settings.deviceMode("GPU-7"), Mode::Always);
    QCOMPARE(settings.deviceMode("cpu"), Mode::Never);
    QCOMPARE(settings.deviceMode("other"), Mode::Rules);
    const std::string tooLong(101, 'x');
    QVERIFY(!settings.setText(Settings::deviceModeKey(tooLong), "never").has_value());
    QCOMPARE(settings.deviceMode(tooLong), Mode::Rules);
}

void TestSettings::presetsChangeWhatTheySay() {
    Settings settings;
    QVERIFY(settings.setText("disk.floor_gib", "9").has_value());
    QVERIFY(applyPreset(settings, "idle_at_night").has_value());
    QVERIFY(settings.isOn(keys::kScheduleEnabled));
    QVERIFY(settings.week().at(0, 23) && settings.week().at(6, 0) && !settings.week().at(2, 12));
    QVERIFY(applyPreset(settings, "gently_always").has_value());
    QVERIFY(!settings.isOn(keys::kScheduleEnabled));
    QCOMPARE(settings.number(keys::kInUsePercent), std::int64_t{25});
    QVERIFY(applyPreset(settings, "whenever_idle").has_value());
    QCOMPARE(settings.number(keys::kInUsePercent), std::int64_t{0});
    QCOMPARE(settings.number(keys::kDiskFloorGib), std::int64_t{9});
    const Settings before = settings;
    QVERIFY(!applyPreset(settings, "only_surplus").has_value());
    QVERIFY(settings == before);
    for (const SettingOption& preset : presets()) {
        Settings fresh;
        QVERIFY(applyPreset(fresh, preset.value).has_value());
        QCOMPARE(fresh.choice(keys::kPreset), std::string(preset.value));
    }
}

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
