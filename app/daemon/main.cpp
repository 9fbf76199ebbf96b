// SPDX-License-Identifier: Apache-2.0
// sunlocod: the agent without a screen. Reads the command line and wires the parts together.
#include "app/agent/agent_runtime.h"
#include "app/platform/stop_signals.h"
#include "engine/core/exit_codes.h"

#include <CLI/CLI.hpp>
#include <QCoreApplication>

#include <cstdio>

using namespace sunloco;

int main(int argc, char** argv) {
    agent::RuntimeOptions options;
    std::string configDir;
    std::string dataDir;
    bool useKeychain = false;
    CLI::App cli{"sunlocod: trains open AI models while this PC is idle; without a screen. sunloco-ctl talks to it.", "sunlocod"};
    cli.add_option("--config-dir", configDir, "Folder of the settings (default: ~/.config/sunloco)");
    cli.add_option("--data-dir", dataDir, "Folder of models, keys and finished work (default: ~/.local/share/sunloco)");
    cli.add_flag("--keychain", useKeychain, "Keep new device keys in the desktop's keychain where one answers, instead of files of mode 0600");
    cli.set_version_flag("--version", "sunlocod 0.1.0");
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return cli.exit(error) == 0 ? 0 : static_cast<int>(core::ExitCode::Usage);
    }
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("sunlocod"));
    options.configDir = configDir;
    options.dataDir = dataDir;
    options.keyPlace = useKeychain ? agent::KeyPlace::KeychainOrFile : agent::KeyPlace::File;

    auto started = agent::startAgent(options);
    if (!started) {
        std::fprintf(stderr, "sunlocod: %s\n", started.error().text().c_str());
        return static_cast<int>(core::exitCodeFor(started.error().code));
    }
    const std::unique_ptr<agent::AgentApi> agent = std::move(started).value();
    platform::StopSignals signals;
    QObject::connect(&signals, &platform::StopSignals::stopRequested, agent.get(), &agent::AgentApi::quit);
    QObject::connect(agent.get(), &agent::AgentApi::finished, &app, &QCoreApplication::quit, Qt::QueuedConnection);
    return QCoreApplication::exec();
}
