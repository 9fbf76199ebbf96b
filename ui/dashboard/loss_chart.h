// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/dashboard/chart_frame.h"

#include <memory>

namespace sunloco::ui {

/// How well the model predicts unseen text, round by round, with the moment this PC joined and the present value at the line's end.
class LossChart : public ChartFrame {
    Q_OBJECT
public:
    explicit LossChart(const Theme& theme, QWidget* parent = nullptr);
    ~LossChart() override;

    /// `joinedAt` in UTC milliseconds, 0 = unknown. A round without a value leaves a gap.
    void setPoints(const QVector<agent::LossPoint>& points, qint64 joinedAt);

protected:
    [[nodiscard]] int pointCount() const override { return static_cast<int>(m_points.size()); }
    [[nodiscard]] QString pointText(int point) const override;
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QStringList tableHeader() const override;
    [[nodiscard]] QStringList tableRow(int point) const override;
    void markPoint(int point) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Parts;
    void placeWords();
    QVector<agent::LossPoint> m_points;
    qint64 m_joinedRound = 0;
    qint64 m_joinedAt = 0;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace sunloco::ui
