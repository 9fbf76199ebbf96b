// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/widgets/language.h"
#include "ui/widgets/theme.h"

#include <QObject>
#include <QPointer>

#include <memory>

namespace sunloco::ui {

class JoinWizard;
class MainWindow;
class SavingDialog;
class TrayIcon;
class UiState;

enum class StartAs { Window, Minimized };
/// Auto: a tray icon where the desktop has a tray, else a normal window only.
enum class TrayUse { Auto, Always, Never };

/// The whole front end of one agent: tray icon, window, wizard, and what happens when they are closed. Windows are made when they are needed
/// and made anew when the language or the system's colours change.
class DesktopShell : public QObject {
    Q_OBJECT
public:
    DesktopShell(agent::AgentApi& agent, UiState& state, TrayUse tray, QObject* parent = nullptr);
    ~DesktopShell() override;

    void start(StartAs how);
    /// Shows the window above the others; what a second start asks for.
    void raiseWindow();
    void showPage(const QString& id);
    void openWizard(const QString& link = {});
    /// Saves the work, then emits finished(). Asks nothing.
    void quit();

    [[nodiscard]] MainWindow* window() const { return m_window.get(); }
    [[nodiscard]] TrayIcon* tray() const { return m_tray.get(); }
    [[nodiscard]] JoinWizard* wizard() const;

Q_SIGNALS:
    void finished();
    /// What was said about the program going on without its window; for the tray it is a message, else a dialog.
    void saidThatItGoesOn(const QString& text);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void makeWindow();
    void rebuild();
    void windowClosed();
    void sayThatItGoesOn();
    void agentFinished();

    agent::AgentApi& m_agent;
    UiState& m_state;
    Language m_language;
    Theme m_theme;
    std::unique_ptr<TrayIcon> m_tray;
    std::unique_ptr<MainWindow> m_window;
    QPointer<JoinWizard> m_wizard;
    bool m_wizardIsInvitation = false;   ///< it opened by itself at the first start
    std::unique_ptr<SavingDialog> m_saving;
    bool m_quitting = false;
    bool m_finished = false;
};

}  // namespace sunloco::ui
