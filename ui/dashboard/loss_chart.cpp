// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/loss_chart.h"

#include "ui/dashboard/chart_style.h"

#include <QtCharts/QChart>
#include <QtCharts/QChartView>
#include <QtCharts/QLineSeries>
#include <QtCharts/QScatterSeries>
#include <QtCharts/QValueAxis>

#include <QDateTime>
#include <QGraphicsLineItem>
#include <QGraphicsSimpleTextItem>
#include <QLocale>
#include <QMouseEvent>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace sunloco::ui {
namespace {

constexpr int kEndWords = 96;   // room at the right for the present value

/// 1, 2 or 5 times a power of ten: the step that gives about `count` ticks over `span`.
double niceStep(double span, int count)
{
    const double raw = std::max(span, 1e-9) / count;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (raw <= factor * power)
            return factor * power;
    return 10 * power;
}

QString lossText(double loss)
{
    return QLocale().toString(loss, 'f', 3);
}

}  // namespace

struct LossChart::Parts {
    QChart* chart = nullptr;
    QChartView* view = nullptr;
    QValueAxis* rounds = nullptr;
    QValueAxis* loss = nullptr;
    QScatterSeries* end = nullptr;
    QScatterSeries* mark = nullptr;
    QGraphicsSimpleTextItem* value = nullptr;
    QGraphicsSimpleTextItem* valueRound = nullptr;
    QGraphicsLineItem* joinedLine = nullptr;
    QGraphicsSimpleTextItem* joined = nullptr;
    QVector<QLineSeries*> lines;
    QVector<QGraphicsSimpleTextItem*> lossWords;   // the loss axis, written here: in the person's number format and never shortened
    double step = 1;
};

LossChart::LossChart(const Theme& theme, QWidget* parent)
    : ChartFrame(theme, parent)
    , m_parts(std::make_unique<Parts>())
{
    setAccessibleName(tr("Held-out loss by round"));
    Parts& p = *m_parts;
    p.chart = plainChart();
    p.chart->setMargins(QMargins(QFontMetrics(fontFor(TextSize::Axis, font())).horizontalAdvance(QStringLiteral("00.00")) + 6, 4, kEndWords, 0));
    p.rounds = new QValueAxis(p.chart);
    p.loss = new QValueAxis(p.chart);
    const QFont axisFont = fontFor(TextSize::Axis, font());
    for (QValueAxis* axis : {p.rounds, p.loss}) {
        styleAxis(axis, theme, axisFont);
    }
    p.rounds->setGridLineVisible(false);
    p.loss->setLineVisible(false);
    p.loss->setLabelsVisible(false);
    p.rounds->setTickType(QValueAxis::TicksDynamic);
    p.rounds->setLabelFormat(QStringLiteral("%.0f"));
    p.chart->addAxis(p.rounds, Qt::AlignBottom);
    p.chart->addAxis(p.loss, Qt::AlignLeft);
    for (QScatterSeries** series : {&p.end, &p.mark}) {
        *series = new QScatterSeries(p.chart);
        (*series)->setColor(series == &p.end ? theme.text : theme.accent);
        (*series)->setBorderColor(Qt::transparent);
        (*series)->setMarkerSize(series == &p.end ? 8 : 10);
        p.chart->addSeries(*series);
        (*series)->attachAxis(p.rounds);
        (*series)->attachAxis(p.loss);
    }
    p.view = plainChartView(p.chart, this);
    p.view->setRenderHint(QPainter::Antialiasing);
    const auto word = [&](TextSize size, const QColor& color) {
        auto* item = new QGraphicsSimpleTextItem(p.chart);
        item->setFont(fontFor(size, font()));
        item->setBrush(color);
        item->setZValue(20);
        return item;
    };
    p.value = word(TextSize::Heading, theme.text);
    p.valueRound = word(TextSize::Axis, theme.text2);
    p.joined = word(TextSize::Axis, theme.text);
    p.joinedLine = new QGraphicsLineItem(p.chart);
    p.joinedLine->setPen(QPen(theme.accent, 1, Qt::DotLine));
    p.joinedLine->setZValue(15);
    connect(p.chart, &QChart::plotAreaChanged, this, &LossChart::placeWords);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(3, 3, 3, 3);
    column->addWidget(p.view);
    setMinimumHeight(150);
}

