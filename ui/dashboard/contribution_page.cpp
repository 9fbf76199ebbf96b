// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/contribution_page.h"

#include "app/agent/agent_api.h"
#include "app/text/sentence.h"
#include "ui/dashboard/contribution_model.h"
#include "ui/dashboard/day_chart.h"
#include "ui/dashboard/loss_chart.h"
#include "ui/dashboard/receipt_dialog.h"
#include "ui/widgets/card.h"
#include "ui/widgets/figure.h"
#include "ui/widgets/table_view.h"

#include <QComboBox>
#include <QDateTime>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QPushButton>
#include <QSaveFile>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr int kRows = 500;
constexpr int kDays = 30;
constexpr int kAllDays = 3660;

QString bigNumber(qint64 number)
{
    const QLocale locale;
    const double value = static_cast<double>(number);
    if (number >= 1'000'000'000)
        return ContributionPage::tr("%1 billion").arg(locale.toString(value / 1e9, 'f', 2));
    if (number >= 1'000'000)
        return ContributionPage::tr("%1 million").arg(locale.toString(value / 1e6, 'f', 2));
    return locale.toString(number);
}

}  // namespace

ContributionPage::ContributionPage(const PageContext& context, QWidget* parent)
    : Page(context, parent)
{
    QHBoxLayout* title = addTitle(tr("Contribution"));
    m_project = new QComboBox(widget());
    m_project->setAccessibleName(tr("Project"));
    m_project->setMinimumHeight(28);
    auto* exportButton = new QPushButton(tr("&Export…"), widget());
    exportButton->setMinimumHeight(30);
    title->addWidget(m_project);
    title->addWidget(exportButton);
    connect(exportButton, &QPushButton::clicked, this, &ContributionPage::exportTable);

    m_empty = new Card(theme(), widget());
    m_emptyText = makeLabel({}, TextSize::Body, theme().text, Wrap::Yes, m_empty);
    static_cast<Card*>(m_empty)->body()->addWidget(m_emptyText);
    content()->addWidget(m_empty);

    m_filled = new QWidget(widget());
    auto* column = new QVBoxLayout(m_filled);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(12);
    content()->addWidget(m_filled);
    buildFigures();
    buildCharts();
    buildTable();
    content()->addStretch(1);

    connect(m_project, &QComboBox::currentIndexChanged, this, &ContributionPage::refresh);
    connect(&agent(), &agent::AgentApi::contributionsChanged, this, [this] {
        if (isVisible())
            refresh();
    });
}

void ContributionPage::buildFigures()
{
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    row->setContentsMargins(2, 0, 2, 0);
    for (Figure*& figure : m_figures) {
        figure = new Figure(theme(), m_filled);
        row->addWidget(figure, 1);
    }
    static_cast<QVBoxLayout*>(m_filled->layout())->addLayout(row);
}

void ContributionPage::buildCharts()
{
    auto* column = static_cast<QVBoxLayout*>(m_filled->layout());
    const QString lossNote = tr("held-out loss, lower is better");
    m_lossCard = new Card(theme(), m_filled);
    m_lossCard->setHeading(tr("How well the model predicts unseen text"));
    m_lossCard->setNote(lossNote);
    m_loss = new LossChart(theme(), m_lossCard);
    m_lossCard->body()->addWidget(m_loss);
    column->addWidget(m_lossCard);
    connect(m_loss, &ChartFrame::pointed, this, [card = m_lossCard, lossNote](const QString& line) { card->setNote(line.isEmpty() ? lossNote : line); });

    m_dayRow = new QBoxLayout(QBoxLayout::LeftToRight);
    m_dayRow->setSpacing(12);
    const auto dayCard = [this](const QString& heading, DayValue value, DayChart*& chart) {
        auto* card = new Card(theme(), m_filled);
        card->setHeading(heading);
        chart = new DayChart(theme(), value, card);
        card->body()->addWidget(chart);
        QLabel* line = makeLabel(QString(), TextSize::Secondary, theme().text2, Wrap::Yes, card);
        card->body()->addWidget(line);
        connect(chart, &ChartFrame::pointed, line, [line, chart = chart](const QString& text) { line->setText(text.isEmpty() ? chart->totalText() : text); });
        m_dayRow->addWidget(card, 1);
    };
    dayCard(tr("Tokens trained a day"), DayValue::Tokens, m_tokens);
    dayCard(tr("Rounds accepted a day"), DayValue::Rounds, m_rounds);
    column->addLayout(m_dayRow);
}

