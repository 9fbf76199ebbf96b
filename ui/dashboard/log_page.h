// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/dashboard/page.h"

#include <QStringList>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace sunloco::ui {

/// The agent's log: filter, copy, follow.
class LogPage : public Page {
    Q_OBJECT
public:
    explicit LogPage(const PageContext& context, QWidget* parent = nullptr);
    void refresh() override;

private:
    void append(const QString& line);
    void applyFilter();
    void copyShown();
    [[nodiscard]] bool matches(const QString& line) const;

    QStringList m_lines;
    qsizetype m_shown = 0;
    QLineEdit* m_filter;
    QCheckBox* m_follow;
    QPlainTextEdit* m_text;
    QLabel* m_count;
};

}  // namespace sunloco::ui
