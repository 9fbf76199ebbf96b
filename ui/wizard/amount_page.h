// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWizardPage>

class QLabel;

namespace sunloco::ui {

class JoinWizard;
class PresetCards;

/// How much it may take: one of the presets. Its button joins the project.
class AmountPage : public QWizardPage {
    Q_OBJECT
public:
    explicit AmountPage(JoinWizard& wizard);
    void initializePage() override;
    [[nodiscard]] bool isComplete() const override;
    bool validatePage() override;

private:
    enum class Joining { NotYet, Running, Done };
    void say(const QString& text, const QColor& color);
    JoinWizard& m_wizard;
    PresetCards* m_presets;
    QLabel* m_message;
    Joining m_joining = Joining::NotYet;
};

}  // namespace sunloco::ui
