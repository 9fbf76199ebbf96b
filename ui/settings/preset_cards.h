// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QWidget>

#include <vector>

class QBoxLayout;
class QButtonGroup;

namespace sunloco::ui {

class PresetCard;

/// The presets as radio buttons in frames; the whole frame can be clicked and the chosen one has the accent's edge.
class PresetCards : public QWidget {
    Q_OBJECT
public:
    enum class Direction { Row, Column };
    PresetCards(const Theme& theme, Direction direction, QWidget* parent = nullptr);

    void setChosen(const QString& presetId);
    [[nodiscard]] QString chosen() const;
    /// A row becomes a column.
    void setNarrow(bool narrow);

Q_SIGNALS:
    void chosenByUser(const QString& presetId);

private:
    Direction m_direction;
    QBoxLayout* m_layout;
    QButtonGroup* m_group;
    std::vector<PresetCard*> m_cards;
};

}  // namespace sunloco::ui
