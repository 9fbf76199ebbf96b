// SPDX-License-Identifier: Apache-2.0
#include "app/text/sentence.h"
#include "tests/support/display.h"
#include "tests/support/recording_agent.h"
#include "ui/tray/tray_icon.h"
#include "ui/widgets/ui_state.h"

#include <QAction>
#include <QMenu>
#include <QSignalSpy>
#include <QSystemTrayIcon>
#include <QTemporaryDir>
#include <QTest>

using namespace sunloco;
using namespace sunloco::ui;

namespace {

QString plain(QString text)
{
    return text.replace(QStringLiteral("&&"), QStringLiteral("\x01")).remove(u'&').replace(u'\x01', u'&');
}

/// Looks behind the first three rows, which are the sentence ("Paused by you"), and in the submenus.
QAction* actionWith(QMenu* menu, const QString& start, qsizetype from = 3)
{
    for (QAction* action : menu->actions().mid(from)) {
        if (plain(action->text()).startsWith(start))
            return action;
        if (action->menu())
            if (QAction* found = actionWith(action->menu(), start, 0))
                return found;
    }
    return nullptr;
}

}  // namespace

class TestTray : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_state = std::make_unique<UiState>(m_folder->filePath(QStringLiteral("window.ini")));
        m_agent = std::make_unique<testing::RecordingAgent>();
        m_agent->fill(agent::State::Training);
        m_tray = std::make_unique<TrayIcon>(*m_agent, *m_state, Theme::light());
    }

    void cleanup()
    {
        m_tray.reset();
        m_state.reset();
    }

    void firstRowsAreTheSentence()
    {
        const text::Sentence sentence = text::describe(m_agent->now);
        const QList<QAction*> actions = m_tray->menu()->actions();
        QCOMPARE(plain(actions[0]->text()), sentence.title);
        for (int i = 0; i < 3; ++i)
            QVERIFY(!actions[i]->isEnabled());
        // A long reason is cut at a word, never in the middle of a number.
        QVERIFY(sentence.reason.startsWith(plain(actions[1]->text()).remove(QChar(0x2026))));
        QVERIFY(m_tray->icon()->toolTip().size() <= 127);
        QVERIFY(m_tray->icon()->toolTip().contains(sentence.title));
    }

    void everyStateHasAnIconOfItsOwn()
    {
        QVector<QImage> seen;
        for (const auto state : {agent::State::Training, agent::State::Waiting, agent::State::PausedByUser, agent::State::PausedByRule,
                                 agent::State::Uploading, agent::State::NeedsAttention}) {
            m_agent->fill(state);
            m_agent->emitChanged();
            const QImage image = m_tray->icon()->icon().pixmap(22, 22).toImage();
            QVERIFY(!image.isNull());
            QVERIFY(!seen.contains(image));
            seen.append(image);
        }
    }

    void menuCallsTheAgent_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("call");
        QTest::newRow("15 min") << QStringLiteral("15 minutes") << QStringLiteral("pause 15");
        QTest::newRow("1 h") << QStringLiteral("1 hour") << QStringLiteral("pause 60");
        QTest::newRow("4 h") << QStringLiteral("4 hours") << QStringLiteral("pause 240");
        QTest::newRow("tomorrow") << QStringLiteral("Until tomorrow") << QStringLiteral("pause tomorrow");
        QTest::newRow("forever") << QStringLiteral("Until I resume") << QStringLiteral("pause forever");
        QTest::newRow("run 30 min") << QStringLiteral("30 minutes") << QStringLiteral("runNow 30");
        QTest::newRow("run until stopped") << QStringLiteral("Until I stop it") << QStringLiteral("runNow 0");
    }

    void menuCallsTheAgent()
    {
        QFETCH(QString, text);
        QFETCH(QString, call);
        QAction* action = actionWith(m_tray->menu(), text);
        QVERIFY(action);
        action->trigger();
        QCOMPARE(m_agent->calls, QStringList{call});
    }

    void pauseSaysWhenItEnds()
    {
        QAction* action = actionWith(m_tray->menu(), QStringLiteral("1 hour"));
        QVERIFY(action);
        Q_EMIT actionWith(m_tray->menu(), QStringLiteral("Pause"))->menu()->aboutToShow();
        const QString end = QLocale().toString(QDateTime::currentDateTime().addSecs(3600).time(), QLocale::ShortFormat);
        const QString endAMinuteAgo = QLocale().toString(QDateTime::currentDateTime().addSecs(3540).time(), QLocale::ShortFormat);
        QVERIFY2(action->text().endsWith(end) || action->text().endsWith(endAMinuteAgo), qPrintable(action->text()));
    }

    void resumeIsThereOnlyWhilePaused()
    {
        QVERIFY(!actionWith(m_tray->menu(), QStringLiteral("Resume"))->isVisible());
        m_agent->fill(agent::State::PausedByUser);
        m_agent->emitChanged();
        QAction* resume = actionWith(m_tray->menu(), QStringLiteral("Resume"));
        QVERIFY(resume->isVisible());
        QVERIFY(!actionWith(m_tray->menu(), QStringLiteral("Pause"))->isVisible());
        resume->trigger();
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("resume")});
    }

    void withoutProjectThereIsJoining()
    {
        m_agent->fill(agent::State::NoProject);
        m_agent->emitChanged();
        QSignalSpy join(m_tray.get(), &TrayIcon::joinRequested);
        QVERIFY(!actionWith(m_tray->menu(), QStringLiteral("Pause"))->isVisible());
        actionWith(m_tray->menu(), QStringLiteral("Join a project"))->trigger();
        QCOMPARE(join.size(), 1);
    }

    void openWhySettingsAndQuitAreAskedFor()
    {
        QSignalSpy open(m_tray.get(), &TrayIcon::openRequested);
        QSignalSpy why(m_tray.get(), &TrayIcon::whyRequested);
        QSignalSpy settings(m_tray.get(), &TrayIcon::settingsRequested);
        QSignalSpy quit(m_tray.get(), &TrayIcon::quitRequested);
        for (const char* text : {"Open", "Why", "Settings", "Quit"})
            actionWith(m_tray->menu(), QString::fromLatin1(text))->trigger();
        QCOMPARE(open.size() + why.size() + settings.size() + quit.size(), 4);
    }

    void devicesCanBeSwitchedOff()
    {
        QVERIFY(!actionWith(m_tray->menu(), QStringLiteral("Devices"))->isVisible());
        agent::DeviceSnapshot card;
        card.id = QStringLiteral("cuda:0");
        card.name = QStringLiteral("Radeon & Co");
        m_agent->now.devices.append(card);
        m_agent->emitChanged();
        QVERIFY(actionWith(m_tray->menu(), QStringLiteral("Devices"))->isVisible());
        QAction* action = actionWith(m_tray->menu(), card.name);
        QVERIFY(action && action->isChecked());
        action->trigger();
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("setMode never cuda:0")});
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<UiState> m_state;
    std::unique_ptr<testing::RecordingAgent> m_agent;
    std::unique_ptr<TrayIcon> m_tray;
};

SUNLOCO_GUI_TEST_MAIN(TestTray)
#include "tst_tray.moc"
