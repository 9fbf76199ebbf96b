// SPDX-License-Identifier: Apache-2.0
#include "ui/wizard/amount_page.h"

#include "ui/settings/preset_cards.h"
#include "ui/widgets/card.h"
#include "ui/wizard/join_wizard.h"

#include <QLabel>
#include <QPointer>
#include <QVBoxLayout>

namespace sunloco::ui {

AmountPage::AmountPage(JoinWizard& wizard)
    : m_wizard(wizard)
    , m_presets(new PresetCards(wizard.theme(), PresetCards::Direction::Column, this))
{
    setCommitPage(true);
    const Theme& theme = wizard.theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 0);
    column->setSpacing(6);
    column->addWidget(makeLabel(tr("How much may it take?"), TextSize::PageTitle, theme.text, Wrap::Yes, this));
    column->addWidget(makeLabel(tr("You can change this at any time. Using the PC always comes first."), TextSize::Body, theme.text2, Wrap::Yes, this));
    column->addSpacing(8);
    column->addWidget(m_presets);
    column->addSpacing(8);
    m_message = makeLabel({}, TextSize::Body, theme.text, Wrap::Yes, this);
    column->addWidget(m_message);
    column->addStretch(1);
}

void AmountPage::initializePage()
{
    m_joining = Joining::NotYet;
    m_message->clear();
    m_presets->setChosen(QString::fromStdString(m_wizard.agent().settings().choice(rules::keys::kPreset)));
}

bool AmountPage::isComplete() const
{
    return m_joining != Joining::Running && !m_presets->chosen().isEmpty();
}

void AmountPage::say(const QString& text, const QColor& color)
{
    m_message->setPalette(m_wizard.theme().withText(m_message->palette(), color));
    m_message->setText(text);
    Q_EMIT completeChanged();
}

bool AmountPage::validatePage()
{
    if (m_joining == Joining::Done)
        return true;
    if (m_joining == Joining::Running)
        return false;
    const Theme& theme = m_wizard.theme();
    const agent::Answer preset = m_wizard.agent().setSetting(QString::fromLatin1(rules::keys::kPreset.data(), static_cast<qsizetype>(rules::keys::kPreset.size())), m_presets->chosen());
    if (!preset.ok) {
        say(preset.message, theme.alert);
        return false;
    }
    m_joining = Joining::Running;
    say(tr("Joining %1").arg(m_wizard.offer().name), theme.text2);
    m_wizard.agent().join(m_wizard.offer().link, m_wizard.invite(), [page = QPointer<AmountPage>(this)](const agent::Answer& answer) {
        if (!page)
            return;
        page->m_joining = answer.ok ? Joining::Done : Joining::NotYet;
        if (!answer.ok) {
            page->say(answer.message, page->m_wizard.theme().alert);
            return;
        }
        page->say({}, page->m_wizard.theme().text);
        page->m_wizard.next();
    });
    // The callback may have come at once; then it has already turned the page.
    return false;
}

}  // namespace sunloco::ui
