// SPDX-License-Identifier: Apache-2.0
#include "ui/tray/tray_icon.h"

#include "app/text/sentence.h"
#include "ui/tray/pause_menu.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/ui_state.h"

#include <QActionGroup>
#include <QGuiApplication>
#include <QMenu>
#include <QSystemTrayIcon>

namespace sunloco::ui {
namespace {

// Menus do not wrap: a reason longer than this is cut at a word, the whole of it is in the window.
constexpr int kMenuTextLength = 60;

QString menuText(const QString& sentence)
{
    QString text = sentence;
    if (text.size() > kMenuTextLength) {
        const qsizetype space = text.lastIndexOf(u' ', kMenuTextLength);
        text = text.left(space > kMenuTextLength / 2 ? space : kMenuTextLength) % QChar(0x2026);
    }
    return text.replace(u'&', QStringLiteral("&&"));
}

}  // namespace

TrayIcon::TrayIcon(agent::AgentApi& agent, UiState& state, const Theme& theme, QObject* parent)
    : QObject(parent)
    , m_agent(agent)
    , m_state(state)
    , m_theme(theme)
    , m_icon(new QSystemTrayIcon(this))
    , m_menu(std::make_unique<QMenu>())
{
    buildMenu();
    m_icon->setContextMenu(m_menu.get());
    connect(m_icon, &QSystemTrayIcon::activated, this, [this](QSystemTrayIcon::ActivationReason reason) {
        if (reason == QSystemTrayIcon::Trigger || reason == QSystemTrayIcon::DoubleClick)
            Q_EMIT openRequested();
    });
    connect(m_icon, &QSystemTrayIcon::messageClicked, this, &TrayIcon::openRequested);
    connect(&m_agent, &agent::AgentApi::changed, this, &TrayIcon::refresh);
    connect(&m_agent, &agent::AgentApi::stateChanged, this, &TrayIcon::refresh);
    connect(&m_state, &UiState::colouredTrayChanged, this, [this] {
        m_shown.reset();
        refresh();
    });
    refresh();
}

TrayIcon::~TrayIcon() = default;

void TrayIcon::show()
{
    m_icon->show();
}

void TrayIcon::rebuild(const Theme& theme)
{
    m_theme = theme;
    m_shown.reset();
    m_menu->clear();
    for (QMenu* menu : {m_pause, m_run, m_devices})
        delete menu;
    buildMenu();
    refresh();
}

void TrayIcon::say(const QString& title, const QString& text)
{
    m_icon->showMessage(title, text, icons::application());
}

void TrayIcon::buildMenu()
{
    for (QAction** row : {&m_title, &m_reason, &m_next}) {
        *row = m_menu->addAction(QString());
        (*row)->setEnabled(false);
    }
    m_menu->addSeparator();
    m_join = m_menu->addAction(tr("&Join a project…"));
    connect(m_join, &QAction::triggered, this, &TrayIcon::joinRequested);
    m_pause = m_menu->addMenu(tr("&Pause"));
    fillPauseMenu(m_pause, m_agent);
    m_resume = m_menu->addAction(tr("&Resume"));
    connect(m_resume, &QAction::triggered, this, [this] { m_agent.resume(); });
    m_run = m_menu->addMenu(tr("Run &now"));
    fillRunMenu(m_run, m_agent);
    m_devices = m_menu->addMenu(tr("&Devices"));
    connect(m_devices, &QMenu::aboutToShow, this, &TrayIcon::refreshDevices);
    m_menu->addSeparator();
    connect(m_menu->addAction(tr("&Why?")), &QAction::triggered, this, &TrayIcon::whyRequested);
    QAction* open = m_menu->addAction(tr("&Open SunLoCo"));
    connect(open, &QAction::triggered, this, &TrayIcon::openRequested);
    m_menu->setDefaultAction(open);
    connect(m_menu->addAction(tr("&Settings…")), &QAction::triggered, this, &TrayIcon::settingsRequested);
    m_menu->addSeparator();
    connect(m_menu->addAction(tr("&Quit (saves first)")), &QAction::triggered, this, &TrayIcon::quitRequested);
}

void TrayIcon::refreshDevices()
{
    m_devices->clear();
    for (const agent::DeviceSnapshot& device : m_agent.snapshot().devices) {
        const bool off = device.mode == rules::Mode::Never;
        QAction* action = m_devices->addAction(menuText(off ? tr("%1, off").arg(device.name) : device.name));
        action->setCheckable(true);
        action->setChecked(!off);
        connect(action, &QAction::triggered, this, [this, id = device.id](bool on) {
            const agent::Answer answer = m_agent.setMode(on ? QStringLiteral("rules") : QStringLiteral("never"), id);
            if (!answer.ok)
                say(tr("The device's mode was not changed"), answer.message);
        });
    }
}

void TrayIcon::refresh()
{
    const agent::Snapshot& now = m_agent.snapshot();
    const text::Sentence sentence = text::describe(now);
    m_title->setText(menuText(sentence.title));
    m_reason->setText(menuText(sentence.reason));
    m_reason->setVisible(!sentence.reason.isEmpty());
    m_next->setText(menuText(sentence.next));
    m_next->setVisible(!sentence.next.isEmpty());
    m_icon->setToolTip(text::tooltip(now));

    const bool joined = now.state != agent::State::NoProject;
    const bool paused = now.state == agent::State::PausedByUser;
    const bool asked = now.reason.code == agent::Reason::Code::TrainingAsked;
    m_join->setVisible(!joined);
    m_pause->menuAction()->setVisible(joined && !paused);
    m_run->menuAction()->setVisible(joined && !asked);
    m_resume->setVisible(paused || asked);
    m_resume->setText(asked ? tr("Stop the run you asked for") : tr("&Resume"));
    m_devices->menuAction()->setVisible(joined && now.devices.size() > 1);
    refreshDevices();

    if (m_shown != now.state) {
        m_shown = now.state;
        // One colour that follows the panel; in high contrast it stays the system's text colour.
        const QColor plain = QGuiApplication::palette().color(QPalette::WindowText);
        const QColor color = m_state.colouredTray() ? m_theme.stateColor(now.state) : plain;
        m_icon->setIcon(icons::state(now.state, color));
        m_title->setIcon(icons::state(now.state, m_theme.stateColor(now.state)));
    }
}

}  // namespace sunloco::ui
