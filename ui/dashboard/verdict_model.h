// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/verdict.h"
#include "ui/widgets/theme.h"

#include <QAbstractTableModel>

namespace sunloco::ui {

/// All verdicts of one decision, in order of precedence.
class VerdictModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Asked, Verdict, Rule, Value, Limit, Since, Next, ColumnCount };

    explicit VerdictModel(const Theme& theme, QObject* parent = nullptr);
    void setDecision(const rules::Decision& decision, qreal devicePixelRatio);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString text(int row, int column) const;
    [[nodiscard]] bool decides(int row) const;

    Theme m_theme;
    qreal m_devicePixelRatio = 1;
    std::vector<rules::Verdict> m_verdicts;
    int m_deciding = -1;
};

}  // namespace sunloco::ui
