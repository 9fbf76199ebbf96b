// SPDX-License-Identifier: Apache-2.0
#include "tests/support/display.h"
#include "tests/support/recording_agent.h"
#include "ui/dashboard/main_window.h"
#include "ui/tray/desktop_shell.h"
#include "ui/tray/saving_dialog.h"
#include "ui/tray/tray_icon.h"
#include "ui/widgets/ui_state.h"
#include "ui/wizard/join_wizard.h"

#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace sunloco;
using namespace sunloco::ui;

class TestShell : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_state = std::make_unique<UiState>(m_folder->filePath(QStringLiteral("window.ini")));
        m_state->setLanguage(QStringLiteral("en"));
        m_agent = std::make_unique<testing::RecordingAgent>();
        m_agent->fill(agent::State::Training);
    }

    void cleanup()
    {
        m_shell.reset();
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* box = qobject_cast<QMessageBox*>(widget))
                box->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        m_state.reset();
    }

    void minimizedStaysInTheTray()
    {
        make(TrayUse::Always);
        m_shell->start(StartAs::Minimized);
        QVERIFY(!m_shell->window());
    }

    void withoutTrayThereIsAWindow()
    {
        make(TrayUse::Never);
        m_shell->start(StartAs::Minimized);
        QVERIFY(m_shell->window());
    }

    void firstRunOpensTheWizard()
    {
        m_agent->fill(agent::State::NoProject);
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        QVERIFY(m_shell->wizard() && m_shell->wizard()->isVisible());
        QVERIFY(m_agent->calls.isEmpty());
    }

    void anUntouchedInvitationGoesWhenAProjectIsJoinedElsewhere()
    {
        m_agent->fill(agent::State::NoProject);
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        m_agent->fill(agent::State::Training);
        Q_EMIT m_agent->changed();
        QTRY_VERIFY(!m_shell->wizard() || !m_shell->wizard()->isVisible());
        // One that the person has opened, or has typed into, stays.
        m_shell->openWizard();
        Q_EMIT m_agent->changed();
        QVERIFY(m_shell->wizard() && m_shell->wizard()->isVisible());
    }

    void closingKeepsTrainingAndSaysSoOnce_data()
    {
        QTest::addColumn<bool>("tray");
        QTest::newRow("tray message") << true;
        QTest::newRow("dialog") << false;
    }

    void closingKeepsTrainingAndSaysSoOnce()
    {
        QFETCH(bool, tray);
        make(tray ? TrayUse::Always : TrayUse::Never);
        QSignalSpy said(m_shell.get(), &DesktopShell::saidThatItGoesOn);
        m_shell->start(StartAs::Window);
        m_shell->window()->close();
        QCOMPARE(said.size(), 1);
        m_shell->raiseWindow();
        QVERIFY(m_shell->window()->isVisible());
        m_shell->window()->close();
        QCOMPARE(said.size(), 1);
        QVERIFY(!m_agent->calls.contains(QStringLiteral("quit")));
        // Also after a restart.
        make(tray ? TrayUse::Always : TrayUse::Never);
        QSignalSpy again(m_shell.get(), &DesktopShell::saidThatItGoesOn);
        m_shell->start(StartAs::Window);
        m_shell->window()->close();
        QCOMPARE(again.size(), 0);
    }

    void closedWindowIsGone()
    {
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        QPointer<MainWindow> window(m_shell->window());
        window->close();
        QTRY_VERIFY(window.isNull());
    }

    void quickQuitShowsNothing()
    {
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        QSignalSpy finished(m_shell.get(), &DesktopShell::finished);
        m_shell->quit();
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("quit")});
        QCOMPARE(finished.size(), 1);
        QVERIFY(!savingDialog());
    }

    void slowQuitShowsItselfAndCanBeCutShort()
    {
        m_agent->finishAtOnce = false;
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        QSignalSpy finished(m_shell.get(), &DesktopShell::finished);
        m_shell->quit();
        m_shell->quit();
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("quit")});
        QTRY_VERIFY(savingDialog());
        QCOMPARE(finished.size(), 0);
        savingDialog()->findChild<QPushButton*>()->click();
        QCOMPARE(finished.size(), 1);
        // The agent's own end comes late and is not told twice.
        Q_EMIT m_agent->finished();
        QCOMPARE(finished.size(), 1);
    }

    void trayOpensPagesOfTheWindow()
    {
        make(TrayUse::Always);
        m_shell->start(StartAs::Minimized);
        Q_EMIT m_shell->tray()->whyRequested();
        QCOMPARE(m_shell->window()->currentPage(), QStringLiteral("why"));
        Q_EMIT m_shell->tray()->settingsRequested();
        QCOMPARE(m_shell->window()->currentPage(), QStringLiteral("settings"));
    }

    void languageChangesAtOnce()
    {
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        m_shell->showPage(QStringLiteral("contribution"));
        const QString before = m_shell->tray()->menu()->actions().last()->text();
        m_state->setLanguage(QStringLiteral("de"));
        QCOMPARE(m_shell->window()->currentPage(), QStringLiteral("contribution"));
        QVERIFY(m_shell->window()->isVisible());
        QCOMPARE(m_shell->window()->page(QStringLiteral("contribution"))->accessibleName(), QStringLiteral("Beitrag"));
        QVERIFY(m_shell->tray()->menu()->actions().last()->text() != before);
        QCOMPARE(QLocale().language(), QLocale::German);
    }

    void systemColoursAreFollowed()
    {
        make(TrayUse::Always);
        m_shell->start(StartAs::Window);
        const QColor before = m_shell->window()->palette().color(QPalette::Window);
        const QPalette system = QApplication::palette();
        QPalette dark = system;
        dark.setColor(QPalette::Window, QColor(0x2a2e32));
        dark.setColor(QPalette::WindowText, QColor(0xfcfcfc));
        QApplication::setPalette(dark);
        QTRY_VERIFY(m_shell->window()->palette().color(QPalette::Window) != before);
        QCOMPARE(m_shell->window()->palette().color(QPalette::Window), Theme::dark().window);
        QApplication::setPalette(system);
        QTRY_COMPARE(m_shell->window()->palette().color(QPalette::Window), Theme::light().window);
    }

private:
    void make(TrayUse tray)
    {
        m_shell.reset();
        m_shell = std::make_unique<DesktopShell>(*m_agent, *m_state, tray);
    }

    static SavingDialog* savingDialog()
    {
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (auto* dialog = qobject_cast<SavingDialog*>(widget))
                if (dialog->isVisible())
                    return dialog;
        return nullptr;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<UiState> m_state;
    std::unique_ptr<testing::RecordingAgent> m_agent;
    std::unique_ptr<DesktopShell> m_shell;
};

SUNLOCO_GUI_TEST_MAIN(TestShell)
#include "tst_shell.moc"
