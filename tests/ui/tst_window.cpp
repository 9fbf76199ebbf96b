// SPDX-License-Identifier: Apache-2.0
#include "app/text/sentence.h"
#include "tests/support/display.h"
#include "tests/support/recording_agent.h"
#include "tests/ui/layout_checks.h"
#include "ui/dashboard/main_window.h"
#include "ui/dashboard/now_page.h"
#include "ui/dashboard/log_page.h"
#include "ui/widgets/language.h"
#include "ui/widgets/readable.h"
#include "ui/widgets/state_header.h"
#include "ui/widgets/ui_state.h"
#include "ui/wizard/join_wizard.h"

#include <QAccessible>
#include <QCheckBox>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace sunloco;
using namespace sunloco::ui;

namespace {

const QStringList kPages{QStringLiteral("now"), QStringLiteral("why"), QStringLiteral("contribution"), QStringLiteral("log"), QStringLiteral("settings")};

QString nameOf(QWidget* widget)
{
    QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
    return interface ? interface->text(QAccessible::Name) : QString();
}

QString describe(QWidget* widget)
{
    return QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->accessibleName();
}

}  // namespace

class TestWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { installReadableFactory(); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_state = std::make_unique<UiState>(m_folder->filePath(QStringLiteral("window.ini")));
        m_agent = std::make_unique<testing::RecordingAgent>();
        m_agent->fill(agent::State::Training);
        makeWindow(QSize(960, 640));
    }

    void cleanup()
    {
        m_window.reset();
        m_language.install(QStringLiteral("en"));
    }

    void pagesAreMadeWhenShown()
    {
        QVERIFY(m_window->page(QStringLiteral("now")));
        QVERIFY(!m_window->page(QStringLiteral("contribution")));
        m_window->showPage(QStringLiteral("contribution"));
        QVERIFY(m_window->page(QStringLiteral("contribution")));
    }

    void shortcuts()
    {
        QApplication::setActiveWindow(m_window.get());
        const struct { Qt::Key key; Qt::KeyboardModifiers modifiers; const char* page; } keys[] = {
            {Qt::Key_2, Qt::ControlModifier, "why"},       {Qt::Key_3, Qt::ControlModifier, "contribution"}, {Qt::Key_4, Qt::ControlModifier, "log"},
            {Qt::Key_Comma, Qt::ControlModifier, "settings"}, {Qt::Key_1, Qt::ControlModifier, "now"},       {Qt::Key_F1, Qt::NoModifier, "why"},
        };
        for (const auto& each : keys) {
            QTest::keyClick(m_window.get(), each.key, each.modifiers);
            QCOMPARE(m_window->currentPage(), QString::fromLatin1(each.page));
        }
        QTest::keyClick(m_window.get(), Qt::Key_R, Qt::ControlModifier);
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("runNow 60")});
        QSignalSpy quit(m_window.get(), &MainWindow::quitRequested);
        QTest::keyClick(m_window.get(), Qt::Key_Q, Qt::ControlModifier);
        QCOMPARE(quit.size(), 1);
    }

    void pageAndPlaceAreRemembered()
    {
        m_window->showPage(QStringLiteral("log"));
        m_window->resize(800, 500);
        m_window->close();
        makeWindow({});
        QCOMPARE(m_window->currentPage(), QStringLiteral("log"));
        QCOMPARE(m_window->size(), QSize(800, 500));
    }

    void headerSpeaksTheSentence()
    {
        for (const auto state : {agent::State::Training, agent::State::Waiting, agent::State::PausedByRule, agent::State::PausedByUser,
                                 agent::State::Uploading, agent::State::NeedsAttention, agent::State::NoProject}) {
            m_agent->fill(state);
            m_agent->emitChanged();
            const text::Sentence sentence = text::describe(m_agent->now);
            QCOMPARE(header()->title(), sentence.title);
            QCOMPARE(header()->reason(), sentence.reason);
            QCOMPARE(header()->next(), sentence.next);
        }
    }

    void headerButtonsDoWhatTheySay_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("call");
        QTest::newRow("training") << int(agent::State::Training) << QStringLiteral("pause forever");
        QTest::newRow("paused") << int(agent::State::PausedByUser) << QStringLiteral("resume");
        QTest::newRow("rule") << int(agent::State::PausedByRule) << QStringLiteral("runNow 60");
    }

    void headerButtonsDoWhatTheySay()
    {
        QFETCH(int, state);
        QFETCH(QString, call);
        m_agent->fill(static_cast<agent::State>(state));
        m_agent->emitChanged();
        header()->mainButton()->click();
        QCOMPARE(m_agent->calls, QStringList{call});
    }

    void attentionOffersRepairAndRetry()
    {
        m_agent->fill(agent::State::NeedsAttention);
        m_agent->emitChanged();
        header()->secondButton()->click();
        QCOMPARE(m_agent->calls, QStringList{QStringLiteral("retryNow")});
        header()->mainButton()->click();
        QCOMPARE(m_window->currentPage(), QStringLiteral("log"));
    }

    void logFiltersAndFollows()
    {
        m_window->showPage(QStringLiteral("log"));
        Page* page = m_window->page(QStringLiteral("log"));
        auto* text = page->findChild<QPlainTextEdit*>();
        QCOMPARE(text->toPlainText().count(u'\n') + 1, m_agent->log.size());
        page->findChild<QLineEdit*>()->setText(QStringLiteral("receipt stored"));
        QCOMPARE(text->toPlainText(), m_agent->log[3]);
        Q_EMIT m_agent->logLine(QStringLiteral("13:13:00 training: step 101"));
        QCOMPARE(text->toPlainText(), m_agent->log[3]);
        Q_EMIT m_agent->logLine(QStringLiteral("13:14:00 receipt 0000 1111 stored"));
        QVERIFY(text->toPlainText().endsWith(QStringLiteral("0000 1111 stored")));
        page->findChild<QLineEdit*>()->clear();
        QCOMPARE(text->toPlainText().count(u'\n') + 1, m_agent->log.size() + 2);
    }

    void hiddenWindowIsNotFilled()
    {
        m_window->hide();
        const QString before = header()->title();
        m_agent->fill(agent::State::NeedsAttention);
        m_agent->emitChanged();
        QCOMPARE(header()->title(), before);
        m_window->show();
        QVERIFY(header()->title() != before);
    }

    void tabReachesEveryControl_data() { pageRows(); }

    void tabReachesEveryControl()
    {
        QFETCH(QString, page);
        m_window->showPage(page);
        QApplication::setActiveWindow(m_window.get());
        QTRY_VERIFY(QApplication::focusWindow() || QApplication::activeWindow());
        m_window->setFocus();
        const QList<QWidget*> reached = testing::tabWalk(m_window.get());
        for (QWidget* control : testing::controlsOf(m_window.get())) {
            QVERIFY2(reached.contains(control), qPrintable(u"not reached: " + describe(control)));
            QVERIFY2(!nameOf(control).isEmpty(), qPrintable(u"no name: " + describe(control)));
        }
        QVERIFY(reached.size() >= 2);
    }

    void nothingIsCut_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QSize>("size");
        for (const char* language : {"en", "de", "zh_CN"}) {
            QTest::addRow("%s 640 x 480", language) << QString::fromLatin1(language) << QSize(640, 480);
            QTest::addRow("%s 960 x 640", language) << QString::fromLatin1(language) << QSize(960, 640);
        }
    }

    void nothingIsCut()
    {
        QFETCH(QString, language);
        QFETCH(QSize, size);
        m_language.install(language);
        QStringList cut;
        for (const auto state : {agent::State::Training, agent::State::PausedByRule, agent::State::NeedsAttention, agent::State::NoProject}) {
            m_agent->fill(state);
            makeWindow(size);
            for (const QString& page : kPages) {
                m_window->showPage(page);
                // Layouts settle in the event loop; what is still cut after that is cut.
                QStringList found;
                (void)QTest::qWaitFor([&] { return (found = testing::cutTexts(m_window.get())).isEmpty(); }, 1000);
                for (const QString& text : found)
                    cut.append(page + u": " + text);
            }
        }
        cut.removeDuplicates();
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }

    void nothingIsCutInTheWizard_data()
    {
        QTest::addColumn<QString>("language");
        for (const char* language : {"en", "de", "zh_CN"})
            QTest::newRow(language) << QString::fromLatin1(language);
    }

    void nothingIsCutInTheWizard()
    {
        QFETCH(QString, language);
        m_language.install(language);
        JoinWizard wizard(*m_agent, Theme::light());
        wizard.show();
        QStringList cut = testing::cutTexts(&wizard);
        wizard.setLink(QStringLiteral("https://meadow.example/#root=9f2c"));
        QTRY_VERIFY(wizard.button(QWizard::NextButton)->isEnabled());
        for (int step = 0; step < 3; ++step) {
            settle(&wizard, cut);
            if (step == JoinWizard::OfferStep)
                wizard.currentPage()->findChild<QCheckBox*>()->setChecked(true);
            wizard.button(step == JoinWizard::AmountStep ? QWizard::CommitButton : QWizard::NextButton)->click();
        }
        settle(&wizard, cut);
        QCOMPARE(wizard.currentId(), int(JoinWizard::DoneStep));
        QVERIFY2(cut.isEmpty(), qPrintable(cut.join(u'\n')));
    }

private:
    static void settle(QWidget* window, QStringList& cut)
    {
        QStringList found;
        (void)QTest::qWaitFor([&] { return (found = testing::cutTexts(window)).isEmpty(); }, 1000);
        cut += found;
    }

    void pageRows()
    {
        QTest::addColumn<QString>("page");
        for (const QString& page : kPages)
            QTest::newRow(qPrintable(page)) << page;
    }

    void makeWindow(const QSize& size)
    {
        m_window.reset();
        m_window = std::make_unique<MainWindow>(*m_agent, *m_state, Theme::light());
        if (size.isValid())
            m_window->resize(size);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    StateHeader* header() { return static_cast<NowPage*>(m_window->page(QStringLiteral("now")))->header(); }

    Language m_language;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<UiState> m_state;
    std::unique_ptr<testing::RecordingAgent> m_agent;
    std::unique_ptr<MainWindow> m_window;
};

SUNLOCO_GUI_TEST_MAIN(TestWindow)
#include "tst_window.moc"
