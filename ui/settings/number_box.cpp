// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/number_box.h"

#include <QWheelEvent>

#include <algorithm>
#include <limits>

namespace sunloco::ui {

QString unitSuffix(rules::SettingUnit unit)
{
    switch (unit) {
    case rules::SettingUnit::None: return {};
    case rules::SettingUnit::Minutes: return NumberBox::tr(" min", "minutes, behind a number");
    case rules::SettingUnit::Percent: return NumberBox::tr(" %", "percent, behind a number");
    case rules::SettingUnit::KibPerSecond: return NumberBox::tr(" KiB/s", "behind a number");
    case rules::SettingUnit::Gib: return NumberBox::tr(" GiB", "behind a number");
    case rules::SettingUnit::Threads: return NumberBox::tr(" threads", "behind a number");
    }
    return {};
}

QString zeroWord(rules::ZeroMeaning zero)
{
    switch (zero) {
    case rules::ZeroMeaning::NotAllowed: return {};
    case rules::ZeroMeaning::Off: return NumberBox::tr("Off");
    case rules::ZeroMeaning::NoLimit: return NumberBox::tr("No limit");
    case rules::ZeroMeaning::Automatic: return NumberBox::tr("Automatic");
    }
    return {};
}

NumberBox::NumberBox(const rules::SettingSpec& spec, QWidget* parent)
    : QSpinBox(parent)
    , m_least(static_cast<int>(spec.min))
{
    const bool zeroAllowed = spec.zero != rules::ZeroMeaning::NotAllowed;
    setRange(zeroAllowed ? 0 : m_least, static_cast<int>(std::min<std::int64_t>(spec.max, std::numeric_limits<int>::max())));
    if (zeroAllowed)
        setSpecialValueText(zeroWord(spec.zero));
    setSuffix(unitSuffix(spec.unit));
    setGroupSeparatorShown(true);
    setAlignment(Qt::AlignRight);
    setKeyboardTracking(false);
    setFocusPolicy(Qt::StrongFocus);
    if (spec.unit == rules::SettingUnit::Percent)
        setSingleStep(5);
    else if (spec.unit == rules::SettingUnit::KibPerSecond)
        setSingleStep(64);
}

void NumberBox::stepBy(int steps)
{
    const int before = value();
    if (minimum() == 0 && before == 0 && steps > 0 && m_least > 1)
        setValue(m_least);
    else if (minimum() == 0 && before > 0 && before + steps * singleStep() < m_least)
        setValue(before > m_least ? m_least : 0);
    else
        QSpinBox::stepBy(steps);
}

QValidator::State NumberBox::validate(QString& input, int& position) const
{
    const QValidator::State state = QSpinBox::validate(input, position);
    if (state != QValidator::Acceptable)
        return state;
    const int number = valueFromText(input);
    return number > 0 && number < m_least ? QValidator::Intermediate : state;
}

void NumberBox::fixup(QString& input) const
{
    const int number = valueFromText(input);
    if (number > 0 && number < m_least)
        input = textFromValue(m_least);
    else
        QSpinBox::fixup(input);
}

void NumberBox::wheelEvent(QWheelEvent* event)
{
    // Scrolling the page must not change a number that happens to lie under the pointer.
    if (hasFocus())
        QSpinBox::wheelEvent(event);
    else
        event->ignore();
}

}  // namespace sunloco::ui
