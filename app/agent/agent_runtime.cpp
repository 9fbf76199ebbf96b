// SPDX-License-Identifier: Apache-2.0
#include "app/agent/agent_runtime.h"

#include "app/agent/agent_ipc.h"
#include "net/ipc/socket_path.h"

namespace sunloco::agent {
namespace {

/// Of the devices of this PC those that the worker can train on. Cards are added here once engine_cuda trains whole models.
std::vector<platform::DeviceInfo> trainableDevices() {
    std::vector<platform::DeviceInfo> devices;
    for (platform::DeviceInfo& info : platform::probeDevices(nullptr, platform::SleepingCards::LeaveAsleep)) {
        if (info.kind == platform::DeviceKind::Cpu) devices.push_back(std::move(info));
    }
    return devices;
}

}  // namespace

RuntimeOptions withDefaultFolders(RuntimeOptions options) {
    if (options.configDir.empty()) options.configDir = ipc::defaultConfigDir();
    if (options.dataDir.empty()) options.dataDir = ipc::defaultDataDir();
    options.configDir = std::filesystem::absolute(options.configDir).lexically_normal();
    options.dataDir = std::filesystem::absolute(options.dataDir).lexically_normal();
    return options;
}

core::Result<std::unique_ptr<AgentApi>> startAgent(const RuntimeOptions& given) {
    const RuntimeOptions options = withDefaultFolders(given);
    // LibTorch's threads sleep while they wait instead of keeping a core busy; workers inherit it.
    if (!qEnvironmentVariableIsSet("OMP_WAIT_POLICY")) qputenv("OMP_WAIT_POLICY", "PASSIVE");
    auto folder = DataFolder::take(options.dataDir);
    if (!folder) return folder.error();
    auto settings = SettingsStore::open(options.configDir);
    if (!settings) return settings.error();
    auto journal = Journal::open(options.dataDir / "journal.db", nullptr);
    if (!journal) return journal.error();

    const auto clock = std::make_shared<core::SystemClock>();
    platform::SensorOptions sensorOptions;
    sensorOptions.dataFolder = options.dataDir;
    AgentParts parts{clock, std::move(*folder), std::move(*settings), std::move(*journal), platform::makeSystemSensors(*clock, sensorOptions), trainableDevices(), options.keyPlace,
                     options.workerProgram, options.logToStderr ? AgentLog::Stderr::On : AgentLog::Stderr::Off, nullptr};
    auto agent = std::make_unique<Agent>(std::move(parts));
    if (auto started = agent->start(); !started) return started.error();
    auto* socket = new AgentIpc(*agent, agent.get());
    if (auto listening = socket->listen(ipc::socketPath(options.dataDir)); !listening) return listening.error();
    return std::unique_ptr<AgentApi>(std::move(agent));
}

}  // namespace sunloco::agent
