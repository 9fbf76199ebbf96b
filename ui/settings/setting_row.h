// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/settings.h"
#include "ui/widgets/theme.h"

#include <QString>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace sunloco::agent {
class AgentApi;
}

namespace sunloco::ui {

class Mnemonics;
class NumberBox;
class VerdictMark;
class WeekGrid;

enum class ShowVerdict { No, Yes };

/// One row of the settings page, made from one row of the settings table: label, control, what its rule says right now, and a way back to the
/// default. Every change goes to the agent at once; what it refuses is said below the label and the old value comes back.
class SettingRow : public QWidget {
    Q_OBJECT
public:
    /// `key` is the full key; for device rows `title` is the device's name instead of the table's text.
    SettingRow(const rules::SettingSpec& spec, const QString& key, const QString& title, agent::AgentApi& agent, const Theme& theme, ShowVerdict verdict,
               Mnemonics& mnemonics, QWidget* parent = nullptr);

    void setValues(const rules::Settings& settings);
    void setVerdict(const rules::Decision& decision);
    [[nodiscard]] QString key() const { return m_key; }
    [[nodiscard]] QWidget* control() const { return m_control; }
    [[nodiscard]] QString problem() const;

    /// The verdict moves below the label.
    void setNarrow(bool narrow);

    /// The table's English text in the present language.
    [[nodiscard]] static QString translated(std::string_view source);

private:
    void makeControl();
    void makeChoices();
    void makeProxyControl();
    void makeWeekControl();
    QWidget* makeSide(ShowVerdict verdict);
    void layOut();
    void send(const QString& value);
    void reset();
    void say(const QString& problem);
    void copyDay();

    const rules::SettingSpec& m_spec;
    QString m_key;
    QString m_title;
    agent::AgentApi& m_agent;
    Theme m_theme;
    QLabel* m_label;
    QLabel* m_help;
    QWidget* m_control = nullptr;
    QCheckBox* m_check = nullptr;
    NumberBox* m_number = nullptr;
    QComboBox* m_choice = nullptr;
    WeekGrid* m_week = nullptr;
    QToolButton* m_reset;
    QGridLayout* m_grid = nullptr;
    QWidget* m_side = nullptr;
    VerdictMark* m_mark = nullptr;
    QLabel* m_verdict = nullptr;
    bool m_showProblem = false;
};

}  // namespace sunloco::ui
