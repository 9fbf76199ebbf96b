// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/widgets/theme.h"

#include <QObject>

#include <memory>
#include <optional>

class QAction;
class QMenu;
class QSystemTrayIcon;

namespace sunloco::ui {

class UiState;

/// The tray icon with its menu. The first three rows of the menu are the sentence, so that it can be read where no tooltip is shown.
/// Only text, icon, check mark, separator and submenu are used: all that menus over D-Bus carry.
class TrayIcon : public QObject {
    Q_OBJECT
public:
    TrayIcon(agent::AgentApi& agent, UiState& state, const Theme& theme, QObject* parent = nullptr);
    ~TrayIcon() override;

    void show();
    /// Texts in the present language and colours of another theme.
    void rebuild(const Theme& theme);
    void say(const QString& title, const QString& text);
    [[nodiscard]] QMenu* menu() const { return m_menu.get(); }
    [[nodiscard]] QSystemTrayIcon* icon() const { return m_icon; }

Q_SIGNALS:
    void openRequested();
    void whyRequested();
    void settingsRequested();
    void joinRequested();
    void quitRequested();

private:
    void buildMenu();
    void refresh();
    void refreshDevices();

    agent::AgentApi& m_agent;
    UiState& m_state;
    Theme m_theme;
    QSystemTrayIcon* m_icon;
    std::unique_ptr<QMenu> m_menu;
    QAction* m_title = nullptr;
    QAction* m_reason = nullptr;
    QAction* m_next = nullptr;
    QMenu* m_pause = nullptr;
    QMenu* m_run = nullptr;
    QMenu* m_devices = nullptr;
    QAction* m_resume = nullptr;
    QAction* m_join = nullptr;
    std::optional<agent::State> m_shown;
};

}  // namespace sunloco::ui
