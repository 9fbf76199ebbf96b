// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDialog>

namespace sunloco::ui {

struct Theme;

/// Shown while quitting takes longer than a second: what is being saved, and a way out.
class SavingDialog : public QDialog {
    Q_OBJECT
public:
    explicit SavingDialog(const Theme& theme, QWidget* parent = nullptr);

Q_SIGNALS:
    void quitAtOnce();
};

}  // namespace sunloco::ui
