// SPDX-License-Identifier: Apache-2.0
#include "ui/wizard/step_list.h"

#include "ui/widgets/icons.h"
#include "ui/widgets/verdict_mark.h"

#include <QLocale>
#include <QPainter>

namespace sunloco::ui {
namespace {
constexpr int kRow = 28;
constexpr int kTop = 66;
constexpr int kIcon = 36;
constexpr int kLeft = 12;
constexpr int kTextLeft = kLeft + 24;
}  // namespace

StepList::StepList(const Theme& theme, const QStringList& steps, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_steps(steps)
{
    setAccessibleName(tr("Steps"));
}

QSize StepList::sizeHint() const
{
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(bold);
    int widest = 0;
    for (const QString& step : m_steps)
        widest = std::max(widest, metrics.horizontalAdvance(step));
    return {std::max(140, kTextLeft + widest + 16), kTop + static_cast<int>(m_steps.size()) * kRow + 16};
}

void StepList::setCurrent(int step)
{
    if (step < 0)
        return;
    m_current = step;
    announceValue(this);
    update();
}

QString StepList::accessibleValue() const
{
    const QLocale locale;
    return tr("Step %1 of %2: %3").arg(locale.toString(m_current + 1), locale.toString(m_steps.size()), m_steps.value(m_current));
}

void StepList::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_theme.line);
    painter.drawLine(QPointF(width() - 0.5, 0), QPointF(width() - 0.5, height()));
    icons::application().paint(&painter, QRect(kLeft, 16, kIcon, kIcon));
    for (int i = 0; i < m_steps.size(); ++i) {
        const QRectF row(kLeft, kTop + i * kRow, width() - kLeft, kRow);
        const QPointF dot(kLeft + 8, row.center().y());
        if (i < m_current) {
            Theme marks = m_theme;
            marks.train = m_theme.text;
            paintMark(painter, QRectF(kLeft, row.center().y() - 8, 16, 16), Mark::Allows, marks);
        } else {
            painter.setPen(i == m_current ? QPen(Qt::NoPen) : QPen(m_theme.control, 1.5));
            painter.setBrush(i == m_current ? QBrush(m_theme.accent) : QBrush(Qt::NoBrush));
            painter.drawEllipse(dot, 4, 4);
        }
        QFont text = font();
        text.setWeight(i == m_current ? QFont::DemiBold : QFont::Normal);
        painter.setFont(text);
        painter.setPen(i == m_current ? m_theme.accent : i < m_current ? m_theme.text : m_theme.text2);
        painter.drawText(row.adjusted(kTextLeft - kLeft, 0, 0, 0), static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft), m_steps[i]);
    }
}

}  // namespace sunloco::ui
