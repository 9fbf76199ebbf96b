// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ui/widgets/theme.h"

#include <QWidget>

class QLabel;

namespace sunloco::ui {

/// One number with its unit, what it is, and a quiet note: "9,600" / "tokens/s" / "not slowed". Unknown is a word, never 0.
class Figure : public QWidget {
    Q_OBJECT
public:
    explicit Figure(const Theme& theme, QWidget* parent = nullptr);
    void set(const QString& number, const QString& what, const QString& note);
    [[nodiscard]] QString number() const;
    [[nodiscard]] QString note() const;

private:
    QLabel* m_number;
    QLabel* m_what;
    QLabel* m_note;
};

}  // namespace sunloco::ui
