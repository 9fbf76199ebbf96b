// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/now_page.h"

#include "app/text/sentence.h"
#include "ui/dashboard/device_card.h"
#include "ui/dashboard/verdict_list.h"
#include "ui/tray/pause_menu.h"
#include "ui/widgets/card.h"
#include "ui/widgets/day_band.h"
#include "ui/widgets/state_header.h"
#include "ui/widgets/verdict_mark.h"

#include <QDateTime>
#include <QGridLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {

constexpr int kWhyWidth = 244;
constexpr qint64 kQuarterMs = 15 * 60 * 1000;

void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

}  // namespace

NowPage::NowPage(const PageContext& context, QWidget* parent)
    : Page(context, parent)
    , m_header(new StateHeader(theme(), widget()))
    , m_pauseMenu(std::make_unique<QMenu>())
    , m_runMenu(std::make_unique<QMenu>())
    , m_start(new Card(theme(), widget()))
    , m_body(new QWidget(widget()))
    , m_grid(new QGridLayout(m_body))
    , m_devices(new QWidget(m_body))
    , m_deviceColumn(new QVBoxLayout(m_devices))
    , m_why(new Card(theme(), m_body))
    , m_verdicts(new VerdictList(theme(), m_why))
    , m_firstDay(new Card(theme(), m_body))
    , m_firstDaySteps(new QVBoxLayout)
    , m_transfers(new Card(theme(), m_body))
    , m_transferRows(new QVBoxLayout)
    , m_today(new Card(theme(), m_body))
    , m_todayText(makeLabel({}, TextSize::Secondary, theme().text2, Wrap::Yes, m_today))
    , m_band(new DayBand(theme(), m_today))
{
    setAccessibleName(tr("Now"));
    fillPauseMenu(m_pauseMenu.get(), agent());
    fillRunMenu(m_runMenu.get(), agent());
    content()->addWidget(m_header);
    content()->addSpacing(4);
    content()->addWidget(m_body);
    m_start->setHeading(tr("How it works"));
    for (const QString& step : {tr("1. You paste the link of a project and see what it takes: memory, disk, network."),
                                tr("2. You choose when this PC may train. Nothing runs before you agree."),
                                tr("3. While you are away it trains a round, sends the result and gets a signed receipt.")})
        m_start->body()->addWidget(makeLabel(step, TextSize::Body, theme().text, Wrap::Yes, m_start));
    content()->addWidget(m_start);
    content()->addStretch(1);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(12);
    m_deviceColumn->setContentsMargins(0, 0, 0, 0);
    m_deviceColumn->setSpacing(12);

    auto* allRules = new QPushButton(tr("All &rules"), m_why);
    allRules->setFlat(true);
    allRules->setFont(fontFor(TextSize::Secondary, font()));
    allRules->setPalette([this] {
        QPalette p = palette();
        p.setColor(QPalette::ButtonText, theme().accent);
        return p;
    }());
    m_why->setHeading(tr("What the rules say"));
    m_why->addToHeading(allRules);
    m_why->body()->addWidget(m_verdicts, 1);
    connect(allRules, &QPushButton::clicked, this, &NowPage::whyRequested);

    m_firstDay->setHeading(tr("Your first day"));
    m_firstDay->body()->addLayout(m_firstDaySteps);
    m_transfers->setHeading(tr("Transfers"));
    m_transfers->body()->addLayout(m_transferRows);
    m_today->setHeading(tr("Today"));
    m_today->body()->addWidget(m_todayText);
    m_today->body()->addWidget(m_band);
    connect(m_band, &DayBand::pointed, this, [this](const QString& line) {
        if (line.isEmpty())
            refreshToday(agent().snapshot());
        else
            m_todayText->setText(line);
    });

    connect(m_header, &StateHeader::mainTriggered, this, &NowPage::actMain);
    connect(m_header, &StateHeader::secondTriggered, this, &NowPage::actSecond);
    arrange();
}

NowPage::~NowPage() = default;

void NowPage::openPauseMenu()
{
    if (m_main == MainAction::Pause || m_main == MainAction::Resume)
        m_header->openMenu();
    else if (m_main != MainAction::Join)
        m_pauseMenu->popup(m_header->mainButton()->mapToGlobal(QPoint(0, m_header->mainButton()->height())));
}

void NowPage::actMain()
{
    switch (m_main) {
    case MainAction::Join: Q_EMIT joinRequested(); return;
    case MainAction::Pause: agent().pause(agent::PauseKind::Forever, 0); return;
    case MainAction::Resume: agent().resume(); return;
    case MainAction::RunNow: agent().runNow(kRunNowMinutes); return;
    case MainAction::Repair: Q_EMIT logRequested(); return;
    }
}

