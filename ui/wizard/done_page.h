// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWizardPage>

class QCheckBox;
class QLabel;

namespace sunloco::ui {

class JoinWizard;
class StateDisc;

/// What happens next, in the same sentence that the tray shows; and whether to start with the session.
class DonePage : public QWizardPage {
    Q_OBJECT
public:
    explicit DonePage(JoinWizard& wizard);
    void initializePage() override;
    bool validatePage() override;

private:
    void refresh();
    JoinWizard& m_wizard;
    StateDisc* m_disc;
    QLabel* m_title;
    QLabel* m_reason;
    QCheckBox* m_autostart;
    QLabel* m_problem;
};

}  // namespace sunloco::ui
