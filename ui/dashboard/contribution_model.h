// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/widgets/theme.h"

#include <QAbstractItemModel>

#include <vector>

namespace sunloco::ui {

/// Rounds, newest first. Neighbours that say the same fold into one row ("5,033 – 35") that opens.
class ContributionModel : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Round, Finished, Steps, Tokens, StateText, Receipt, ColumnCount };
    enum Role { SortRole = Qt::UserRole, LeaseRole };

    explicit ContributionModel(const Theme& theme, QObject* parent = nullptr);

    void setRows(const QVector<agent::ContributionRow>& rows, qreal devicePixelRatio);
    [[nodiscard]] bool isEmpty() const { return m_groups.empty(); }

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    /// "Accepted, weight 0.67", "Not used: …": what became of a round, in words.
    [[nodiscard]] static QString stateText(const agent::ContributionRow& row);
    /// "91c5 3be7", the receipt's first digits.
    [[nodiscard]] static QString receiptText(const QString& digest);

private:
    using Group = std::vector<agent::ContributionRow>;
    [[nodiscard]] QString text(const Group& group, int column) const;
    [[nodiscard]] QVariant sortValue(const Group& group, int column) const;
    [[nodiscard]] QVariant decoration(const QString& state) const;

    Theme m_theme;
    qreal m_devicePixelRatio = 1;
    std::vector<Group> m_groups;
};

}  // namespace sunloco::ui