LossChart::~LossChart() = default;

void LossChart::setPoints(const QVector<agent::LossPoint>& points, qint64 joinedAt)
{
    Parts& p = *m_parts;
    m_points = points;
    std::sort(m_points.begin(), m_points.end(), [](const auto& a, const auto& b) { return a.round < b.round; });
    m_joinedAt = joinedAt;
    m_joinedRound = 0;
    for (QLineSeries* line : std::as_const(p.lines)) {
        p.chart->removeSeries(line);
        delete line;
    }
    p.lines.clear();
    p.end->clear();
    p.mark->clear();

    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    QLineSeries* line = nullptr;
    const agent::LossPoint* last = nullptr;
    for (const agent::LossPoint& point : std::as_const(m_points)) {
        if (m_joinedRound == 0 && joinedAt > 0 && point.closedAt >= joinedAt && point.round > 0)
            m_joinedRound = point.round;
        if (!point.heldOutLoss || !std::isfinite(*point.heldOutLoss)) {
            line = nullptr;   // the line never runs over a gap
            continue;
        }
        if (!line) {
            line = new QLineSeries(p.chart);
            line->setPen(QPen(theme().text, 1.6));
            p.lines.append(line);
        }
        line->append(static_cast<double>(point.round), *point.heldOutLoss);
        low = std::min(low, *point.heldOutLoss);
        high = std::max(high, *point.heldOutLoss);
        last = &point;
    }
    for (QLineSeries* each : std::as_const(p.lines)) {
        p.chart->addSeries(each);
        each->attachAxis(p.rounds);
        each->attachAxis(p.loss);
    }
    p.value->setVisible(last != nullptr);
    p.valueRound->setVisible(last != nullptr);
    if (last) {
        p.end->append(static_cast<double>(last->round), *last->heldOutLoss);
        p.value->setText(lossText(*last->heldOutLoss));
        p.valueRound->setText(tr("round %1").arg(QLocale().toString(last->round)));
        const double step = niceStep(std::max(high - low, 0.02), 4);
        p.step = step;
        const double bottom = std::floor((low - step * 0.2) / step) * step;
        const double top = std::ceil((high + step * 0.1) / step) * step;
        p.loss->setTickCount(static_cast<int>(std::lround((top - bottom) / step)) + 1);
        p.loss->setRange(bottom, top);
        const double first = static_cast<double>(m_points.front().round);
        const double end = std::max(static_cast<double>(m_points.back().round), first + 1);
        p.rounds->setTickAnchor(0);
        p.rounds->setTickInterval(std::max(1.0, niceStep(end - first, 6)));
        // A little room, so that the last dot is whole.
        p.rounds->setRange(first, end + (end - first) * 0.01);
    }
    if (m_joinedRound > 0) {
        const QString day = QLocale().toString(QDateTime::fromMSecsSinceEpoch(joinedAt).date(), tr("d MMMM", "date format: day and month"));
        p.joined->setText(tr("You joined, %1").arg(day));
    }
    placeWords();
}

