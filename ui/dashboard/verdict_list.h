// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/verdict.h"
#include "ui/widgets/theme.h"

#include <QWidget>

class QVBoxLayout;

namespace sunloco::ui {

/// The few rules that matter at this moment: mark, name, value. Those that stop or limit come first, then those that allow.
class VerdictList : public QWidget {
    Q_OBJECT
public:
    explicit VerdictList(const Theme& theme, QWidget* parent = nullptr);
    void setDecision(const rules::Decision& decision);

private:
    Theme m_theme;
    QVBoxLayout* m_rows;
    std::vector<rules::Verdict> m_shown;
};

}  // namespace sunloco::ui
