// SPDX-License-Identifier: Apache-2.0
#include "app/agent/settings_store.h"

#include <QTemporaryDir>
#include <QtTest>

#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <fstream>

using namespace sunloco;
using namespace sunloco::agent;
namespace fs = std::filesystem;

namespace {

std::string bytesOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

unsigned modeOf(const fs::path& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777u : 0u;
}

}  // namespace

class TestSettingsStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void nothingThere();
    void replaceAndReopen();
    void everySettingSurvives();
    void onlyWhatDiffers();
    void unusableFiles_data();
    void unusableFiles();
    void cannotBeWritten();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_config;
};

void TestSettingsStore::init() {
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_config = fs::path(m_dir->path().toStdString()) / "some" / "config";
}

void TestSettingsStore::nothingThere() {
    const auto store = SettingsStore::open(m_config);
    QVERIFY2(store.has_value(), store ? "" : store.error().text().c_str());
    QVERIFY(store->settings() == rules::Settings());
    QCOMPARE(modeOf(m_config), 0700u);
    QVERIFY(!fs::exists(store->path()));   // looking changes nothing
}

void TestSettingsStore::replaceAndReopen() {
    auto store = SettingsStore::open(m_config);
    rules::Settings settings;
    QVERIFY(settings.setText("idle.minutes", "15").has_value());
    QVERIFY(settings.setText("schedule.grid", "mon-fri 22-7").has_value());
    QVERIFY(settings.setText("device.cpu.mode", "never").has_value());
    QVERIFY(store->replace(settings).has_value());
    QVERIFY(store->settings() == settings);
    QCOMPARE(modeOf(store->path()), 0600u);
    const auto again = SettingsStore::open(m_config);
    QVERIFY(again.has_value());
    QVERIFY(again->settings() == settings);
    QVERIFY(store->replace(rules::Settings()).has_value());
    QVERIFY(SettingsStore::open(m_config)->settings() == rules::Settings());
    QCOMPARE(std::distance(fs::directory_iterator(m_config), fs::directory_iterator()), std::ptrdiff_t{1});   // no temporary file is left
}

void TestSettingsStore::everySettingSurvives() {
    auto store = SettingsStore::open(m_config);
    rules::Settings settings;
    int changed = 0;
    for (const rules::SettingSpec& spec : rules::settingsTable()) {
        std::string key(spec.key);
        if (const auto star = key.find('*'); star != std::string::npos) key.replace(star, 1, "cpu");
        std::string text;
        switch (spec.type) {
        case rules::SettingType::Switch: text = std::get<bool>(spec.defaultValue) ? "off" : "on"; break;
        case rules::SettingType::Number: text = std::to_string(std::get<std::int64_t>(spec.defaultValue) == spec.max ? spec.min : spec.max); break;
        case rules::SettingType::Choice: text = std::string(std::get<std::string_view>(spec.defaultValue) == spec.options.back().value ? spec.options.front().value : spec.options.back().value); break;
        case rules::SettingType::Proxy: text = "socks5h://proxy.home:1080"; break;
        case rules::SettingType::Week: text = "sun 3-4"; break;
        }
        const auto set = settings.setText(key, text);
        QVERIFY2(set.has_value(), set ? "" : set.error().text().c_str());
        QVERIFY2(!settings.isDefault(key), key.c_str());
        ++changed;
    }
    QVERIFY(store->replace(settings).has_value());
    const auto again = SettingsStore::open(m_config);
    QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
    QVERIFY(again->settings() == settings);
    QCOMPARE(static_cast<int>(core::parseJson(bytesOf(store->path()))->size()), changed);
}

void TestSettingsStore::onlyWhatDiffers() {
    auto store = SettingsStore::open(m_config);
    rules::Settings settings;
    QVERIFY(settings.setText("idle.minutes", "17").has_value());
    QVERIFY(store->replace(settings).has_value());
    const auto json = core::parseJson(bytesOf(store->path()));
    QVERIFY(json.has_value());
    QCOMPARE(json->dump(), std::string("{\"idle.minutes\":17}"));
    QCOMPARE(bytesOf(store->path()).back(), '\n');
}

void TestSettingsStore::unusableFiles_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("empty") << QByteArray() << QByteArray("settings.json");
    QTest::newRow("no json") << QByteArray("idle.minutes = 15") << QByteArray("settings.json");
    QTest::newRow("a list") << QByteArray("[]") << QByteArray("settings.json");
    QTest::newRow("cut short") << QByteArray("{\"idle.minutes\": 1") << QByteArray("settings.json");
    QTest::newRow("an unknown key") << QByteArray("{\"idle.minuets\": 15}") << QByteArray("idle.minuets");
    QTest::newRow("out of range") << QByteArray("{\"idle.minutes\": -1}") << QByteArray("idle.minutes");
    QTest::newRow("another type") << QByteArray("{\"idle.minutes\": \"soon\"}") << QByteArray("idle.minutes");
    QTest::newRow("a key twice") << QByteArray("{\"idle.minutes\": 15, \"idle.minutes\": 16}") << QByteArray("settings.json");
    QTest::newRow("no utf-8") << QByteArray("{\"mode\": \"\xff\"}") << QByteArray("settings.json");
    QTest::newRow("far too large") << QByteArray(2'000'000, ' ') << QByteArray("settings.json");
}

void TestSettingsStore::unusableFiles() {
    QFETCH(QByteArray, content);
    QFETCH(QByteArray, says);
    fs::create_directories(m_config);
    std::ofstream(m_config / "settings.json", std::ios::binary) << content.toStdString();
    const auto store = SettingsStore::open(m_config);
    QVERIFY(!store.has_value());
    QVERIFY2(store.error().text().find(says.toStdString()) != std::string::npos, store.error().text().c_str());
    QVERIFY2(store.error().text().find((m_config / "settings.json").string()) != std::string::npos, store.error().text().c_str());
    QVERIFY(bytesOf(m_config / "settings.json") == content.toStdString());
}

void TestSettingsStore::cannotBeWritten() {
    auto store = SettingsStore::open(m_config);
    rules::Settings first;
    QVERIFY(first.setText("idle.minutes", "15").has_value());
    QVERIFY(store->replace(first).has_value());
    fs::remove(store->path());
    fs::remove(m_config);   // its folder is gone
    rules::Settings second;
    QVERIFY(second.setText("idle.minutes", "25").has_value());
    const auto replaced = store->replace(second);
    QVERIFY(!replaced.has_value());
    QVERIFY(replaced.error().text().find("settings.json") != std::string::npos);
    QVERIFY(store->settings() == first);
    // A link in place of the folder is not followed.
    fs::create_directories(m_dir->filePath(QStringLiteral("elsewhere")).toStdString());
    fs::create_directory_symlink(m_dir->filePath(QStringLiteral("elsewhere")).toStdString(), m_config);
    QVERIFY(!SettingsStore::open(m_config).has_value());
}

QTEST_GUILESS_MAIN(TestSettingsStore)
#include "tst_settings_store.moc"
