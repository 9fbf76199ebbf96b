// SPDX-License-Identifier: Apache-2.0
#include "ui/tray/desktop_shell.h"

#include "ui/dashboard/main_window.h"
#include "ui/tray/saving_dialog.h"
#include "ui/tray/tray_icon.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/readable.h"
#include "ui/widgets/ui_state.h"
#include "ui/wizard/join_wizard.h"

#include <QApplication>
#include <QEvent>
#include <QMessageBox>
#include <QPushButton>
#include <QSystemTrayIcon>
#include <QTimer>

namespace sunloco::ui {
namespace {
// Quitting shows itself only when it takes longer than this.
constexpr int kQuietQuitMs = 1000;
}  // namespace

DesktopShell::DesktopShell(agent::AgentApi& agent, UiState& state, TrayUse tray, QObject* parent)
    : QObject(parent)
    , m_agent(agent)
    , m_state(state)
{
    installReadableFactory();
    m_language.install(state.language());
    m_theme = Theme::forPalette(QApplication::palette());
    QApplication::setQuitOnLastWindowClosed(false);
    if (tray == TrayUse::Always || (tray == TrayUse::Auto && QSystemTrayIcon::isSystemTrayAvailable())) {
        m_tray = std::make_unique<TrayIcon>(agent, state, m_theme);
        connect(m_tray.get(), &TrayIcon::openRequested, this, &DesktopShell::raiseWindow);
        connect(m_tray.get(), &TrayIcon::whyRequested, this, [this] { showPage(QStringLiteral("why")); });
        connect(m_tray.get(), &TrayIcon::settingsRequested, this, [this] { showPage(QStringLiteral("settings")); });
        connect(m_tray.get(), &TrayIcon::joinRequested, this, [this] { openWizard(); });
        connect(m_tray.get(), &TrayIcon::quitRequested, this, &DesktopShell::quit);
    }
    connect(&m_state, &UiState::languageChanged, this, [this] {
        m_language.install(m_state.language());
        rebuild();
    });
    connect(&m_agent, &agent::AgentApi::finished, this, &DesktopShell::agentFinished);
    connect(&m_agent, &agent::AgentApi::changed, this, [this] {
        // A project was joined by another way (sunloco-ctl): the invitation to join one is out of date.
        if (m_wizardIsInvitation && m_wizard && m_wizard->isUntouched() && m_agent.snapshot().state != agent::State::NoProject) {
            m_wizard->close();
            m_wizard.clear();   // it is deleted a moment later
        }
    });
    qApp->installEventFilter(this);
}

DesktopShell::~DesktopShell() = default;

JoinWizard* DesktopShell::wizard() const
{
    return m_wizard;
}

void DesktopShell::start(StartAs how)
{
    if (m_tray)
        m_tray->show();
    const bool firstRun = m_agent.snapshot().state == agent::State::NoProject;
    if (how == StartAs::Minimized && m_tray)
        return;
    makeWindow();
    if (how == StartAs::Minimized)
        m_window->showMinimized();
    else
        m_window->show();
    if (firstRun && how == StartAs::Window) {
        openWizard();
        m_wizardIsInvitation = true;
    }
}

void DesktopShell::makeWindow()
{
    if (m_window)
        return;
    m_window = std::make_unique<MainWindow>(m_agent, m_state, m_theme);
    connect(m_window.get(), &MainWindow::joinRequested, this, [this] { openWizard(); });
    connect(m_window.get(), &MainWindow::quitRequested, this, &DesktopShell::quit);
    connect(m_window.get(), &MainWindow::closed, this, &DesktopShell::windowClosed);
}

void DesktopShell::raiseWindow()
{
    makeWindow();
    if (m_window->isMinimized())
        m_window->showNormal();
    m_window->show();
    m_window->raise();
    m_window->activateWindow();
    if (m_wizard)
        m_wizard->raise();
}

void DesktopShell::showPage(const QString& id)
{
    raiseWindow();
    m_window->showPage(id);
}

void DesktopShell::openWizard(const QString& link)
{
    if (!m_wizard) {
        m_wizard = new JoinWizard(m_agent, m_theme, m_window.get());
        m_wizard->setAttribute(Qt::WA_DeleteOnClose);
        m_wizardIsInvitation = false;
    }
    if (!link.isEmpty())
        m_wizard->setLink(link);
    m_wizard->show();
    m_wizard->raise();
    m_wizard->activateWindow();
}

void DesktopShell::rebuild()
{
    m_theme = Theme::forPalette(QApplication::palette());
    if (m_tray)
        m_tray->rebuild(m_theme);
    if (!m_window)
        return;
    const bool visible = m_window->isVisible();
    m_state.setGeometry(m_window->saveGeometry());
    // The old window may be on the call stack: it goes when the stack is empty.
    m_window->hide();
    m_window->disconnect(this);
    m_window.release()->deleteLater();
    makeWindow();
    if (visible)
        m_window->show();
}

bool DesktopShell::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == qApp && event->type() == QEvent::ApplicationPaletteChange)
        QTimer::singleShot(0, this, &DesktopShell::rebuild);
    return QObject::eventFilter(watched, event);
}

void DesktopShell::windowClosed()
{
    if (m_quitting)
        return;
    sayThatItGoesOn();
    // A closed window takes no memory; it is built anew from the agent's snapshot when it is opened.
    QTimer::singleShot(0, this, [this] {
        if (m_window && !m_window->isVisible() && !m_wizard)
            m_window.reset();
    });
}

void DesktopShell::sayThatItGoesOn()
{
    if (m_agent.snapshot().state == agent::State::NoProject && m_tray)
        return;
    if (!m_state.firstTime(QStringLiteral("goes_on_without_window")))
        return;
    const QString title = tr("SunLoCo goes on without its window");
    if (m_tray) {
        const QString text = tr("Training goes on in the tray. Open the window again, pause or quit from the tray icon.");
        m_tray->say(title, text);
        Q_EMIT saidThatItGoesOn(text);
        return;
    }
    const QString text = tr("This desktop shows no tray icons. Training goes on; start SunLoCo again to open the window.");
    auto* box = new QMessageBox(QMessageBox::Information, title, text);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowIcon(icons::application());
    box->setPalette(m_theme.palette(box->palette()));
    box->setDefaultButton(box->addButton(tr("&Go on training"), QMessageBox::AcceptRole));
    const QPushButton* leave = box->addButton(tr("&Quit SunLoCo"), QMessageBox::DestructiveRole);
    connect(leave, &QPushButton::clicked, this, &DesktopShell::quit);
    box->open();
    Q_EMIT saidThatItGoesOn(text);
}

void DesktopShell::quit()
{
    if (m_quitting)
        return;
    m_quitting = true;
    if (m_wizard)
        m_wizard->close();
    if (m_window) {
        m_state.setGeometry(m_window->saveGeometry());
        m_window->hide();
    }
    QTimer::singleShot(kQuietQuitMs, this, [this] {
        if (m_finished)
            return;
        m_saving = std::make_unique<SavingDialog>(m_theme);
        connect(m_saving.get(), &SavingDialog::quitAtOnce, this, &DesktopShell::agentFinished);
        m_saving->show();
    });
    m_agent.quit();
}

void DesktopShell::agentFinished()
{
    if (m_finished)
        return;
    m_finished = true;
    if (m_saving)
        m_saving->hide();
    Q_EMIT finished();
}

}  // namespace sunloco::ui
