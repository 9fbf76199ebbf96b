// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/card.h"

#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr qreal kRadius = 10;
}

Card::Card(const Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_body(new QVBoxLayout(this))
{
    m_body->setContentsMargins(16, 11, 16, 11);
    m_body->setSpacing(6);
    setAutoFillBackground(false);
}

void Card::makeHeadingRow()
{
    if (m_heading)
        return;
    m_row = new QHBoxLayout;
    m_row->setSpacing(12);
    m_heading = new ElidedLabel({}, this);
    m_heading->setFont(fontFor(TextSize::Heading, font()));
    m_heading->setPalette(m_theme.withText(palette(), m_theme.text));
    m_note = makeLabel({}, TextSize::Secondary, m_theme.text2, Wrap::No, this);
    m_note->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_row->addWidget(m_heading, 1);
    m_row->addWidget(m_note);
    m_body->insertLayout(0, m_row);
}

void Card::addToHeading(QWidget* widget)
{
    makeHeadingRow();
    m_row->addWidget(widget);
}

void Card::setHeading(const QString& heading)
{
    makeHeadingRow();
    m_heading->setFullText(heading);
    setAccessibleName(heading);
}

void Card::setNote(const QString& note)
{
    makeHeadingRow();
    m_note->setText(note);
}

void Card::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.line, 1));
    painter.setBrush(m_theme.card);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
}

QWidget* makeHairline(const Theme& theme, QWidget* parent)
{
    auto* line = new QWidget(parent);
    line->setFixedHeight(1);
    line->setAutoFillBackground(true);
    line->setBackgroundRole(QPalette::Window);
    QPalette palette = line->palette();
    palette.setColor(QPalette::Window, theme.line);
    line->setPalette(palette);
    return line;
}

QLabel* makeLabel(const QString& text, TextSize size, const QColor& color, Wrap wrap, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setFont(fontFor(size, label->font()));
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, color);
    label->setPalette(palette);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(wrap == Wrap::Yes);
    return label;
}

}  // namespace sunloco::ui
