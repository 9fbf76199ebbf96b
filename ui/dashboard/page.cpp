// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/page.h"

#include "ui/widgets/card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
// A window of 860 px leaves its pages this much.
constexpr int kNarrow = 660;
}

Page::Page(const PageContext& context, QWidget* parent)
    : QScrollArea(parent)
    , m_context(context)
{
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    auto* inside = new QWidget;
    m_content = new QVBoxLayout(inside);
    m_content->setContentsMargins(24, 18, 24, 16);
    m_content->setSpacing(12);
    setWidget(inside);
}

void Page::setNarrow(bool) {}

void Page::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    const bool narrow = viewport()->width() < kNarrow;
    if (narrow == m_narrow)
        return;
    m_narrow = narrow;
    setNarrow(narrow);
}

QHBoxLayout* Page::addTitle(const QString& title)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    QLabel* label = makeLabel(title, TextSize::PageTitle, theme().text, Wrap::No, widget());
    label->setMinimumHeight(30);
    row->addWidget(label, 1);
    content()->addLayout(row);
    setAccessibleName(title);
    return row;
}

}  // namespace sunloco::ui