void NowPage::actSecond()
{
    if (m_main == MainAction::Repair)
        agent().retryNow();
    else
        Q_EMIT whyRequested();
}

void NowPage::refreshHeader(const agent::Snapshot& now)
{
    const text::Sentence sentence = text::describe(now);
    m_header->setSentence(now.state, sentence.title, sentence.reason, sentence.next);
    switch (now.state) {
    case agent::State::NoProject: m_main = MainAction::Join; break;
    case agent::State::NeedsAttention: m_main = MainAction::Repair; break;
    case agent::State::PausedByUser: m_main = MainAction::Resume; break;
    case agent::State::PausedByRule:
    case agent::State::Waiting: m_main = MainAction::RunNow; break;
    case agent::State::Training:
    case agent::State::Uploading: m_main = MainAction::Pause; break;
    }
    m_header->setSecondAction(m_main == MainAction::Join ? QString() : m_main == MainAction::Repair ? tr("&Try again") : tr("&Why?"));
    switch (m_main) {
    case MainAction::Join: m_header->setMainAction(tr("&Join a project…"), nullptr, {}); break;
    case MainAction::Pause: m_header->setMainAction(tr("&Pause"), m_pauseMenu.get(), tr("Pauses until you resume; the arrow offers shorter pauses (Ctrl+P)")); break;
    case MainAction::Resume: m_header->setMainAction(tr("&Resume"), m_pauseMenu.get(), tr("Lets the rules decide again; the arrow changes the pause")); break;
    case MainAction::RunNow: m_header->setMainAction(tr("Run &now"), m_runMenu.get(), tr("Runs for an hour whatever the rules say; safety, disk and network limits still hold (Ctrl+R)")); break;
    case MainAction::Repair: m_header->setMainAction(tr("&Show the log"), nullptr, {}); break;
    }
}

void NowPage::refreshDevices(const agent::Snapshot& now)
{
    const auto wanted = static_cast<std::size_t>(now.devices.size());
    while (m_deviceCards.size() > wanted) {
        delete m_deviceCards.back();
        m_deviceCards.pop_back();
    }
    while (m_deviceCards.size() < wanted) {
        auto* card = new DeviceCard(theme(), m_devices);
        m_deviceColumn->addWidget(card);
        m_deviceCards.push_back(card);
    }
    const std::optional<qint64> deadline = now.projects.isEmpty() ? std::nullopt : now.projects.front().deadline;
    for (std::size_t i = 0; i < wanted; ++i)
        m_deviceCards[i]->setDevice(now.devices[static_cast<qsizetype>(i)], deadline);
}

void NowPage::refreshFirstDay(const agent::Snapshot& now)
{
    const bool first = !now.projects.isEmpty() && now.projects.front().acceptedRounds == 0;
    m_firstDay->setVisible(first);
    if (!first)
        return;
    clear(m_firstDaySteps);
    const agent::ProjectSnapshot& project = now.projects.front();
    const bool training = !now.devices.isEmpty() && now.devices.front().step > 0;
    const bool sent = project.sentRounds > 0;
    const struct { bool done; QString text; QString when; } steps[] = {
        {true, tr("Joined %1").arg(project.name), project.joinedAt > 0 ? text::formatMoment(project.joinedAt) : QString()},
        {!project.baseHash.isEmpty(), tr("Model and text downloaded"), QString()},
        {sent, training && !sent ? tr("First round: training") : tr("First round trained and sent"), QString()},
        {false, tr("First receipt from the project"), QString()},
    };
    for (const auto& step : steps) {
        auto* row = new QWidget(m_firstDay);
        row->setMinimumHeight(26);
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->setSpacing(10);
        auto* mark = new VerdictMark(theme(), step.done ? Mark::Allows : Mark::Unknown, row);
        mark->setAccessibleName(step.done ? tr("done") : tr("still to come"));
        line->addWidget(mark);
        line->addWidget(makeLabel(step.text, TextSize::Body, theme().text, Wrap::Yes, row), 1);
        line->addWidget(makeLabel(step.when, TextSize::Secondary, theme().text2, Wrap::No, row));
        m_firstDaySteps->addWidget(row);
    }
}

