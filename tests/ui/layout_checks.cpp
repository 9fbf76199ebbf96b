// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/layout_checks.h"

#include "ui/dashboard/chart_frame.h"
#include "ui/widgets/day_band.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/week_grid.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>

namespace sunloco::testing {
namespace {

// A font's overhang may stick out this far without a letter being cut.
constexpr int kTolerance = 1;
constexpr int kLongestWalk = 400;

void checkLabel(const QLabel* label, QStringList& cut)
{
    const QRect place = label->contentsRect();
    if (label->wordWrap()) {
        const int needs = label->heightForWidth(label->width());
        int widest = 0;
        // A line breaks at blanks; Chinese, Japanese and Korean text breaks between any two characters.
        for (const QString& word : label->text().split(u' '))
            if (std::none_of(word.begin(), word.end(), [](QChar letter) { return letter.unicode() >= 0x2e80; }))
                widest = std::max(widest, label->fontMetrics().horizontalAdvance(word));
        if (label->height() + kTolerance < needs || widest > place.width() + kTolerance)
            cut.append(QStringLiteral("label: %1 (has %2 x %3, needs %4 x %5)").arg(label->text()).arg(place.width()).arg(label->height()).arg(widest).arg(needs));
        return;
    }
    const int needs = label->fontMetrics().size(Qt::TextShowMnemonic, label->text()).width();
    if (needs > place.width() + kTolerance || label->fontMetrics().height() > label->height() + kTolerance)
        cut.append(QStringLiteral("label: %1 (has %2 x %3, needs %4)").arg(label->text()).arg(place.width()).arg(label->height()).arg(needs));
}

bool isControl(const QWidget* widget)
{
    if (!widget->isVisible() || !widget->isEnabled() || widget->focusPolicy() == Qt::NoFocus)
        return false;
    return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget)
        || (qobject_cast<const QLineEdit*>(widget) && !qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()))
        || qobject_cast<const QAbstractItemView*>(widget) || qobject_cast<const QPlainTextEdit*>(widget) || qobject_cast<const ui::ChartFrame*>(widget)
        || qobject_cast<const ui::WeekGrid*>(widget) || qobject_cast<const ui::DayBand*>(widget);
}

}  // namespace

QStringList cutTexts(QWidget* root)
{
    QStringList cut;
    for (QWidget* widget : root->findChildren<QWidget*>()) {
        if (!widget->isVisibleTo(root))
            continue;
        if (qobject_cast<ui::ElidedLabel*>(widget)) {
            const auto* label = static_cast<ui::ElidedLabel*>(widget);
            if (label->fontMetrics().horizontalAdvance(label->fullText()) > label->width() + kTolerance && label->toolTip() != label->fullText())
                cut.append(QStringLiteral("shortened without a tooltip: ") + label->fullText());
        } else if (const auto* label = qobject_cast<QLabel*>(widget)) {
            if (!label->text().isEmpty())
                checkLabel(label, cut);
        } else if (const auto* button = qobject_cast<QAbstractButton*>(widget)) {
            if (!button->text().isEmpty() && button->sizeHint().width() > button->width() + kTolerance)
                cut.append(QStringLiteral("button: %1 (has %2, needs %3)").arg(button->text()).arg(button->width()).arg(button->sizeHint().width()));
        } else if (qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSpinBox*>(widget)) {
            if (widget->minimumSizeHint().width() > widget->width() + kTolerance)
                cut.append(QStringLiteral("%1: %2").arg(QString::fromLatin1(widget->metaObject()->className()), widget->accessibleName()));
        } else if (auto* scroll = qobject_cast<QScrollArea*>(widget)) {
            if (scroll->widget() && scroll->horizontalScrollBarPolicy() == Qt::ScrollBarAlwaysOff && scroll->widget()->width() > scroll->viewport()->width())
                cut.append(QStringLiteral("page %1: %2 wide, shows %3").arg(scroll->accessibleName()).arg(scroll->widget()->width()).arg(scroll->viewport()->width()));
        }
    }
    return cut;
}

QList<QWidget*> tabWalk(QWidget* window)
{
    QList<QWidget*> reached;
    for (int i = 0; i < kLongestWalk; ++i) {
        QWidget* before = QApplication::focusWidget();
        QTest::keyClick(before ? before : window, Qt::Key_Tab);
        QWidget* now = QApplication::focusWidget();
        if (!now || reached.contains(now))
            break;
        reached.append(now);
    }
    return reached;
}

QList<QWidget*> controlsOf(QWidget* root)
{
    QList<QWidget*> found;
    for (QWidget* widget : root->findChildren<QWidget*>()) {
        // Radio buttons of one group share a tab stop: the chosen one.
        const auto* button = qobject_cast<QAbstractButton*>(widget);
        const bool otherOfGroup = button && button->autoExclusive() && !button->isChecked();
        // The text field of an editable list hands its focus to the list.
        if (isControl(widget) && !otherOfGroup && !widget->focusProxy())
            found.append(widget);
    }
    return found;
}

}  // namespace sunloco::testing
