// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QTimer>
#include <QWizardPage>

class QLabel;
class QLineEdit;

namespace sunloco::ui {

class Card;
class JoinWizard;
class VerdictMark;

/// The project link, checked as soon as it is there: the server's signed description must match the fingerprint in the link.
class LinkPage : public QWizardPage {
    Q_OBJECT
public:
    explicit LinkPage(JoinWizard& wizard);
    [[nodiscard]] bool isComplete() const override;
    bool validatePage() override;

private:
    enum class Check { Nothing, Running, Good, Bad };
    void edited();
    void check();
    void show(Check check, const QString& title, const QString& detail);

    JoinWizard& m_wizard;
    QLineEdit* m_link;
    QLineEdit* m_invite;
    QLabel* m_inviteLabel;
    Card* m_result;
    VerdictMark* m_mark;
    QLabel* m_resultTitle;
    QLabel* m_resultDetail;
    QTimer m_wait;
    Check m_check = Check::Nothing;
    bool m_inviteNeeded = false;
    int m_asked = 0;
};

}  // namespace sunloco::ui
