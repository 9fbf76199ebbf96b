// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/settings.h"

#include <QSpinBox>

namespace sunloco::ui {

/// The spin box of a number setting. Where 0 has a word of its own ("Off", "No limit") it stands below the smallest number, with nothing between.
class NumberBox : public QSpinBox {
    Q_OBJECT
public:
    explicit NumberBox(const rules::SettingSpec& spec, QWidget* parent = nullptr);

protected:
    void stepBy(int steps) override;
    QValidator::State validate(QString& input, int& position) const override;
    void fixup(QString& input) const override;
    void wheelEvent(QWheelEvent* event) override;

private:
    int m_least;      // smallest number that is not 0
};

/// " min", " %" … as it stands behind a number.
[[nodiscard]] QString unitSuffix(rules::SettingUnit unit);
/// "Off", "No limit", "Automatic".
[[nodiscard]] QString zeroWord(rules::ZeroMeaning zero);

}  // namespace sunloco::ui
