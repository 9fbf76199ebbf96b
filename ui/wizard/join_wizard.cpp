// SPDX-License-Identifier: Apache-2.0
#include "ui/wizard/join_wizard.h"

#include "ui/widgets/icons.h"
#include "ui/wizard/amount_page.h"
#include "ui/wizard/done_page.h"
#include "ui/wizard/link_page.h"
#include "ui/wizard/offer_page.h"
#include "ui/wizard/step_list.h"

#include <QAbstractButton>
#include <QLineEdit>

#include <algorithm>

namespace sunloco::ui {

JoinWizard::JoinWizard(agent::AgentApi& agent, const Theme& theme, QWidget* parent)
    : QWizard(parent)
    , m_agent(agent)
    , m_theme(theme)
{
    setWindowTitle(tr("Set up SunLoCo"));
    setWindowIcon(icons::application());
    setPalette(theme.palette(palette()));
    // The modern style paints white pages; without titles the classic one is the plain surface of the look.
    setWizardStyle(QWizard::ClassicStyle);
    setOption(QWizard::NoBackButtonOnStartPage);
    setOption(QWizard::NoBackButtonOnLastPage);
    setOption(QWizard::NoCancelButtonOnLastPage);
    setButtonLayout({QWizard::Stretch, QWizard::CancelButton, QWizard::BackButton, QWizard::NextButton, QWizard::CommitButton, QWizard::FinishButton});
    setButtonText(QWizard::BackButton, tr("&Back"));
    setButtonText(QWizard::NextButton, tr("&Next"));
    setButtonText(QWizard::CommitButton, tr("&Join"));
    setButtonText(QWizard::FinishButton, tr("&Finish"));
    setButtonText(QWizard::CancelButton, tr("&Cancel"));
    for (const auto which : {QWizard::NextButton, QWizard::CommitButton, QWizard::FinishButton}) {
        button(which)->setPalette(theme.primaryButton(palette()));
        button(which)->setMinimumHeight(30);
    }

    m_steps = new StepList(theme, {tr("Project"), tr("What it takes"), tr("How much"), tr("Done")}, this);
    setSideWidget(m_steps);
    setPage(LinkStep, new LinkPage(*this));
    setPage(OfferStep, new OfferPage(*this));
    setPage(AmountStep, new AmountPage(*this));
    setPage(DoneStep, new DonePage(*this));
    connect(this, &QWizard::currentIdChanged, m_steps, &StepList::setCurrent);
    theme.outlineControls(this);
    resize(640, 480);
}

void JoinWizard::setLink(const QString& link)
{
    Q_EMIT linkGiven(link);
}

bool JoinWizard::isUntouched() const
{
    if (currentId() != LinkStep)
        return false;
    const QList<QLineEdit*> edits = page(LinkStep)->findChildren<QLineEdit*>();
    return std::all_of(edits.begin(), edits.end(), [](const QLineEdit* edit) { return edit->text().isEmpty(); });
}

}  // namespace sunloco::ui
