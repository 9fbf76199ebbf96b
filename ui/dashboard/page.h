// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QScrollArea>

class QHBoxLayout;
class QVBoxLayout;

namespace sunloco::agent {
class AgentApi;
}

namespace sunloco::ui {

/// What every page is made from.
struct PageContext {
    agent::AgentApi& agent;
    Theme theme;
};

/// A scrolling page. It is filled anew by refresh() when it is shown and, while it is visible, whenever the agent has something new.
class Page : public QScrollArea {
    Q_OBJECT
public:
    explicit Page(const PageContext& context, QWidget* parent = nullptr);

    virtual void refresh() = 0;

protected:
    /// The page is too narrow for two columns; called when that changes.
    virtual void setNarrow(bool narrow);
    [[nodiscard]] bool isNarrow() const { return m_narrow; }
    void resizeEvent(QResizeEvent* event) override;
    [[nodiscard]] agent::AgentApi& agent() const { return m_context.agent; }
    [[nodiscard]] const Theme& theme() const { return m_context.theme; }
    [[nodiscard]] QVBoxLayout* content() const { return m_content; }
    /// The page's title with room for buttons on its right.
    QHBoxLayout* addTitle(const QString& title);

private:
    PageContext m_context;
    QVBoxLayout* m_content;
    bool m_narrow = false;
};

}  // namespace sunloco::ui
