// SPDX-License-Identifier: Apache-2.0
// The window with the real agent, the real worker and a real server: from the pasted link over the consent to the first receipt.
#include "app/agent/agent_runtime.h"
#include "tests/e2e/cluster.h"
#include "tests/support/display.h"
#include "ui/dashboard/main_window.h"
#include "ui/tray/desktop_shell.h"
#include "ui/widgets/ui_state.h"
#include "ui/wizard/join_wizard.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>

using namespace sunloco;
using namespace sunloco::e2e;

class TstDesktop : public QObject {
    Q_OBJECT
private:
    static QString textOf(const QWidget& widget) {
        QStringList texts;
        for (const QLabel* label : widget.findChildren<QLabel*>()) {
            if (label->isVisible()) { texts << label->text(); }
        }
        return texts.join(u'\n');
    }

private Q_SLOTS:
    void fromLinkToReceipt() {
        Cluster cluster;
        const Run init = cluster.init({QStringLiteral("quorum=1"), QStringLiteral("total_steps=100000"), QStringLiteral("round_deadline_seconds=30")});
        QVERIFY2(init.exitCode == 0, init.all().constData());
        QVERIFY(cluster.startServer());

        agent::RuntimeOptions options;
        options.configDir = cluster.path(QStringLiteral("config")).toStdString();
        options.dataDir = cluster.path(QStringLiteral("data")).toStdString();
        options.logToStderr = false;
        if (!qEnvironmentVariableIsSet("SUNLOCO_WORKER")) { options.workerProgram = programPath(QStringLiteral("sunloco-worker")).toStdString(); }
        auto started = agent::startAgent(options);
        QVERIFY2(started.has_value(), started ? "" : started.error().text().c_str());
        agent::AgentApi& agent = **started;
        QVERIFY(agent.setMode(QStringLiteral("always"), {}).ok);
        ui::UiState state(cluster.path(QStringLiteral("window.ini")));
        ui::DesktopShell shell(agent, state, ui::TrayUse::Never);
        shell.start(ui::StartAs::Window);
        ui::JoinWizard* wizard = shell.wizard();
        QVERIFY(wizard != nullptr);

        // What the project is and takes, from its signed description.
        wizard->setLink(cluster.link());
        QTRY_VERIFY_WITH_TIMEOUT(wizard->button(QWizard::NextButton)->isEnabled(), 20'000);
        wizard->button(QWizard::NextButton)->click();
        const QString offer = textOf(*wizard->currentPage());
        QVERIFY2(offer.contains(QStringLiteral("Test meadow")) && offer.contains(QStringLiteral("as each text says")), qPrintable(offer));
        // Nothing runs before consent.
        QVERIFY(!wizard->button(QWizard::NextButton)->isEnabled());
        QTest::qWait(300);
        QVERIFY(agent.snapshot().projects.isEmpty());
        QVERIFY(agent.contributions(5).isEmpty());
        wizard->currentPage()->findChild<QCheckBox*>()->click();
        wizard->button(QWizard::NextButton)->click();
        wizard->button(wizard->button(QWizard::CommitButton)->isVisible() ? QWizard::CommitButton : QWizard::NextButton)->click();
        QTRY_COMPARE_WITH_TIMEOUT(wizard->currentId(), int(ui::JoinWizard::DoneStep), 20'000);
        QCOMPARE(agent.snapshot().projects.size(), 1);
        // The preset chosen on the way has set the rules; the mode decides here.
        QVERIFY(agent.setMode(QStringLiteral("always"), {}).ok);
        wizard->button(QWizard::FinishButton)->click();

        const auto receipts = [&] {
            int count = 0;
            for (const agent::ContributionRow& row : agent.contributions(50)) { count += row.receiptDigest.isEmpty() ? 0 : 1; }
            return count;
        };
        QTRY_VERIFY_WITH_TIMEOUT(receipts() >= 2, 60'000);
        const QVector<agent::ContributionRow> rows = agent.contributions(50);
        QVERIFY(!agent.receipt(rows.last().leaseId).isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!agent.lossHistory(agent.snapshot().projects.first().id).isEmpty(), 60'000);
        QVERIFY(agent.days(7).last().tokens > 0);

        shell.showPage(QStringLiteral("contribution"));
        ui::MainWindow* window = shell.window();
        QTRY_VERIFY_WITH_TIMEOUT([&] {
            for (const QAbstractItemView* view : window->findChildren<QAbstractItemView*>()) {
                if (view->isVisible() && view->model() && view->model()->columnCount() > 2 && view->model()->rowCount() > 0) { return true; }
            }
            return false;
        }(), 10'000);

        // The pause is obeyed at once, and the window says so.
        agent.pause(agent::PauseKind::Minutes, 15);
        QTRY_COMPARE_WITH_TIMEOUT(agent.snapshot().state, agent::State::PausedByUser, 5'000);
        shell.showPage(QStringLiteral("now"));
        QTRY_VERIFY2_WITH_TIMEOUT(textOf(*window).contains(QStringLiteral("Paused by you")), qPrintable(textOf(*window)), 5'000);

        QSignalSpy finished(&agent, &agent::AgentApi::finished);
        agent.quit();
        QVERIFY(finished.count() == 1 || finished.wait(20'000));
    }
};

SUNLOCO_GUI_TEST_MAIN(TstDesktop)
#include "tst_desktop.moc"