void NowPage::refreshTransfers(const agent::Snapshot& now)
{
    m_transfers->setVisible(!now.transfers.isEmpty());
    clear(m_transferRows);
    for (const agent::TransferSnapshot& transfer : now.transfers) {
        const QString done = transfer.bytesTotal > 0
            ? tr("%1 of %2", "bytes done of bytes in all").arg(text::formatBytes(transfer.bytesDone), text::formatBytes(transfer.bytesTotal))
            : text::formatBytes(transfer.bytesDone);
        QString state = done;
        if (transfer.nextTry)
            state = tr("%1, tries again at %2").arg(done, text::formatMoment(*transfer.nextTry));
        else if (transfer.bytesPerSecond > 0)
            state = tr("%1, %2 a second").arg(done, text::formatBytes(qRound64(transfer.bytesPerSecond)));
        const QString what = transfer.upload ? tr("Upload: %1").arg(transfer.what) : tr("Download: %1").arg(transfer.what);
        auto* row = new QWidget(m_transfers);
        auto* line = new QHBoxLayout(row);
        line->setContentsMargins(0, 0, 0, 0);
        line->addWidget(makeLabel(what, TextSize::Body, theme().text, Wrap::Yes, row), 1);
        line->addWidget(makeLabel(state, TextSize::Secondary, theme().text2, Wrap::No, row));
        m_transferRows->addWidget(row);
    }
}

void NowPage::refreshToday(const agent::Snapshot& now)
{
    m_today->setVisible(!now.projects.isEmpty());
    if (now.projects.isEmpty())
        return;
    const QDateTime time = QDateTime::currentDateTime();
    const QDateTime midnight = time.date().startOfDay();
    const qint64 start = midnight.toMSecsSinceEpoch();
    QVector<Quarter> quarters(DayBand::kQuarters, Quarter::Unrecorded);
    qint64 trainedQuarters = 0;
    for (const agent::EnergyBucketRow& bucket : agent().energy(start, time.toMSecsSinceEpoch())) {
        const qint64 at = (bucket.startUtc - start) / kQuarterMs;
        if (at < 0 || at >= DayBand::kQuarters)
            continue;
        quarters[at] = bucket.wattHours > 0 ? Quarter::Trained : Quarter::Idle;
        trainedQuarters += bucket.wattHours > 0 ? 1 : 0;
    }
    const int minute = static_cast<int>(midnight.secsTo(time) / 60);
    for (int i = minute / 15 + 1; i < DayBand::kQuarters; ++i)
        quarters[i] = Quarter::Future;
    m_band->setDay(quarters, minute);

    qint64 tokens = 0;
    qint64 rounds = 0;
    const qint64 today = QDateTime(QDateTime::currentDateTimeUtc().date(), QTime(0, 0), Qt::UTC).toMSecsSinceEpoch();
    for (const agent::DayTotals& day : agent().days(1)) {
        if (day.dayStartUtc < today)
            continue;
        tokens += day.tokens;
        rounds += day.rounds;
    }
    const QString energy = text::formatEnergy(now.wattHoursToday);
    const QLocale locale;
    const QString used = now.energyIsEstimate ? tr("%1 est.").arg(energy) : energy;
    const QString words = tr("%1 used · %2 tokens · %3").arg(used, locale.toString(tokens), tr("%n rounds accepted", nullptr, static_cast<int>(rounds)));
    m_todayText->setText(trainedQuarters == 0 && tokens == 0 ? tr("No training yet today.") : words);
}

void NowPage::refresh()
{
    const agent::Snapshot& now = agent().snapshot();
    refreshHeader(now);
    m_body->setVisible(now.state != agent::State::NoProject);
    m_start->setVisible(now.state == agent::State::NoProject);
    if (now.state == agent::State::Training)
        m_why->setHeading(tr("Why it runs"));
    else
        m_why->setHeading(now.decision.run ? tr("What the rules say") : tr("What stops it"));
    m_verdicts->setDecision(now.decision);
    refreshDevices(now);
    refreshFirstDay(now);
    refreshTransfers(now);
    refreshToday(now);
}

void NowPage::arrange()
{
    for (QWidget* each : {m_devices, static_cast<QWidget*>(m_why), static_cast<QWidget*>(m_firstDay), static_cast<QWidget*>(m_transfers), static_cast<QWidget*>(m_today)})
        m_grid->removeWidget(each);
    const bool wide = !isNarrow();
    int row = 0;
    m_why->setMinimumWidth(wide ? kWhyWidth : 0);
    if (wide) {
        m_grid->addWidget(m_devices, row, 0);
        m_grid->addWidget(m_why, row++, 1);
    } else {
        m_grid->addWidget(m_devices, row++, 0, 1, 2);
    }
    m_grid->addWidget(m_firstDay, row++, 0, 1, 2);
    m_grid->addWidget(m_transfers, row++, 0, 1, 2);
    m_grid->addWidget(m_today, row++, 0, 1, 2);
    if (!wide)
        m_grid->addWidget(m_why, row, 0, 1, 2);
    m_grid->setColumnStretch(0, 1);
    m_grid->setColumnStretch(1, 0);
}

void NowPage::setNarrow(bool)
{
    arrange();
}

}  // namespace sunloco::ui
