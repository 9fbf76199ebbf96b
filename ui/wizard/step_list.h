// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/readable.h"
#include "ui/widgets/theme.h"

#include <QStringList>
#include <QWidget>

namespace sunloco::ui {

/// The wizard's side: done, present and coming steps by check, disc and ring.
class StepList : public QWidget, public Readable {
    Q_OBJECT
public:
    StepList(const Theme& theme, const QStringList& steps, QWidget* parent = nullptr);
    void setCurrent(int step);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }
    [[nodiscard]] QString accessibleValue() const override;
    [[nodiscard]] QAccessible::Role accessibleRole() const override { return QAccessible::StaticText; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme m_theme;
    QStringList m_steps;
    int m_current = 0;
};

}  // namespace sunloco::ui
