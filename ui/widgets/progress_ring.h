// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/readable.h"
#include "ui/widgets/theme.h"

#include <QWidget>

namespace sunloco::ui {

/// How far the running round is: a ring with the percentage inside. Moves only when a step count arrives.
class ProgressRing : public QWidget, public Readable {
    Q_OBJECT
public:
    explicit ProgressRing(const Theme& theme, QWidget* parent = nullptr);

    /// `steps` 0 = unknown: an empty ring and no number.
    void setProgress(qint64 step, qint64 steps);
    void setColor(const QColor& color);

    [[nodiscard]] QSize sizeHint() const override { return {76, 76}; }
    [[nodiscard]] QString accessibleValue() const override;
    [[nodiscard]] QAccessible::Role accessibleRole() const override { return QAccessible::ProgressBar; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int percent() const;

    Theme m_theme;
    QColor m_color;
    qint64 m_step = 0;
    qint64 m_steps = 0;
};

}  // namespace sunloco::ui
