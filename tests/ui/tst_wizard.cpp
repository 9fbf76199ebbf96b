// SPDX-License-Identifier: Apache-2.0
#include "tests/support/display.h"
#include "tests/support/recording_agent.h"
#include "ui/wizard/join_wizard.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QTest>

using namespace sunloco;
using namespace sunloco::ui;

namespace {

const QString kLink = QStringLiteral("https://meadow.example:8443/#root=9f2c");

bool isJoin(const QString& call)
{
    return call.startsWith(QStringLiteral("join"));
}

QString allText(const QWidget* page)
{
    QStringList texts;
    for (const QLabel* label : page->findChildren<QLabel*>())
        if (label->isVisibleTo(page))
            texts.append(label->text());
    return texts.join(u'\n');
}

}  // namespace

class TestWizard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_agent = std::make_unique<testing::RecordingAgent>();
        m_wizard = std::make_unique<JoinWizard>(*m_agent, Theme::light());
        m_wizard->show();
    }

    void cleanup() { m_wizard.reset(); }

    void nothingHappensBeforeALinkIsThere()
    {
        QVERIFY(!next()->isEnabled());
        QVERIFY(m_agent->calls.isEmpty());
    }

    void aPastedLinkIsChecked()
    {
        QGuiApplication::clipboard()->setText(QStringLiteral("  ") + kLink + QStringLiteral("\n"));
        for (QPushButton* button : m_wizard->currentPage()->findChildren<QPushButton*>())
            button->click();
        QTRY_COMPARE(m_agent->calls, QStringList{QStringLiteral("inspect ") + kLink});
        QVERIFY(next()->isEnabled());
        QVERIFY(allText(m_wizard->currentPage()).contains(QStringLiteral("9f2c 61d0")));
    }

    void aBadLinkSaysWhyAndStops()
    {
        m_agent->inspectAnswer = {false, QStringLiteral("hash-mismatch"), QStringLiteral("The server's description is not the one this link names. Ask for the link again.")};
        m_wizard->setLink(kLink);
        QTRY_VERIFY(allText(m_wizard->currentPage()).contains(m_agent->inspectAnswer.message));
        QVERIFY(!next()->isEnabled());
    }

    void anEditedLinkIsNoLongerGood()
    {
        toOffer();
        m_wizard->back();
        m_agent->inspectAnswer.ok = false;
        m_wizard->setLink(kLink + u'x');
        QVERIFY(!next()->isEnabled());
        QTRY_COMPARE(m_agent->calls.size(), 2);
        QVERIFY(!next()->isEnabled());
    }

    void anInviteIsAskedForWhereItIsNeeded()
    {
        m_agent->offer.inviteNeeded = true;
        m_wizard->setLink(kLink);
        QTRY_COMPARE(m_agent->calls.size(), 1);
        QVERIFY(!next()->isEnabled());
        m_wizard->currentPage()->findChildren<QLineEdit*>().last()->setText(QStringLiteral("OAK-7"));
        QVERIFY(next()->isEnabled());
        next()->click();
        consent()->setChecked(true);
        next()->click();
        commit()->click();
        QVERIFY(m_agent->calls.contains(u"join " + kLink + u" OAK-7"));
    }

    void consentStartsEmptyAndGates()
    {
        toOffer();
        QVERIFY(!consent()->isChecked());
        QVERIFY(!next()->isEnabled());
        consent()->setChecked(true);
        QVERIFY(next()->isEnabled());
        consent()->setChecked(false);
        QVERIFY(!next()->isEnabled());
        QVERIFY(std::none_of(m_agent->calls.begin(), m_agent->calls.end(), isJoin));
    }

    void consentIsAskedAgainForAnotherLink()
    {
        toOffer();
        consent()->setChecked(true);
        m_wizard->back();
        m_wizard->setLink(kLink + u'y');
        QTRY_VERIFY(next()->isEnabled());
        next()->click();
        QVERIFY(!consent()->isChecked());
    }

    void theOfferNamesWhatItTakes()
    {
        toOffer();
        const QString text = allText(m_wizard->currentPage());
        for (const QString& part : {m_agent->offer.name, m_agent->offer.description, m_agent->offer.source, m_agent->offer.licence})
            QVERIFY2(text.contains(part), qPrintable(part));
        QVERIFY(text.contains(QStringLiteral("14.2 million")));
    }

    void presetAndJoinOnlyOnTheThirdStep()
    {
        toOffer();
        consent()->setChecked(true);
        next()->click();
        QCOMPARE(m_wizard->currentId(), int(JoinWizard::AmountStep));
        QVERIFY(std::none_of(m_agent->calls.begin(), m_agent->calls.end(), isJoin));
        const auto choices = m_wizard->currentPage()->findChildren<QRadioButton*>();
        QCOMPARE(choices.size(), qsizetype(rules::presets().size()));
        choices[1]->click();
        commit()->click();
        QCOMPARE(m_agent->calls.mid(1), (QStringList{QStringLiteral("set preset idle_at_night"), QStringLiteral("join ") + kLink}));
        QCOMPARE(m_wizard->currentId(), int(JoinWizard::DoneStep));
        QVERIFY(m_agent->settings().isOn(rules::keys::kScheduleEnabled));
    }

    void aRefusedJoinStaysAndSaysWhy()
    {
        m_agent->joinAnswer = {false, QStringLiteral("invite-used"), QStringLiteral("This invite code was used already. Ask the project for another one.")};
        toOffer();
        consent()->setChecked(true);
        next()->click();
        commit()->click();
        QCOMPARE(m_wizard->currentId(), int(JoinWizard::AmountStep));
        QVERIFY(allText(m_wizard->currentPage()).contains(m_agent->joinAnswer.message));
        m_agent->joinAnswer = {};
        commit()->click();
        QCOMPARE(m_wizard->currentId(), int(JoinWizard::DoneStep));
    }

    void autostartStartsEmpty()
    {
        toOffer();
        consent()->setChecked(true);
        next()->click();
        commit()->click();
        auto* autostart = m_wizard->currentPage()->findChild<QCheckBox*>();
        QVERIFY(autostart && !autostart->isChecked());
        m_wizard->button(QWizard::FinishButton)->click();
        QVERIFY(!m_agent->calls.contains(QStringLiteral("set general.autostart on")));
    }

private:
    QAbstractButton* next() { return m_wizard->button(QWizard::NextButton); }
    QAbstractButton* commit() { return m_wizard->button(QWizard::CommitButton); }
    QCheckBox* consent() { return m_wizard->currentPage()->findChild<QCheckBox*>(); }
    void toOffer()
    {
        m_wizard->setLink(kLink);
        QTRY_VERIFY(next()->isEnabled());
        next()->click();
        QCOMPARE(m_wizard->currentId(), int(JoinWizard::OfferStep));
    }

    std::unique_ptr<testing::RecordingAgent> m_agent;
    std::unique_ptr<JoinWizard> m_wizard;
};

SUNLOCO_GUI_TEST_MAIN(TestWizard)
#include "tst_wizard.moc"
