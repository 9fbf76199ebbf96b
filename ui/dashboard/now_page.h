// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/dashboard/page.h"

#include <memory>
#include <vector>

class QGridLayout;
class QLabel;
class QMenu;
class QVBoxLayout;

namespace sunloco::ui {

class Card;
class DayBand;
class DeviceCard;
class StateHeader;
class VerdictList;

/// What happens now and why: the sentence, each device, the rules that decide, what is being transferred, today.
class NowPage : public Page {
    Q_OBJECT
public:
    /// How long "Run now" runs when no length is chosen.
    static constexpr int kRunNowMinutes = 60;

    explicit NowPage(const PageContext& context, QWidget* parent = nullptr);
    ~NowPage() override;
    void refresh() override;
    /// The lengths of a pause, at the main button.
    void openPauseMenu();
    [[nodiscard]] StateHeader* header() const { return m_header; }

Q_SIGNALS:
    void whyRequested();
    void joinRequested();
    void logRequested();

protected:
    void setNarrow(bool narrow) override;

private:
    enum class MainAction { Join, Pause, Resume, RunNow, Repair };
    void refreshHeader(const agent::Snapshot& now);
    void refreshDevices(const agent::Snapshot& now);
    void refreshFirstDay(const agent::Snapshot& now);
    void refreshTransfers(const agent::Snapshot& now);
    void refreshToday(const agent::Snapshot& now);
    void arrange();
    void actMain();
    void actSecond();

    StateHeader* m_header;
    std::unique_ptr<QMenu> m_pauseMenu;
    std::unique_ptr<QMenu> m_runMenu;
    MainAction m_main = MainAction::Join;
    Card* m_start;         // before the first project
    QWidget* m_body;
    QGridLayout* m_grid;
    QWidget* m_devices;
    QVBoxLayout* m_deviceColumn;
    std::vector<DeviceCard*> m_deviceCards;
    Card* m_why;
    VerdictList* m_verdicts;
    Card* m_firstDay;
    QVBoxLayout* m_firstDaySteps;
    Card* m_transfers;
    QVBoxLayout* m_transferRows;
    Card* m_today;
    QLabel* m_todayText;
    DayBand* m_band;
};

}  // namespace sunloco::ui
