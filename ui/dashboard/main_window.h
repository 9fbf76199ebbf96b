// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/dashboard/page.h"

#include <QHash>
#include <QMainWindow>

#include <functional>

class QLabel;
class QStackedWidget;

namespace sunloco::ui {

class NavList;
class NowPage;
class UiState;

/// The window: sidebar and pages. A page is made when it is first shown, so that a program that stays in the tray stays small.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(agent::AgentApi& agent, UiState& state, const Theme& theme, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// "now", "why", "contribution", "log", "settings".
    void showPage(const QString& id);
    [[nodiscard]] QString currentPage() const;
    [[nodiscard]] Page* page(const QString& id) const { return m_pages.value(id); }

Q_SIGNALS:
    void joinRequested();
    void quitRequested();
    /// The window was closed by the person; training goes on.
    void closed();

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildSidebar();
    void buildShortcuts();
    [[nodiscard]] Page* makePage(const QString& id);
    void refresh();
    void refreshFoot();

    agent::AgentApi& m_agent;
    UiState& m_state;
    Theme m_theme;
    QWidget* m_side;
    NavList* m_nav;
    QLabel* m_foot;
    QWidget* m_footLine;
    QStackedWidget* m_stack;
    QHash<QString, Page*> m_pages;
};

}  // namespace sunloco::ui
