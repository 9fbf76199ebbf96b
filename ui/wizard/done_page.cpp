// SPDX-License-Identifier: Apache-2.0
#include "ui/wizard/done_page.h"

#include "app/text/sentence.h"
#include "ui/widgets/card.h"
#include "ui/widgets/state_header.h"
#include "ui/wizard/join_wizard.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace sunloco::ui {

DonePage::DonePage(JoinWizard& wizard)
    : m_wizard(wizard)
{
    const Theme& theme = wizard.theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 0);
    column->setSpacing(6);
    column->addWidget(makeLabel(tr("Ready"), TextSize::PageTitle, theme.text, Wrap::Yes, this));
    column->addWidget(makeLabel(tr("SunLoCo waits in the tray until the time is right."), TextSize::Body, theme.text2, Wrap::Yes, this));
    column->addSpacing(8);
    auto* card = new Card(theme, this);
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    m_disc = new StateDisc(theme, card);
    m_title = makeLabel({}, TextSize::Heading, theme.text, Wrap::Yes, card);
    m_reason = makeLabel({}, TextSize::Body, theme.text, Wrap::Yes, card);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_reason);
    row->addWidget(m_disc, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    card->body()->addLayout(row);
    column->addWidget(card);
    column->addSpacing(8);
    m_autostart = new QCheckBox(tr("&Start SunLoCo when I log in"), this);
    column->addWidget(m_autostart);
    m_problem = makeLabel({}, TextSize::Secondary, theme.alert, Wrap::Yes, this);
    m_problem->hide();
    column->addWidget(m_problem);
    column->addWidget(makeLabel(tr("Pause it from the tray icon whenever you like."), TextSize::Body, theme.text2, Wrap::Yes, this));
    column->addStretch(1);
    connect(&wizard.agent(), &agent::AgentApi::changed, this, &DonePage::refresh);
}

void DonePage::initializePage()
{
    m_autostart->setChecked(m_wizard.agent().settings().isOn(rules::keys::kAutostart));
    refresh();
}

void DonePage::refresh()
{
    const agent::Snapshot& now = m_wizard.agent().snapshot();
    const text::Sentence sentence = text::describe(now);
    m_disc->setState(now.state);
    m_title->setText(sentence.title);
    m_reason->setText(sentence.next.isEmpty() ? sentence.reason : QString(sentence.reason % u' ' % sentence.next));
}

bool DonePage::validatePage()
{
    const QString key = QString::fromLatin1(rules::keys::kAutostart.data(), static_cast<qsizetype>(rules::keys::kAutostart.size()));
    if (m_autostart->isChecked() == m_wizard.agent().settings().isOn(rules::keys::kAutostart))
        return true;
    const agent::Answer answer = m_wizard.agent().setSetting(key, m_autostart->isChecked() ? QStringLiteral("on") : QStringLiteral("off"));
    m_problem->setVisible(!answer.ok);
    m_problem->setText(answer.message);
    return answer.ok;
}

}  // namespace sunloco::ui
