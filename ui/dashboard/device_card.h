// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/widgets/card.h"

#include <QElapsedTimer>

namespace sunloco::ui {

class Figure;
class ProgressRing;

/// One device: how far its round is, how fast, at what power, and when it will be done.
class DeviceCard : public Card {
    Q_OBJECT
public:
    explicit DeviceCard(const Theme& theme, QWidget* parent = nullptr);
    /// `deadline`: when the project closes the round, UTC milliseconds.
    void setDevice(const agent::DeviceSnapshot& device, std::optional<qint64> deadline);

private:
    [[nodiscard]] QString progressSentence(const agent::DeviceSnapshot& device, std::optional<qint64> deadline);

    Theme m_theme;
    ProgressRing* m_ring;
    Figure* m_speed;
    Figure* m_power;
    Figure* m_loss;
    QLabel* m_sentence;        // below the figures
    QLabel* m_besideRing;      // in their place while the device rests
    // Speed in steps, measured here from the counts that arrive: it needs no knowledge of the model.
    QElapsedTimer m_since;
    qint64 m_firstStep = 0;
    qint64 m_round = -1;
};

}  // namespace sunloco::ui
