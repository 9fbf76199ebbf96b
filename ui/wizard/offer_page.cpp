// SPDX-License-Identifier: Apache-2.0
#include "ui/wizard/offer_page.h"

#include "app/text/sentence.h"
#include "ui/widgets/card.h"
#include "ui/wizard/join_wizard.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr int kNameWidth = 120;
}

OfferPage::OfferPage(JoinWizard& wizard)
    : m_wizard(wizard)
{
    const Theme& theme = wizard.theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 0);
    column->setSpacing(6);
    m_title = makeLabel({}, TextSize::PageTitle, theme.text, Wrap::Yes, this);
    m_description = makeLabel({}, TextSize::Body, theme.text2, Wrap::Yes, this);
    column->addWidget(m_title);
    column->addWidget(m_description);
    column->addSpacing(6);

    // Source and licence are the operator's words and may be long.
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::StrongFocus);
    scroll->setAccessibleName(tr("What it takes"));
    auto* inside = new QWidget(scroll);
    auto* insideColumn = new QVBoxLayout(inside);
    insideColumn->setContentsMargins(0, 0, 0, 0);
    insideColumn->setSpacing(8);
    m_table = new Card(theme, inside);
    m_table->body()->setContentsMargins(0, 2, 0, 2);
    m_rows = m_table->body();
    m_rows->setSpacing(0);
    insideColumn->addWidget(m_table);
    insideColumn->addWidget(makeLabel(tr("It never reads your files, never runs code from the project, and never keeps the PC awake."), TextSize::Secondary,
                                      theme.text, Wrap::Yes, inside));
    insideColumn->addStretch(1);
    scroll->setWidget(inside);
    column->addWidget(scroll, 1);

    m_consent = new QCheckBox(tr("I want to &take part. I can leave at any time."), this);
    column->addWidget(m_consent);
    connect(m_consent, &QCheckBox::toggled, this, &OfferPage::completeChanged);
}

void OfferPage::addRow(const QString& name, const QString& value)
{
    if (value.isEmpty())
        return;
    const Theme& theme = m_wizard.theme();
    if (m_rows->count() > 0)
        m_rows->addWidget(makeHairline(theme, m_table));
    auto* row = new QWidget(m_table);
    row->setMinimumHeight(30);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(14, 5, 14, 5);
    line->setSpacing(12);
    QLabel* nameLabel = makeLabel(name, TextSize::Body, theme.text2, Wrap::Yes, row);
    nameLabel->setMinimumWidth(kNameWidth);
    nameLabel->setMaximumWidth(kNameWidth + 40);
    line->addWidget(nameLabel, 0, Qt::AlignTop);
    line->addWidget(makeLabel(value, TextSize::Body, theme.text, Wrap::Yes, row), 1);
    m_rows->addWidget(row);
}

void OfferPage::initializePage()
{
    const agent::ProjectOffer& offer = m_wizard.offer();
    const QLocale locale;
    m_title->setText(offer.name);
    m_description->setText(offer.description);
    m_description->setVisible(!offer.description.isEmpty());
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const double parameters = static_cast<double>(offer.parameters);
    const QString size = offer.parameters >= 1'000'000'000 ? tr("%1 billion parameters").arg(locale.toString(parameters / 1e9, 'f', 2))
        : offer.parameters >= 1'000'000                    ? tr("%1 million parameters").arg(locale.toString(parameters / 1e6, 'f', 1))
                                                           : tr("%1 parameters").arg(locale.toString(offer.parameters));
    addRow(tr("Model"), size);
    addRow(tr("Memory"), tr("%1 while it trains, given back at once").arg(text::formatBytes(offer.memoryBytes)));
    addRow(tr("Disk"), text::formatBytes(offer.diskBytes));
    addRow(tr("Upload"), tr("%1 a round").arg(text::formatBytes(offer.uploadBytesPerRound)));
    addRow(tr("Download"), tr("%1 a round, %2 once").arg(text::formatBytes(offer.downloadBytesPerRound), text::formatBytes(offer.downloadBytesOnce)));
    addRow(tr("Text"), offer.source);
    addRow(tr("Licence"), offer.licence);
    // Agreeing to one project is no consent to the next.
    m_consent->setChecked(false);
}

bool OfferPage::isComplete() const
{
    return m_consent->isChecked();
}

}  // namespace sunloco::ui
