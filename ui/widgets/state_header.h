// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "ui/widgets/theme.h"

#include <QWidget>

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace sunloco::ui {

/// The state's shape on a quiet disc.
class StateDisc : public QWidget {
    Q_OBJECT
public:
    explicit StateDisc(const Theme& theme, QWidget* parent = nullptr);
    void setState(agent::State state);
    [[nodiscard]] QSize sizeHint() const override { return {44, 44}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme m_theme;
    agent::State m_state = agent::State::Waiting;
};

/// State, reason with number and limit, next event; and the two things a person may want now. Every page that shows a state begins with it.
class StateHeader : public QWidget {
    Q_OBJECT
public:
    explicit StateHeader(const Theme& theme, QWidget* parent = nullptr);

    void setSentence(agent::State state, const QString& title, const QString& reason, const QString& next);
    /// The split button beside Why?: its own click and the menu behind its arrow. A null menu leaves a plain button.
    void setMainAction(const QString& text, QMenu* menu, const QString& toolTip);
    void setSecondAction(const QString& text);
    void openMenu();

    [[nodiscard]] QToolButton* mainButton() const { return m_main; }
    [[nodiscard]] QPushButton* secondButton() const { return m_second; }
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString reason() const;
    [[nodiscard]] QString next() const;

Q_SIGNALS:
    void mainTriggered();
    void secondTriggered();

private:
    Theme m_theme;
    StateDisc* m_disc;
    QLabel* m_title;
    QLabel* m_reason;
    QLabel* m_next;
    QPushButton* m_second;
    QToolButton* m_main;
};

}  // namespace sunloco::ui