void ContributionPage::buildTable()
{
    auto* card = new Card(theme(), m_filled);
    card->body()->setContentsMargins(10, 4, 10, 6);
    m_model = new ContributionModel(theme(), this);
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(ContributionModel::SortRole);
    m_table = new TableView(theme(), card);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(ContributionModel::Round, Qt::DescendingOrder);
    m_table->setAccessibleName(tr("Rounds"));
    m_table->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->header()->setSectionResizeMode(ContributionModel::StateText, QHeaderView::Stretch);
    card->body()->addWidget(m_table);
    static_cast<QVBoxLayout*>(m_filled->layout())->addWidget(card);
    connect(m_table, &QTreeView::activated, this, &ContributionPage::activate);
    connect(m_table, &QTreeView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == ContributionModel::Receipt)
            activate(index);
    });
    connect(m_table, &QTreeView::expanded, this, &ContributionPage::fitTable);
    connect(m_table, &QTreeView::collapsed, this, &ContributionPage::fitTable);
}

int ContributionPage::projectIndex() const
{
    const auto& projects = agent().snapshot().projects;
    const QString id = m_project->currentData().toString();
    for (qsizetype i = 0; i < projects.size(); ++i)
        if (projects[i].id == id)
            return static_cast<int>(i);
    return projects.isEmpty() ? -1 : 0;
}

void ContributionPage::refresh()
{
    const auto& projects = agent().snapshot().projects;
    bool same = m_project->count() == projects.size();
    for (qsizetype i = 0; same && i < projects.size(); ++i)
        same = m_project->itemData(static_cast<int>(i)).toString() == projects[i].id;
    if (!same) {
        const QSignalBlocker quiet(m_project);
        const QString before = m_project->currentData().toString();
        m_project->clear();
        for (const agent::ProjectSnapshot& project : projects)
            m_project->addItem(project.name, project.id);
        m_project->setCurrentIndex(std::max(0, m_project->findData(before)));
        m_project->setVisible(projects.size() > 0);
    }
    const int at = projectIndex();
    refreshTable();
    const bool nothing = at < 0 || (m_model->isEmpty() && projects[at].acceptedRounds == 0);
    m_emptyText->setText(at < 0 ? tr("No project yet. What this PC gives to a project is shown here.")
                                : tr("No round yet. The first is listed here as soon as its training begins."));
    m_empty->setVisible(nothing);
    const QVector<agent::LossPoint> loss = at < 0 ? QVector<agent::LossPoint>() : agent().lossHistory(projects[at].id);
    m_filled->setVisible(!nothing || !loss.isEmpty());
    if (!m_filled->isVisibleTo(this))
        return;
    refreshFigures();
    m_loss->setPoints(loss, projects[at].joinedAt);
    const QVector<agent::DayTotals> days = agent().days(kDays);
    m_tokens->setDays(days);
    m_rounds->setDays(days);
}

