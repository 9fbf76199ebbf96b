// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/dashboard/page.h"

#include <array>

class QBoxLayout;
class QComboBox;
class QLabel;
class QModelIndex;
class QSortFilterProxyModel;

namespace sunloco::ui {

class Card;
class ContributionModel;
class DayChart;
class Figure;
class LossChart;
class TableView;

/// What this PC has given: figures, the model's loss, work per day, every round with its state and receipt.
class ContributionPage : public Page {
    Q_OBJECT
public:
    explicit ContributionPage(const PageContext& context, QWidget* parent = nullptr);
    void refresh() override;
    void showReceipt(const QString& leaseId);

protected:
    void setNarrow(bool narrow) override;

private:
    void buildFigures();
    void buildCharts();
    void buildTable();
    void refreshFigures();
    void refreshTable();
    void activate(const QModelIndex& index);
    void exportTable();
    void fitTable();
    [[nodiscard]] int projectIndex() const;

    QComboBox* m_project;
    std::array<Figure*, 4> m_figures{};
    QWidget* m_empty = nullptr;
    QLabel* m_emptyText = nullptr;
    QWidget* m_filled = nullptr;
    QBoxLayout* m_dayRow = nullptr;
    Card* m_lossCard = nullptr;
    LossChart* m_loss = nullptr;
    DayChart* m_tokens = nullptr;
    DayChart* m_rounds = nullptr;
    ContributionModel* m_model = nullptr;
    QSortFilterProxyModel* m_sorted = nullptr;
    TableView* m_table = nullptr;
};

}  // namespace sunloco::ui
