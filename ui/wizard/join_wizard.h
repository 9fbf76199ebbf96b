// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/widgets/theme.h"

#include <QWizard>

namespace sunloco::ui {

class StepList;

/// From a project link to the first round: link, what it takes (with consent), how much it may take, done.
/// Nothing is downloaded but the project's signed description, and nothing runs, before the person has agreed and pressed "Join".
class JoinWizard : public QWizard {
    Q_OBJECT
public:
    enum PageId { LinkStep, OfferStep, AmountStep, DoneStep };

    JoinWizard(agent::AgentApi& agent, const Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] agent::AgentApi& agent() const { return m_agent; }
    [[nodiscard]] const Theme& theme() const { return m_theme; }
    [[nodiscard]] const agent::ProjectOffer& offer() const { return m_offer; }
    void setOffer(const agent::ProjectOffer& offer) { m_offer = offer; }
    [[nodiscard]] QString invite() const { return m_invite; }
    void setInvite(const QString& invite) { m_invite = invite; }
    /// Fills in a link, as when one was given on the command line.
    void setLink(const QString& link);
    /// Nobody has typed anything yet.
    [[nodiscard]] bool isUntouched() const;

Q_SIGNALS:
    void linkGiven(const QString& link);

private:
    agent::AgentApi& m_agent;
    Theme m_theme;
    agent::ProjectOffer m_offer;
    QString m_invite;
    StepList* m_steps;
};

}  // namespace sunloco::ui