void ContributionPage::refreshFigures()
{
    const agent::ProjectSnapshot& project = agent().snapshot().projects[projectIndex()];
    const QLocale locale;
    m_figures[0]->set(locale.toString(project.acceptedRounds), tr("rounds accepted"), tr("of %1 sent").arg(locale.toString(project.sentRounds)));
    const QString since = locale.toString(QDateTime::fromMSecsSinceEpoch(project.joinedAt).date(), tr("d MMMM", "date format: day and month"));
    m_figures[1]->set(bigNumber(project.tokensAccepted), tr("tokens accepted"), project.joinedAt > 0 ? tr("since %1").arg(since) : QString());

    // Our share of the newest closed round in which we took part.
    QString share = tr("unknown");
    QString shareOf = tr("of a round");
    QString others;
    const QVector<agent::LossPoint> history = agent().lossHistory(project.id);
    for (const agent::ContributionRow& row : agent().contributions(kRows)) {
        if (row.state != u"merged")
            continue;
        const auto point = std::find_if(history.begin(), history.end(), [&row](const agent::LossPoint& each) { return each.round == row.round; });
        if (point == history.end() || point->tokens <= 0)
            continue;
        share = locale.toString(100.0 * static_cast<double>(row.tokens) / static_cast<double>(point->tokens), 'f', 1) % QChar(0x202f) % u'%';
        shareOf = tr("of round %1").arg(locale.toString(row.round));
        others = tr("%n PCs took part", nullptr, static_cast<int>(point->contributors));
        break;
    }
    m_figures[2]->set(share, shareOf, others);

    double wattHours = 0;
    bool estimate = false;
    for (const agent::DayTotals& day : agent().days(kAllDays)) {
        wattHours += day.wattHours;
        estimate = estimate || (day.energyIsEstimate && day.wattHours > 0);
    }
    m_figures[3]->set(text::formatEnergy(wattHours), tr("used for it"), estimate ? tr("partly estimated") : QString());
}

void ContributionPage::refreshTable()
{
    const QString current = m_table->currentIndex().siblingAtColumn(0).data(ContributionModel::LeaseRole).toString();
    m_model->setRows(agent().contributions(kRows), devicePixelRatioF());
    for (int row = 0; !current.isEmpty() && row < m_sorted->rowCount(); ++row)
        if (m_sorted->index(row, 0).data(ContributionModel::LeaseRole).toString() == current)
            m_table->setCurrentIndex(m_sorted->index(row, 0));
    bool folded = false;
    for (int row = 0; row < m_sorted->rowCount(); ++row)
        folded = folded || m_sorted->hasChildren(m_sorted->index(row, 0));
    m_table->setRootIsDecorated(folded);
    fitTable();
}

void ContributionPage::fitTable()
{
    m_table->fitHeight();
}

void ContributionPage::activate(const QModelIndex& index)
{
    const QString lease = index.data(ContributionModel::LeaseRole).toString();
    if (lease.isEmpty())
        m_table->setExpanded(index.siblingAtColumn(0), !m_table->isExpanded(index.siblingAtColumn(0)));
    else
        showReceipt(lease);
}

void ContributionPage::showReceipt(const QString& leaseId)
{
    const QByteArray envelope = agent().receipt(leaseId);
    if (envelope.isEmpty())
        return;
    QString digest;
    for (const agent::ContributionRow& row : agent().contributions(kRows))
        if (row.leaseId == leaseId)
            digest = row.receiptDigest;
    auto* dialog = new ReceiptDialog(theme(), envelope, digest, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void ContributionPage::exportTable()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the rounds"), QStringLiteral("sunloco-rounds.csv"), tr("CSV files (*.csv)"));
    if (path.isEmpty())
        return;
    QByteArray csv("round,finished_utc,steps,steps_wanted,tokens,state,weight,contribution_id,receipt_sha256\r\n");
    for (const agent::ContributionRow& row : agent().contributions(std::numeric_limits<int>::max())) {
        const QString finished = row.finishedAt ? QDateTime::fromMSecsSinceEpoch(*row.finishedAt, Qt::UTC).toString(Qt::ISODate) : QString();
        const QStringList cells{QString::number(row.round), finished, QString::number(row.steps), QString::number(row.stepsWanted), QString::number(row.tokens),
                                row.state, row.weight ? QString::number(*row.weight) : QString(), row.contributionId, row.receiptDigest};
        csv += cells.join(u',').toUtf8() + "\r\n";
    }
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(csv) == csv.size() && file.commit())
        return;
    QMessageBox::warning(this, tr("Export the rounds"), tr("The rounds were not saved to %1: %2. Choose another folder.").arg(path, file.errorString()));
}

void ContributionPage::setNarrow(bool narrow)
{
    m_dayRow->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

}  // namespace sunloco::ui
