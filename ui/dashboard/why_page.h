// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/dashboard/page.h"

class QLabel;

namespace sunloco::ui {

class StateHeader;
class TableView;
class VerdictModel;

/// Every rule in the order in which it is asked; the first that stops decides.
class WhyPage : public Page {
    Q_OBJECT
public:
    explicit WhyPage(const PageContext& context, QWidget* parent = nullptr);
    void refresh() override;

Q_SIGNALS:
    void settingsRequested();

protected:
    void setNarrow(bool narrow) override;

private:
    StateHeader* m_header;
    VerdictModel* m_model;
    TableView* m_table;
    QLabel* m_foot;
};

}  // namespace sunloco::ui
