// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/dashboard/chart_frame.h"

#include <memory>

namespace sunloco::ui {

enum class DayValue { Tokens, Rounds };

/// One bar per day: tokens trained or rounds accepted. A day without work has no bar.
class DayChart : public ChartFrame {
    Q_OBJECT
public:
    DayChart(const Theme& theme, DayValue value, QWidget* parent = nullptr);
    ~DayChart() override;

    /// Oldest first or newest first; drawn oldest first.
    void setDays(const QVector<agent::DayTotals>& days);
    /// "14 days, 940 million tokens": what all bars are together.
    [[nodiscard]] QString totalText() const;

protected:
    [[nodiscard]] int pointCount() const override { return static_cast<int>(m_days.size()); }
    [[nodiscard]] QString pointText(int point) const override;
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QStringList tableHeader() const override;
    [[nodiscard]] QStringList tableRow(int point) const override;
    void markPoint(int point) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Parts;
    void placeDates();
    [[nodiscard]] double valueOf(const agent::DayTotals& day) const;
    DayValue m_value;
    QVector<agent::DayTotals> m_days;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace sunloco::ui
