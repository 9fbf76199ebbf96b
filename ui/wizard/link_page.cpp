// SPDX-License-Identifier: Apache-2.0
#include "ui/wizard/link_page.h"

#include "ui/widgets/card.h"
#include "ui/widgets/verdict_mark.h"
#include "ui/wizard/join_wizard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr int kTypingPauseMs = 400;

/// "9f2c61d0…4be1" as groups that can be compared by eye.
QString fingerprint(const QString& hash)
{
    if (hash.size() < 16)
        return hash;
    return hash.left(4) % u' ' % hash.mid(4, 4) % u" … " % hash.right(4);
}
}  // namespace

LinkPage::LinkPage(JoinWizard& wizard)
    : m_wizard(wizard)
{
    const Theme& theme = wizard.theme();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 0);
    column->setSpacing(6);
    column->addWidget(makeLabel(tr("Join a project"), TextSize::PageTitle, theme.text, Wrap::Yes, this));
    column->addWidget(makeLabel(tr("Paste the link you were given. No account, no e-mail address."), TextSize::Body, theme.text2, Wrap::Yes, this));
    column->addSpacing(10);

    auto* linkLabel = new QLabel(tr("Project &link"), this);
    m_link = new QLineEdit(this);
    m_link->setMinimumHeight(28);
    m_link->setPlaceholderText(QStringLiteral("https://…/#root=…"));
    m_link->setAccessibleName(tr("Project link"));
    linkLabel->setBuddy(m_link);
    auto* paste = new QPushButton(tr("&Paste"), this);
    paste->setAutoDefault(false);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_link, 1);
    row->addWidget(paste);
    column->addWidget(linkLabel);
    column->addLayout(row);
    column->addSpacing(8);

    m_inviteLabel = new QLabel(tr("&Invite code (only if you have one)"), this);
    m_invite = new QLineEdit(this);
    m_invite->setMinimumHeight(28);
    m_invite->setMaximumWidth(260);
    m_invite->setAccessibleName(tr("Invite code"));
    m_inviteLabel->setBuddy(m_invite);
    column->addWidget(m_inviteLabel);
    column->addWidget(m_invite);
    column->addSpacing(12);

    m_result = new Card(theme, this);
    m_mark = new VerdictMark(theme, Mark::Unknown, m_result);
    m_mark->setAccessibleName(tr("Check of the link"));
    m_resultTitle = makeLabel({}, TextSize::Heading, theme.text, Wrap::Yes, m_result);
    m_resultDetail = makeLabel({}, TextSize::Secondary, theme.text2, Wrap::Yes, m_result);
    auto* result = new QHBoxLayout;
    result->setSpacing(10);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_resultTitle);
    words->addWidget(m_resultDetail);
    result->addWidget(m_mark, 0, Qt::AlignTop);
    result->addLayout(words, 1);
    m_result->body()->addLayout(result);
    column->addWidget(m_result);
    column->addStretch(1);
    m_result->hide();

    m_wait.setSingleShot(true);
    m_wait.setInterval(kTypingPauseMs);
    connect(&m_wait, &QTimer::timeout, this, &LinkPage::check);
    connect(m_link, &QLineEdit::textChanged, this, &LinkPage::edited);
    connect(m_invite, &QLineEdit::textChanged, this, &LinkPage::completeChanged);
    connect(paste, &QPushButton::clicked, this, [this] { m_link->setText(QGuiApplication::clipboard()->text().trimmed()); });
    connect(&wizard, &JoinWizard::linkGiven, m_link, &QLineEdit::setText);
    // A link is recognised by its beginning.
    connect(m_link, &QLineEdit::editingFinished, m_link, [this] { m_link->setCursorPosition(0); });
}

void LinkPage::edited()
{
    ++m_asked;   // an answer to an older text is of no use any more
    show(Check::Nothing, {}, {});
    if (!m_link->text().trimmed().isEmpty())
        m_wait.start();
}

void LinkPage::check()
{
    const QString link = m_link->text().trimmed();
    show(Check::Running, tr("Checking the link"), tr("Asking the server for its signed description."));
    const int question = ++m_asked;
    m_wizard.agent().inspect(link, [page = QPointer<LinkPage>(this), question](const agent::Answer& answer, const agent::ProjectOffer& offer) {
        if (!page || question != page->m_asked)
            return;
        if (!answer.ok) {
            page->show(Check::Bad, tr("This link cannot be used"), answer.message);
            return;
        }
        page->m_wizard.setOffer(offer);
        page->m_inviteNeeded = offer.inviteNeeded;
        QString detail = tr("Fingerprint %1, checked before anything else was loaded.").arg(fingerprint(offer.rootHash));
        if (offer.ownCertificate)
            detail += u' ' % tr("The server uses its own certificate; its key is the one named in the link.");
        if (offer.inviteNeeded)
            detail += u' ' % tr("This project takes part by invitation: fill in your invite code.");
        page->show(Check::Good, tr("Link and server belong together."), detail);
    });
}

void LinkPage::show(Check check, const QString& title, const QString& detail)
{
    m_check = check;
    const Theme& theme = m_wizard.theme();
    m_result->setVisible(check != Check::Nothing);
    m_mark->setMark(check == Check::Good ? Mark::Allows : check == Check::Bad ? Mark::Stops : Mark::Unknown);
    m_resultTitle->setText(title);
    m_resultDetail->setText(detail);
    m_resultDetail->setPalette(theme.withText(m_resultDetail->palette(), check == Check::Bad ? theme.text : theme.text2));
    m_result->setAccessibleName(title);
    m_result->setAccessibleDescription(detail);
    Q_EMIT completeChanged();
}

bool LinkPage::isComplete() const
{
    return m_check == Check::Good && (!m_inviteNeeded || !m_invite->text().trimmed().isEmpty());
}

bool LinkPage::validatePage()
{
    m_wizard.setInvite(m_invite->text().trimmed());
    return isComplete();
}

}  // namespace sunloco::ui
