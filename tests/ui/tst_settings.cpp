// SPDX-License-Identifier: Apache-2.0
#include "tests/support/display.h"
#include "tests/support/recording_agent.h"
#include "ui/settings/mnemonics.h"
#include "ui/settings/preset_cards.h"
#include "ui/settings/setting_row.h"
#include "ui/settings/settings_page.h"
#include "ui/widgets/ui_state.h"
#include "ui/widgets/week_grid.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace sunloco;
using namespace sunloco::ui;

namespace {
QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
}  // namespace

class TestSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_state = std::make_unique<UiState>(m_folder->filePath(QStringLiteral("window.ini")));
        m_agent = std::make_unique<testing::RecordingAgent>();
        m_agent->fill(agent::State::Training);
        m_page = std::make_unique<SettingsPage>(PageContext{*m_agent, Theme::light()}, *m_state);
        m_page->resize(780, 640);
        m_page->show();
        m_page->refresh();
    }

    void cleanup()
    {
        m_page.reset();
        m_state.reset();
    }

    void everyKeyHasAControl()
    {
        for (const rules::SettingSpec& spec : rules::settingsTable()) {
            const QString key = spec.scope == rules::SettingScope::Device ? QStringLiteral("device.cpu.mode") : fromView(spec.key);
            QWidget* control = m_page->controlFor(key);
            QVERIFY2(control, qPrintable(key));
            QVERIFY2(!control->accessibleName().isEmpty(), qPrintable(key));
        }
    }

    void everyLabelHasABuddyAndAKeyOfItsOwn()
    {
        QSet<QString> keys;
        for (const SettingRow* row : m_page->rows()) {
            if (row->key().startsWith(QStringLiteral("device.")))
                continue;
            const auto labels = row->findChildren<QLabel*>();
            const auto label = std::find_if(labels.begin(), labels.end(), [row](const QLabel* each) { return each->buddy() == row->control(); });
            QVERIFY2(label != labels.end(), qPrintable(row->key()));
            const QString key = QKeySequence::mnemonic((*label)->text()).toString();
            QVERIFY2(!key.isEmpty(), qPrintable((*label)->text()));
            QVERIFY2(!keys.contains(key), qPrintable((*label)->text()));
            keys.insert(key);
        }
    }

    void editsGoToTheAgent()
    {
        control<QCheckBox>(rules::keys::kRunOnBattery)->click();
        control<QSpinBox>(rules::keys::kIdleMinutes)->setValue(25);
        auto* metered = control<QComboBox>(rules::keys::kMeteredUploads);
        metered->setCurrentIndex(2);
        Q_EMIT metered->activated(2);
        QCOMPARE(m_agent->calls, (QStringList{QStringLiteral("set battery.run_on_battery on"), QStringLiteral("set idle.minutes 25"),
                                              QStringLiteral("set network.metered_uploads upload")}));
        const rules::Settings settings = m_agent->settings();
        QVERIFY(settings.isOn(rules::keys::kRunOnBattery));
        QCOMPARE(settings.number(rules::keys::kIdleMinutes), std::int64_t(25));
    }

    void deviceModeGoesToItsKey()
    {
        auto* mode = qobject_cast<QComboBox*>(m_page->controlFor(QStringLiteral("device.cpu.mode")));
        QVERIFY(mode);
        Q_EMIT mode->activated(mode->findData(QStringLiteral("never")));
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("set device.cpu.mode never")});
    }

    void proxyIsChosenOrTyped()
    {
        auto* proxy = control<QComboBox>(rules::keys::kProxy);
        const auto type = [proxy](const QString& text) {
            proxy->lineEdit()->setText(text);
            QTest::keyClick(proxy->lineEdit(), Qt::Key_Return);
        };
        type(QStringLiteral("http://proxy.home:3128"));
        QCOMPARE(m_agent->settings().choice(rules::keys::kProxy), std::string("http://proxy.home:3128"));
        QCOMPARE(proxy->currentText(), QStringLiteral("http://proxy.home:3128"));
        type(QStringLiteral("proxy.home"));
        QVERIFY2(!rowOf(rules::keys::kProxy)->problem().isEmpty(), "an address without a port is refused");
        QCOMPARE(proxy->currentText(), QStringLiteral("http://proxy.home:3128"));
        type(QStringLiteral("none"));   // as it stands in the list, in any case
        QCOMPARE(m_agent->settings().choice(rules::keys::kProxy), std::string("none"));
        QCOMPARE(rowOf(rules::keys::kProxy)->problem(), QString());
        proxy->setCurrentIndex(0);
        Q_EMIT proxy->activated(0);
        QVERIFY(m_agent->settings().isDefault(rules::keys::kProxy));
        QCOMPARE(proxy->currentText(), QStringLiteral("As the system says"));
    }

    void weekIsDrawnAndSent()
    {
        auto* grid = control<WeekGrid>(rules::keys::kScheduleGrid);
        QVERIFY(!grid->isEnabled());
        control<QCheckBox>(rules::keys::kScheduleEnabled)->click();
        QVERIFY(grid->isEnabled());
        grid->setFocus();
        QTest::keyClick(grid, Qt::Key_Space);
        const rules::WeekGrid week = m_agent->settings().week();
        QVERIFY(!week.at(0, 0));
        QVERIFY(week.at(0, 1));
    }

    void presetsSetSeveralRules()
    {
        auto* cards = control<PresetCards>(rules::keys::kPreset);
        QCOMPARE(cards->chosen(), QStringLiteral("whenever_idle"));
        cards->findChildren<QRadioButton*>()[2]->click();
        QCOMPARE(m_agent->settings().number(rules::keys::kInUsePercent), std::int64_t(25));
        QCOMPARE(control<QSpinBox>(rules::keys::kInUsePercent)->value(), 25);
    }

    void aRefusedValueIsSaidAndUndone()
    {
        // A key whose spin box would allow more than the table does cannot be made by hand, so the row is asked directly.
        const rules::SettingSpec* spec = rules::findSetting(rules::keys::kThrottlePercent);
        rules::SettingSpec wider = *spec;
        wider.max = 900;
        Mnemonics keys;
        SettingRow row(wider, fromView(spec->key), QStringLiteral("Share"), *m_agent, Theme::light(), ShowVerdict::No, keys);
        auto* box = qobject_cast<QSpinBox*>(row.control());
        box->setValue(500);
        QVERIFY2(!row.problem().isEmpty(), "the agent refuses 500 %");
        QCOMPARE(box->value(), 100);
        box->setValue(75);
        QCOMPARE(row.problem(), QString());
    }

    void resetButtonIsThereWhenSomethingDiffers()
    {
        SettingRow* row = rowOf(rules::keys::kIdleMinutes);
        auto* reset = row->findChild<QToolButton*>();
        QVERIFY(!reset->isVisible());
        control<QSpinBox>(rules::keys::kIdleMinutes)->setValue(25);
        QVERIFY(reset->isVisible());
        reset->click();
        QCOMPARE(m_agent->settings().number(rules::keys::kIdleMinutes), std::int64_t(10));
        QCOMPARE(control<QSpinBox>(rules::keys::kIdleMinutes)->value(), 10);
        QVERIFY(!reset->isVisible());
    }

    void changesFromElsewhereAppear()
    {
        m_agent->setSetting(QStringLiteral("idle.minutes"), QStringLiteral("42"));
        QCOMPARE(control<QSpinBox>(rules::keys::kIdleMinutes)->value(), 42);
    }

    void languageAndTrayColourAreRemembered()
    {
        QSignalSpy changed(m_state.get(), &UiState::languageChanged);
        auto* language = find<QComboBox>(QStringLiteral("Language"));
        Q_EMIT language->activated(language->findData(QStringLiteral("de")));
        QTRY_COMPARE(changed.size(), 1);
        QCOMPARE(UiState(m_folder->filePath(QStringLiteral("window.ini"))).language(), QStringLiteral("de"));
    }

private:
    template <typename T>
    T* control(std::string_view key)
    {
        return dynamic_cast<T*>(m_page->controlFor(fromView(key)));
    }
    template <typename T>
    T* find(const QString& name)
    {
        for (T* widget : m_page->findChildren<T*>())
            if (widget->accessibleName() == name)
                return widget;
        return nullptr;
    }
    SettingRow* rowOf(std::string_view key)
    {
        for (SettingRow* row : m_page->rows())
            if (row->key() == fromView(key))
                return row;
        return nullptr;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<UiState> m_state;
    std::unique_ptr<testing::RecordingAgent> m_agent;
    std::unique_ptr<SettingsPage> m_page;
};

SUNLOCO_GUI_TEST_MAIN(TestSettings)
#include "tst_settings.moc"
