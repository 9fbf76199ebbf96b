// SPDX-License-Identifier: Apache-2.0
#include "ui/tray/saving_dialog.h"

#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace sunloco::ui {

SavingDialog::SavingDialog(const Theme& theme, QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(tr("Quit SunLoCo"));
    setWindowIcon(icons::application());
    setPalette(theme.palette(palette()));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(10);
    column->addWidget(makeLabel(tr("Saving the work of this round"), TextSize::Heading, theme.text, Wrap::Yes, this));
    column->addWidget(makeLabel(tr("Training goes on from here at the next start."), TextSize::Body, theme.text2, Wrap::Yes, this));
    auto* progress = new QProgressBar(this);
    progress->setRange(0, 0);
    progress->setTextVisible(false);
    progress->setAccessibleName(tr("Saving"));
    column->addWidget(progress);
    auto* now = new QPushButton(tr("&Quit without saving"), this);
    column->addWidget(now, 0, Qt::AlignRight);
    connect(now, &QPushButton::clicked, this, &SavingDialog::quitAtOnce);
    setMinimumWidth(360);
}

}  // namespace sunloco::ui
