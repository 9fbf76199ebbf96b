// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/dashboard/page.h"

#include <QStringList>

#include <vector>

class QCheckBox;
class QComboBox;
class QVBoxLayout;

namespace sunloco::ui {

class Card;
class PresetCards;
class SettingRow;
class UiState;

/// Every setting of the one settings table, in its order and groups, then the projects and what concerns this window only.
class SettingsPage : public Page {
    Q_OBJECT
public:
    SettingsPage(const PageContext& context, UiState& state, QWidget* parent = nullptr);
    void refresh() override;

    /// Titles of the sections, as the sidebar lists them.
    [[nodiscard]] static QStringList sectionTitles();
    void showSection(int section);
    [[nodiscard]] const std::vector<SettingRow*>& rows() const { return m_rows; }
    /// The control that stands for a key; also for "preset", which has cards instead of a row.
    [[nodiscard]] QWidget* controlFor(const QString& key) const;

Q_SIGNALS:
    void joinRequested();
    void quitRequested();

protected:
    void setNarrow(bool narrow) override;

private:
    void addHeading(const QString& title);
    void buildTable();
    void buildProjects();
    void buildWindowSection();
    void refreshDevices();
    void refreshProjects();
    void resetAll();
    void addRow(Card* card, SettingRow* row);

    UiState& m_state;
    std::vector<SettingRow*> m_rows;
    std::vector<QWidget*> m_headings;
    PresetCards* m_presets = nullptr;
    Card* m_deviceCard = nullptr;
    QStringList m_deviceIds;
    QStringList m_projectIds;
    Card* m_projectCard = nullptr;
    QVBoxLayout* m_projectRows = nullptr;
};

}  // namespace sunloco::ui