void LossChart::placeWords()
{
    Parts& p = *m_parts;
    const QRectF area = p.chart->plotArea();
    qDeleteAll(p.lossWords);
    p.lossWords.clear();
    if (p.end->count() > 0) {
        const int decimals = p.step >= 1 ? 0 : p.step >= 0.1 ? 1 : 2;
        qreal free = std::numeric_limits<qreal>::max();
        for (int i = 0; i < p.loss->tickCount(); ++i) {
            const double loss = p.loss->min() + i * p.step;
            auto* word = new QGraphicsSimpleTextItem(QLocale().toString(loss, 'f', decimals), p.chart);
            word->setFont(fontFor(TextSize::Axis, font()));
            word->setBrush(theme().text2);
            const QRectF size = word->boundingRect();
            const qreal y = p.chart->mapToPosition(QPointF(p.rounds->min(), loss), p.end).y() - size.height() / 2;
            p.lossWords.append(word);
            word->setPos(area.left() - 8 - size.width(), y);
            // In a low chart every other word has to do.
            word->setVisible(y + size.height() <= free);
            if (word->isVisible())
                free = y;
        }
        const QPointF end = p.chart->mapToPosition(p.end->at(0), p.end);
        const qreal block = p.value->boundingRect().height() + p.valueRound->boundingRect().height();
        const qreal top = std::clamp(end.y() - p.value->boundingRect().height() / 2, area.top() - 4, std::max(area.top(), area.bottom() - block));
        p.value->setPos(end.x() + 12, top);
        p.valueRound->setPos(end.x() + 12, top + p.value->boundingRect().height());
    }
    const bool joined = m_joinedRound > 0 && p.end->count() > 0;
    p.joinedLine->setVisible(joined);
    p.joined->setVisible(joined);
    if (joined) {
        const qreal x = p.chart->mapToPosition(QPointF(static_cast<double>(m_joinedRound), p.loss->min()), p.end).x();
        p.joinedLine->setLine(x, area.top(), x, area.bottom());
        const qreal width = p.joined->boundingRect().width();
        p.joined->setPos(x + 6 + width > area.right() ? x - 6 - width : x + 6, area.top());
    }
}

QString LossChart::pointText(int point) const
{
    const agent::LossPoint& at = m_points[point];
    const QLocale locale;
    const QString loss = at.heldOutLoss ? tr("held-out loss %1").arg(lossText(*at.heldOutLoss)) : tr("held-out loss unknown");
    return tr("Round %1: %2, %3 took part").arg(locale.toString(at.round), loss, tr("%n PCs", nullptr, static_cast<int>(at.contributors)));
}

QString LossChart::summary() const
{
    for (auto it = m_points.rbegin(); it != m_points.rend(); ++it)
        if (it->heldOutLoss)
            return tr("Round %1: %2").arg(QLocale().toString(it->round), tr("held-out loss %1").arg(lossText(*it->heldOutLoss)));
    return tr("no value yet");
}

QStringList LossChart::tableHeader() const
{
    return {tr("Round"), tr("Held-out loss"), tr("PCs"), tr("Tokens"), tr("Closed")};
}

QStringList LossChart::tableRow(int point) const
{
    const agent::LossPoint& at = m_points[point];
    const QLocale locale;
    return {locale.toString(at.round), at.heldOutLoss ? lossText(*at.heldOutLoss) : tr("unknown"), locale.toString(at.contributors),
            locale.toString(at.tokens), at.closedAt > 0 ? locale.toString(QDateTime::fromMSecsSinceEpoch(at.closedAt), QLocale::ShortFormat) : QString()};
}

void LossChart::markPoint(int point)
{
    Parts& p = *m_parts;
    p.mark->clear();
    if (point >= 0 && m_points[point].heldOutLoss)
        p.mark->append(static_cast<double>(m_points[point].round), *m_points[point].heldOutLoss);
}

void LossChart::resizeEvent(QResizeEvent* event)
{
    ChartFrame::resizeEvent(event);
    placeWords();
}

bool LossChart::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseMove && !m_points.isEmpty() && m_parts->end->count() > 0) {
        const QPointF scene = m_parts->view->mapToScene(static_cast<QMouseEvent*>(event)->position().toPoint());
        const double round = m_parts->chart->mapToValue(m_parts->chart->mapFromScene(scene), m_parts->end).x();
        const auto nearest = std::min_element(m_points.begin(), m_points.end(), [round](const auto& a, const auto& b) {
            return std::abs(static_cast<double>(a.round) - round) < std::abs(static_cast<double>(b.round) - round);
        });
        setCurrent(static_cast<int>(nearest - m_points.begin()));
    } else if (event->type() == QEvent::Leave && !hasFocus()) {
        setCurrent(-1);
    }
    return ChartFrame::eventFilter(watched, event);
}

}  // namespace sunloco::ui
