// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/day_chart.h"

#include "app/text/format.h"
#include "ui/dashboard/chart_style.h"

#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBarSeries>
#include <QtCharts/QBarSet>
#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QValueAxis>

#include <QDateTime>
#include <QGraphicsSimpleTextItem>
#include <QLocale>
#include <QMouseEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace sunloco::ui {
namespace {

/// The axis end: the next 1, 2, 4, 5 or 10 times a power of ten, so that two equal steps end on round numbers.
double niceTop(double value)
{
    const double power = std::pow(10.0, std::floor(std::log10(std::max(value, 1.0))));
    for (const double factor : {1.0, 2.0, 4.0, 5.0, 6.0, 8.0})
        if (value <= factor * power)
            return factor * power;
    return 10 * power;
}

QDate dateOf(const agent::DayTotals& day)
{
    // The totals are by UTC day.
    return QDateTime::fromMSecsSinceEpoch(day.dayStartUtc, Qt::UTC).date();
}

}  // namespace

struct DayChart::Parts {
    QChart* chart = nullptr;
    QChartView* view = nullptr;
    QBarSeries* series = nullptr;
    QBarSet* bars = nullptr;
    QBarCategoryAxis* days = nullptr;
    QValueAxis* values = nullptr;
    QVector<QGraphicsSimpleTextItem*> dates;
};

DayChart::DayChart(const Theme& theme, DayValue value, QWidget* parent)
    : ChartFrame(theme, parent)
    , m_value(value)
    , m_parts(std::make_unique<Parts>())
{
    setAccessibleName(value == DayValue::Tokens ? tr("Tokens a day") : tr("Rounds accepted a day"));
    Parts& p = *m_parts;
    p.chart = plainChart();
    // The axis would give a date the width of one bar; the dates are written by placeDates() into this margin.
    p.chart->setMargins(QMargins(0, 4, 4, QFontMetrics(fontFor(TextSize::Axis, font())).height() + 2));
    p.days = new QBarCategoryAxis(p.chart);
    p.values = new QValueAxis(p.chart);
    for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(p.days), static_cast<QAbstractAxis*>(p.values)}) {
        styleAxis(axis, theme, fontFor(TextSize::Axis, font()));
    }
    p.days->setGridLineVisible(false);
    p.days->setLabelsVisible(false);
    p.values->setLineVisible(false);
    p.values->setTickCount(3);
    p.series = new QBarSeries(p.chart);
    p.series->setBarWidth(0.7);
    p.chart->addSeries(p.series);
    p.chart->addAxis(p.days, Qt::AlignBottom);
    p.chart->addAxis(p.values, Qt::AlignLeft);
    p.series->attachAxis(p.days);
    p.series->attachAxis(p.values);
    p.view = plainChartView(p.chart, this);
    connect(p.chart, &QChart::plotAreaChanged, this, &DayChart::placeDates);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(3, 3, 3, 3);
    column->addWidget(p.view);
    setMinimumHeight(120);
}

DayChart::~DayChart() = default;

double DayChart::valueOf(const agent::DayTotals& day) const
{
    return static_cast<double>(m_value == DayValue::Tokens ? day.tokens : day.rounds);
}

void DayChart::setDays(const QVector<agent::DayTotals>& days)
{
    Parts& p = *m_parts;
    m_days = days;
    std::sort(m_days.begin(), m_days.end(), [](const auto& a, const auto& b) { return a.dayStartUtc < b.dayStartUtc; });
    p.series->clear();
    p.days->clear();
    p.bars = new QBarSet(accessibleName());
    p.bars->setColor(theme().train);
    p.bars->setBorderColor(Qt::transparent);
    p.bars->setSelectedColor(theme().text);
    double highest = 0;
    for (const agent::DayTotals& day : std::as_const(m_days))
        highest = std::max(highest, valueOf(day));
    // Millions, thousands or plain numbers, so that the axis words stay short.
    const double unit = m_value == DayValue::Rounds || highest < 10'000 ? 1 : highest < 1'000'000 ? 1e3 : 1e6;
    for (qsizetype i = 0; i < m_days.size(); ++i) {
        *p.bars << valueOf(m_days[i]) / unit;
        p.days->append(QString::number(i));
    }
    p.series->append(p.bars);
    const double top = niceTop(std::max(highest / unit, m_value == DayValue::Rounds ? 2.0 : 1.0));
    const QString suffix = unit >= 1e6 ? tr(" M", "short for million, behind a number") : unit >= 1e3 ? tr(" k", "short for thousand, behind a number") : QString();
    p.values->setLabelFormat((top < 2 ? QStringLiteral("%.1f") : QStringLiteral("%.0f")) % suffix);
    p.values->setRange(0, top);
    placeDates();
    if (current() < 0)
        Q_EMIT pointed({});
}

