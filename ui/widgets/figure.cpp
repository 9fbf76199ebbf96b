// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/figure.h"

#include "ui/widgets/card.h"

#include <QLabel>
#include <QVBoxLayout>

namespace sunloco::ui {

Figure::Figure(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_number(makeLabel({}, TextSize::Figure, theme.text, Wrap::No, this))
    , m_what(makeLabel({}, TextSize::Secondary, theme.text, Wrap::No, this))
    , m_note(makeLabel({}, TextSize::Secondary, theme.text2, Wrap::Yes, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_number);
    column->addWidget(m_what);
    column->addWidget(m_note);
    column->addStretch(1);
}

void Figure::set(const QString& number, const QString& what, const QString& note)
{
    m_number->setText(number);
    m_what->setText(what);
    m_note->setText(note);
    setAccessibleName(what);
    setAccessibleDescription(note.isEmpty() ? number : number % u", " % note);
}

QString Figure::number() const
{
    return m_number->text();
}

QString Figure::note() const
{
    return m_note->text();
}

}  // namespace sunloco::ui
