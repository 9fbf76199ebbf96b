// SPDX-License-Identifier: Apache-2.0
// sunloco: the agent with tray icon and window. Reads the command line and wires the parts together.
#include "app/agent/agent_runtime.h"
#include "app/desktop/single_instance.h"
#include "app/platform/stop_signals.h"
#include "engine/core/exit_codes.h"
#include "ui/tray/desktop_shell.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/ui_state.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QMessageBox>

#include <cstdio>

namespace {

using namespace sunloco;

struct Options {
    std::string configDir;
    std::string dataDir;
    std::string link;
    bool minimized = false;
};

/// -1 = go on; else the exit code.
int readCommandLine(int argc, char** argv, Options& options)
{
    CLI::App cli{"SunLoCo: trains open AI models while this PC is idle. Tray icon and window; sunloco-ctl is its command line."};
    cli.add_flag("--minimized", options.minimized, "Start in the tray, without a window");
    cli.add_option("--config-dir", options.configDir, "Folder of the settings (default: ~/.config/sunloco)");
    cli.add_option("--data-dir", options.dataDir, "Folder of models, keys and finished work (default: ~/.local/share/sunloco)");
    cli.add_option("LINK", options.link, "Project link: opens the set-up with it");
    cli.set_version_flag("--version", "sunloco 0.1.0");
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = cli.exit(error);
        return code == 0 ? 0 : static_cast<int>(core::ExitCode::Usage);
    }
    return -1;
}

int fail(const core::Error& error)
{
    std::fprintf(stderr, "sunloco: %s\n", error.text().c_str());
    QMessageBox box(QMessageBox::Critical, QStringLiteral("SunLoCo"), QString::fromStdString(error.text()));
    box.setWindowIcon(ui::icons::application());
    box.exec();
    return static_cast<int>(core::exitCodeFor(error.code));
}

}  // namespace

int main(int argc, char** argv)
{
    Options options;
    if (const int code = readCommandLine(argc, argv, options); code >= 0)
        return code;
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("sunloco"));
    QApplication::setApplicationDisplayName(QStringLiteral("SunLoCo"));
    QApplication::setDesktopFileName(QStringLiteral("sunloco"));
    QApplication::setWindowIcon(ui::icons::application());
    QApplication::setQuitOnLastWindowClosed(false);

    agent::RuntimeOptions runtime;
    runtime.configDir = options.configDir;
    runtime.dataDir = options.dataDir;
    runtime.keyPlace = agent::KeyPlace::KeychainOrFile;
    runtime = agent::withDefaultFolders(runtime);

    // From here on a request to end is kept until there is something to end.
    platform::StopSignals signals;
    bool stopAsked = false;
    QObject::connect(&signals, &platform::StopSignals::stopRequested, &app, [&stopAsked] { stopAsked = true; });
    desktop::SingleInstance instance(runtime.dataDir);
    switch (instance.begin(QString::fromStdString(options.link))) {
    case desktop::SingleInstance::Role::First: break;
    case desktop::SingleInstance::Role::Second: return static_cast<int>(core::ExitCode::Ok);
    case desktop::SingleInstance::Role::Unclear:
        return fail({core::ErrorCode::Busy, "SunLoCo already runs for this data folder but does not answer; end it (sunloco-ctl quit) and start again",
                     runtime.dataDir.string()});
    }

    auto started = agent::startAgent(runtime);
    if (!started)
        return fail(started.error());
    const std::unique_ptr<agent::AgentApi> agent = std::move(started).value();

    ui::UiState state(QString::fromStdString((runtime.configDir / "window.ini").string()));
    ui::DesktopShell shell(*agent, state, ui::TrayUse::Auto);
    QObject::connect(&shell, &ui::DesktopShell::finished, &app, &QApplication::quit);
    QObject::connect(&signals, &platform::StopSignals::stopRequested, &shell, &ui::DesktopShell::quit);
    QObject::connect(&instance, &desktop::SingleInstance::raiseRequested, &shell, [&shell](const QString& link) {
        shell.raiseWindow();
        if (!link.isEmpty())
            shell.openWizard(link);
    });
    shell.start(options.minimized ? ui::StartAs::Minimized : ui::StartAs::Window);
    if (!options.link.empty())
        shell.openWizard(QString::fromStdString(options.link));
    if (stopAsked)
        QMetaObject::invokeMethod(&shell, &ui::DesktopShell::quit, Qt::QueuedConnection);
    return QApplication::exec();
}
