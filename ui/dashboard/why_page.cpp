// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/why_page.h"

#include "app/agent/agent_api.h"
#include "app/text/sentence.h"
#include "ui/dashboard/verdict_model.h"
#include "ui/widgets/card.h"
#include "ui/widgets/state_header.h"
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace sunloco::ui {

WhyPage::WhyPage(const PageContext& context, QWidget* parent)
    : Page(context, parent)
    , m_header(new StateHeader(theme(), widget()))
    , m_model(new VerdictModel(theme(), this))
{
    setAccessibleName(tr("Why"));
    m_header->mainButton()->hide();
    m_header->secondButton()->hide();
    content()->addWidget(m_header);

    auto* card = new Card(theme(), widget());
    card->body()->setContentsMargins(10, 4, 10, 6);
    m_table = new TableView(theme(), card);
    m_table->setRootIsDecorated(false);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("All rules"));
    m_table->header()->setSectionsClickable(false);
    m_table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    card->body()->addWidget(m_table);
    content()->addWidget(card);

    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    m_foot = makeLabel({}, TextSize::Secondary, theme().text2, Wrap::Yes, widget());
    auto* copy = new QPushButton(tr("&Copy as text"), widget());
    auto* change = new QPushButton(tr("C&hange rules…"), widget());
    foot->addWidget(m_foot, 1);
    foot->addWidget(copy);
    foot->addWidget(change);
    content()->addLayout(foot);
    content()->addStretch(1);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_table->asText()); });
    connect(change, &QPushButton::clicked, this, &WhyPage::settingsRequested);
}

void WhyPage::setNarrow(bool narrow)
{
    // What is known least interesting goes first; its place is needed for the rule's name.
    m_table->setColumnHidden(VerdictModel::Since, narrow);
}

void WhyPage::refresh()
{
    const agent::Snapshot& now = agent().snapshot();
    const text::Sentence sentence = text::describe(now);
    m_header->setSentence(now.state, sentence.title, sentence.reason, sentence.next);
    m_model->setDecision(now.decision, devicePixelRatioF());
    m_table->fitHeight();
    const QString when = QLocale().toString(QDateTime::fromMSecsSinceEpoch(now.takenAt).time(), QStringLiteral("HH:mm:ss"));
    m_foot->setText(tr("The first rule that stops decides; those below are still measured. Values at %1.").arg(when));
}

}  // namespace sunloco::ui