void DayChart::placeDates()
{
    Parts& p = *m_parts;
    qDeleteAll(p.dates);
    p.dates.clear();
    const QRectF area = p.chart->plotArea();
    const int count = static_cast<int>(m_days.size());
    if (count == 0 || area.width() < 40)
        return;
    // The newest day is always written, others where there is room.
    qreal free = std::numeric_limits<qreal>::max();
    for (int day = count - 1; day >= 0; --day) {
        auto* word = new QGraphicsSimpleTextItem(QLocale().toString(dateOf(m_days[day]), tr("d MMM", "date format: day and short month")), p.chart);
        word->setFont(fontFor(TextSize::Axis, font()));
        word->setBrush(theme().text2);
        const qreal width = word->boundingRect().width();
        const qreal middle = area.left() + (day + 0.5) * area.width() / count;
        const qreal left = std::min(middle - width / 2, area.right() - width);
        if (left + width + 12 > free || left < area.left() - 4) {
            delete word;
            continue;
        }
        free = left;
        word->setPos(left, area.bottom() + 4);
        p.dates.append(word);
    }
}

void DayChart::resizeEvent(QResizeEvent* event)
{
    ChartFrame::resizeEvent(event);
    placeDates();
}

QString DayChart::totalText() const
{
    qint64 total = 0;
    for (const agent::DayTotals& day : m_days)
        total += m_value == DayValue::Tokens ? day.tokens : day.rounds;
    const QString days = tr("%n days", nullptr, static_cast<int>(m_days.size()));
    if (m_value == DayValue::Rounds)
        return tr("%1: %2").arg(days, tr("%n rounds", nullptr, static_cast<int>(total)));
    return tr("%1: %2 tokens").arg(days, QLocale().toString(total));
}

QString DayChart::pointText(int point) const
{
    const agent::DayTotals& day = m_days[point];
    const QLocale locale;
    QString energy = text::formatEnergy(day.wattHours);
    if (day.energyIsEstimate)
        energy = tr("%1 est.").arg(energy);
    return tr("%1: %2 tokens, %3, %4")
        .arg(locale.toString(dateOf(day), QLocale::ShortFormat), locale.toString(day.tokens), tr("%n rounds", nullptr, static_cast<int>(day.rounds)), energy);
}

QString DayChart::summary() const
{
    const bool any = std::any_of(m_days.begin(), m_days.end(), [this](const auto& day) { return valueOf(day) > 0; });
    return any ? tr("%n days", nullptr, static_cast<int>(m_days.size())) : tr("no value yet");
}

QStringList DayChart::tableHeader() const
{
    return {tr("Day"), tr("Tokens"), tr("Rounds"), tr("kWh")};
}

QStringList DayChart::tableRow(int point) const
{
    const agent::DayTotals& day = m_days[point];
    const QLocale locale;
    return {locale.toString(dateOf(day), QLocale::ShortFormat), locale.toString(day.tokens), locale.toString(day.rounds),
            locale.toString(day.wattHours / 1000.0, 'f', 3)};
}

void DayChart::markPoint(int point)
{
    if (!m_parts->bars)
        return;
    m_parts->bars->deselectAllBars();
    if (point >= 0)
        m_parts->bars->selectBar(point);
}

bool DayChart::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseMove && !m_days.isEmpty()) {
        const QPointF scene = m_parts->view->mapToScene(static_cast<QMouseEvent*>(event)->position().toPoint());
        const double x = m_parts->chart->mapToValue(m_parts->chart->mapFromScene(scene), m_parts->series).x();
        setCurrent(std::clamp(static_cast<int>(std::lround(x)), 0, static_cast<int>(m_days.size()) - 1));
    } else if (event->type() == QEvent::Leave && !hasFocus()) {
        setCurrent(-1);
    }
    return ChartFrame::eventFilter(watched, event);
}

}  // namespace sunloco::ui
