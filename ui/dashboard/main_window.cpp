// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/main_window.h"

#include "app/agent/agent_api.h"
#include "app/text/sentence.h"
#include "ui/dashboard/contribution_page.h"
#include "ui/dashboard/log_page.h"
#include "ui/dashboard/nav_list.h"
#include "ui/dashboard/now_page.h"
#include "ui/dashboard/why_page.h"
#include "ui/settings/settings_page.h"
#include "ui/widgets/card.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/ui_state.h"

#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QShortcut>
#include <QStackedWidget>
#include <QSysInfo>
#include <QVBoxLayout>

namespace sunloco::ui {
namespace {
constexpr int kWideSidebar = 188;
constexpr int kNarrowSidebar = 52;
constexpr int kNarrowWindow = 720;
const QString kNow = QStringLiteral("now");
const QString kWhy = QStringLiteral("why");
const QString kContribution = QStringLiteral("contribution");
const QString kLog = QStringLiteral("log");
const QString kSettings = QStringLiteral("settings");
}  // namespace

MainWindow::MainWindow(agent::AgentApi& agent, UiState& state, const Theme& theme, QWidget* parent)
    : QMainWindow(parent)
    , m_agent(agent)
    , m_state(state)
    , m_theme(theme)
{
    setWindowTitle(QStringLiteral("SunLoCo"));
    setWindowIcon(icons::application());
    setPalette(theme.palette(palette()));
    setMinimumSize(480, 360);
    resize(960, 640);

    auto* middle = new QWidget(this);
    auto* row = new QHBoxLayout(middle);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_side = new QWidget(middle);
    m_stack = new QStackedWidget(middle);
    row->addWidget(m_side);
    auto* edge = new QWidget(middle);
    edge->setFixedWidth(1);
    edge->setAutoFillBackground(true);
    QPalette line = edge->palette();
    line.setColor(QPalette::Window, theme.line);
    edge->setPalette(line);
    row->addWidget(edge);
    row->addWidget(m_stack, 1);
    setCentralWidget(middle);

    buildSidebar();
    buildShortcuts();
    connect(&m_agent, &agent::AgentApi::changed, this, &MainWindow::refresh);
    connect(&m_agent, &agent::AgentApi::stateChanged, this, &MainWindow::refresh);
    restoreGeometry(m_state.geometry());
    const QString last = m_state.page();
    m_nav->select(last.isEmpty() ? kNow : last);
    if (currentPage().isEmpty())
        m_nav->select(kNow);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildSidebar()
{
    m_side->setAutoFillBackground(true);
    QPalette side = m_side->palette();
    side.setColor(QPalette::Window, m_theme.side);
    m_side->setPalette(side);
    m_side->setFixedWidth(kWideSidebar);
    auto* column = new QVBoxLayout(m_side);
    column->setContentsMargins(8, 12, 8, 10);
    column->setSpacing(6);
    m_nav = new NavList(m_theme, m_side);
    m_nav->addPage(kNow, tr("Now"), QStringLiteral("nav/now"), QKeySequence(Qt::CTRL | Qt::Key_1));
    m_nav->addPage(kWhy, tr("Why"), QStringLiteral("nav/why"), QKeySequence(Qt::CTRL | Qt::Key_2));
    m_nav->addPage(kContribution, tr("Contribution"), QStringLiteral("nav/contribution"), QKeySequence(Qt::CTRL | Qt::Key_3));
    m_nav->addPage(kLog, tr("Log"), QStringLiteral("nav/log"), QKeySequence(Qt::CTRL | Qt::Key_4));
    m_nav->addSettings(kSettings, tr("Settings"), QStringLiteral("nav/settings"), SettingsPage::sectionTitles(), QKeySequence(Qt::CTRL | Qt::Key_Comma));
    column->addWidget(m_nav, 1);
    m_footLine = makeHairline(m_theme, m_side);
    column->addWidget(m_footLine);
    m_foot = makeLabel({}, TextSize::Secondary, m_theme.text2, Wrap::Yes, m_side);
    m_foot->setContentsMargins(8, 2, 4, 0);
    column->addWidget(m_foot);
    connect(m_nav, &NavList::pageChosen, this, &MainWindow::showPage);
    connect(m_nav, &NavList::sectionChosen, this, [this](int section) { static_cast<SettingsPage*>(m_pages.value(kSettings))->showSection(section); });
}

void MainWindow::buildShortcuts()
{
    const auto key = [this](const QKeySequence& keys, auto act) {
        auto* shortcut = new QShortcut(keys, this);
        connect(shortcut, &QShortcut::activated, this, act);
    };
    const QString pages[] = {kNow, kWhy, kContribution, kLog};
    for (int i = 0; i < 4; ++i)
        key(QKeySequence(static_cast<int>(Qt::CTRL) | (Qt::Key_1 + i)), [this, id = pages[i]] { showPage(id); });
    key(QKeySequence(Qt::CTRL | Qt::Key_Comma), [this] { showPage(kSettings); });
    key(QKeySequence(Qt::CTRL | Qt::Key_P), [this] {
        showPage(kNow);
        static_cast<NowPage*>(m_pages.value(kNow))->openPauseMenu();
    });
    key(QKeySequence(Qt::CTRL | Qt::Key_R), [this] { m_agent.runNow(NowPage::kRunNowMinutes); });
    key(QKeySequence(Qt::Key_F1), [this] { showPage(kWhy); });
    key(QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { Q_EMIT quitRequested(); });
}

Page* MainWindow::makePage(const QString& id)
{
    const PageContext context{m_agent, m_theme};
    if (id == kNow) {
        auto* page = new NowPage(context, m_stack);
        connect(page, &NowPage::whyRequested, this, [this] { showPage(kWhy); });
        connect(page, &NowPage::logRequested, this, [this] { showPage(kLog); });
        connect(page, &NowPage::joinRequested, this, &MainWindow::joinRequested);
        return page;
    }
    if (id == kWhy) {
        auto* page = new WhyPage(context, m_stack);
        connect(page, &WhyPage::settingsRequested, this, [this] { showPage(kSettings); });
        return page;
    }
    if (id == kContribution)
        return new ContributionPage(context, m_stack);
    if (id == kLog)
        return new LogPage(context, m_stack);
    if (id == kSettings) {
        auto* page = new SettingsPage(context, m_state, m_stack);
        connect(page, &SettingsPage::joinRequested, this, &MainWindow::joinRequested);
        connect(page, &SettingsPage::quitRequested, this, &MainWindow::quitRequested);
        return page;
    }
    return nullptr;
}

void MainWindow::showPage(const QString& id)
{
    Page* page = m_pages.value(id);
    if (!page) {
        page = makePage(id);
        if (!page)
            return;
        m_pages.insert(id, page);
        m_stack->addWidget(page);
    }
    m_stack->setCurrentWidget(page);
    m_nav->select(id);
    m_state.setPage(id);
    page->refresh();
    m_theme.outlineControls(page);
}

QString MainWindow::currentPage() const
{
    return m_pages.key(static_cast<Page*>(m_stack->currentWidget()));
}

void MainWindow::refresh()
{
    // Nothing is drawn anew while nobody can see it.
    if (!isVisible() || isMinimized())
        return;
    if (auto* page = static_cast<Page*>(m_stack->currentWidget()))
        page->refresh();
    refreshFoot();
}

void MainWindow::refreshFoot()
{
    const auto& projects = m_agent.snapshot().projects;
    QString text;
    if (projects.size() == 1)
        text = projects.front().name % u'\n';
    else if (projects.size() > 1)
        text = tr("%n projects", nullptr, static_cast<int>(projects.size())) % u'\n';
    m_foot->setText(text % tr("this PC: %1").arg(QSysInfo::machineHostName()));
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    refresh();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    const bool narrow = width() < kNarrowWindow;
    m_side->setFixedWidth(narrow ? kNarrowSidebar : kWideSidebar);
    m_nav->setIconsOnly(narrow);
    m_foot->setVisible(!narrow);
    m_footLine->setVisible(!narrow);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    m_state.setGeometry(saveGeometry());
    QMainWindow::closeEvent(event);
    Q_EMIT closed();
}

}  // namespace sunloco::ui
