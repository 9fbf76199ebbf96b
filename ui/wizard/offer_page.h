// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWizardPage>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace sunloco::ui {

class Card;
class JoinWizard;

/// What the project is and what it takes; the consent box starts empty.
class OfferPage : public QWizardPage {
    Q_OBJECT
public:
    explicit OfferPage(JoinWizard& wizard);
    void initializePage() override;
    [[nodiscard]] bool isComplete() const override;

private:
    void addRow(const QString& name, const QString& value);

    JoinWizard& m_wizard;
    QLabel* m_title;
    QLabel* m_description;
    Card* m_table;
    QVBoxLayout* m_rows;
    QCheckBox* m_consent;
};

}  // namespace sunloco::ui
