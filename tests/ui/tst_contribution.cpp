// SPDX-License-Identifier: Apache-2.0
#include "tests/support/display.h"
#include "tests/support/recording_agent.h"
#include "ui/dashboard/contribution_model.h"
#include "ui/dashboard/contribution_page.h"
#include "ui/dashboard/day_chart.h"
#include "ui/dashboard/loss_chart.h"
#include "ui/dashboard/receipt_dialog.h"
#include "ui/widgets/figure.h"
#include "ui/widgets/table_view.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace sunloco;
using namespace sunloco::ui;
using Model = ContributionModel;

class TestContribution : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_agent = std::make_unique<testing::RecordingAgent>();
        m_agent->fill(agent::State::Training);
    }

    void rowsSayWhatBecameOfThem()
    {
        Model model(Theme::light());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(m_agent->rows, 1);
        QCOMPARE(cell(model, 0, Model::Round), QStringLiteral("5,041"));
        QCOMPARE(cell(model, 0, Model::Finished), QStringLiteral("running"));
        QCOMPARE(cell(model, 0, Model::Steps), QStringLiteral("224 of 350"));
        QCOMPARE(cell(model, 0, Model::StateText), QStringLiteral("Training"));
        QCOMPARE(cell(model, 0, Model::Receipt), QStringLiteral("not yet"));
        QCOMPARE(cell(model, 2, Model::StateText), QStringLiteral("Accepted, weight 1.00"));
        QCOMPARE(cell(model, 2, Model::Tokens), QStringLiteral("11.5 M"));
        QCOMPARE(cell(model, 2, Model::Receipt).remove(u' '), m_agent->rows[2].receiptDigest.left(8));
        QCOMPARE(cell(model, model.rowCount() - 1, Model::StateText), QStringLiteral("Not used: 4 min after the round closed"));
    }

    void equalNeighboursFold()
    {
        Model model(Theme::light());
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setRows(m_agent->rows, 1);
        // 5,035 to 5,032 say the same; 5,039 and 5,038 are only two.
        QCOMPARE(model.rowCount(), 7);
        const QModelIndex folded = model.index(5, 0);
        QCOMPARE(folded.data().toString(), QStringLiteral("5,032 – 5,035"));
        QCOMPARE(model.rowCount(folded), 4);
        QCOMPARE(model.index(0, Model::Round, folded).data().toString(), QStringLiteral("5,035"));
        QCOMPARE(cell(model, 5, Model::StateText), QStringLiteral("Accepted, weight 1.00 each"));
        QCOMPARE(cell(model, 5, Model::Receipt), QStringLiteral("4 receipts"));
        QCOMPARE(cell(model, 5, Model::Steps), QStringLiteral("1,400 of 1,400"));
    }

    void everyStateHasWords()
    {
        agent::ContributionRow row;
        QSet<QString> seen;
        for (const char* state : {"training", "encoded", "uploading", "committed", "merged", "rejected", "expired", "abandoned"}) {
            row.state = QString::fromLatin1(state);
            const QString words = Model::stateText(row);
            QVERIFY2(words != row.state && !seen.contains(words), state);
            seen.insert(words);
        }
    }

    void figuresAddUp()
    {
        ContributionPage page({*m_agent, Theme::light()});
        page.resize(780, 640);
        page.show();
        page.refresh();
        const auto figures = page.findChildren<Figure*>();
        QCOMPARE(figures.size(), 4);
        QCOMPARE(figures[0]->number(), QStringLiteral("612"));
        QCOMPARE(figures[0]->note(), QStringLiteral("of 617 sent"));
        QCOMPARE(figures[1]->number(), QStringLiteral("6.02 billion"));
        // 350 steps of 32,768 tokens in a round of 244 million.
        QCOMPARE(figures[2]->number().remove(QChar(0x202f)), QStringLiteral("4.7%"));
    }

    void receiptOpensAndCanBeCopied()
    {
        ContributionPage page({*m_agent, Theme::light()});
        page.resize(780, 640);
        page.show();
        page.refresh();
        auto* table = page.findChild<TableView*>();
        // The third row of the table as it is sorted: round 5,039.
        const QModelIndex index = table->model()->index(2, Model::Receipt);
        Q_EMIT table->activated(index);
        auto* dialog = page.findChild<ReceiptDialog*>();
        QVERIFY(dialog);
        const QByteArray envelope = m_agent->receipts.value(QStringLiteral("lease-5039"));
        QVERIFY(dialog->findChild<QPlainTextEdit*>()->toPlainText().endsWith(QString::fromUtf8(envelope)));
        for (QPushButton* button : dialog->findChildren<QPushButton*>())
            if (button->text().contains(QStringLiteral("Copy")))
                button->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), QString::fromUtf8(envelope));
        dialog->close();
    }

    void withoutRoundsItSaysSo()
    {
        m_agent->rows.clear();
        m_agent->loss.clear();
        m_agent->now.projects.front().acceptedRounds = 0;
        ContributionPage page({*m_agent, Theme::light()});
        page.show();
        page.refresh();
        QVERIFY(!page.findChild<TableView*>()->isVisible());
        bool said = false;
        for (const QLabel* label : page.findChildren<QLabel*>())
            said = said || (label->isVisible() && label->text().startsWith(QStringLiteral("No round yet")));
        QVERIFY(said);
    }

    void lossChartGoesPointByPoint()
    {
        LossChart chart(Theme::light());
        chart.setPoints(m_agent->loss, m_agent->now.projects.front().joinedAt);
        chart.resize(600, 200);
        chart.show();
        QSignalSpy pointed(&chart, &ChartFrame::pointed);
        QTest::keyClick(&chart, Qt::Key_End);
        QVERIFY2(pointed.last().first().toString().startsWith(QStringLiteral("Round 5,040: held-out loss 2.5")), qPrintable(pointed.last().first().toString()));
        // The gap is read as unknown, not as 0.
        QTest::keyClick(&chart, Qt::Key_Home);
        for (int i = 0; i < 50; ++i)
            QTest::keyClick(&chart, Qt::Key_Right);
        QVERIFY2(chart.accessibleValue().startsWith(QStringLiteral("Round 2,000: held-out loss unknown")), qPrintable(chart.accessibleValue()));
    }

    void dayChartGoesDayByDay()
    {
        DayChart chart(Theme::light(), DayValue::Tokens);
        chart.setDays(m_agent->dayTotals);
        chart.resize(400, 160);
        chart.show();
        QTest::keyClick(&chart, Qt::Key_End);
        QVERIFY2(chart.accessibleValue().contains(QStringLiteral("57,344,000 tokens, 5 rounds")), qPrintable(chart.accessibleValue()));
        QVERIFY(chart.totalText().startsWith(QStringLiteral("14 days: 940,441,600 tokens")));
    }

private:
    static QString cell(const Model& model, int row, int column) { return model.index(row, column).data().toString(); }
    std::unique_ptr<testing::RecordingAgent> m_agent;
};

SUNLOCO_GUI_TEST_MAIN(TestContribution)
#include "tst_contribution.moc"
