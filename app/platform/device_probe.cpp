// SPDX-License-Identifier: Apache-2.0
#include "app/platform/device_probe.h"

#include "app/energy/nvml_library.h"
#include "app/platform/kernel_file.h"

#include <QSysInfo>

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace sunloco::platform {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) text.remove_suffix(1);
    return text;
}

/// "name : value" lines.
std::pair<std::string_view, std::string_view> splitLine(std::string_view line) {
    const auto colon = line.find(':');
    return colon == std::string_view::npos ? std::pair(trim(line), std::string_view{}) : std::pair(trim(line.substr(0, colon)), trim(line.substr(colon + 1)));
}

DeviceInfo probeProcessor(const std::filesystem::path& procFolder) {
    DeviceInfo cpu;
    cpu.id = QStringLiteral("cpu");
    std::istringstream info(readKernelFile(procFolder / "cpuinfo"));
    std::set<std::pair<std::string, std::string>> cores;
    std::string package;
    for (std::string line; std::getline(info, line);) {
        const auto [name, value] = splitLine(line);
        if (name == "processor") {
            ++cpu.logicalCores;
        } else if (name == "model name" && cpu.name.isEmpty()) {
            cpu.name = QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
        } else if (name == "physical id") {
            package = value;
        } else if (name == "core id") {
            cores.emplace(package, std::string(value));
        }
    }
    if (cpu.logicalCores == 0) {
        cpu.logicalCores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    }
    // Some processors and virtual machines do not tell their cores: then each thread counts as one.
    cpu.physicalCores = cores.empty() ? cpu.logicalCores : static_cast<int>(cores.size());
    if (cpu.name.isEmpty()) {
        cpu.name = QSysInfo::currentCpuArchitecture();
    }
    std::istringstream memory(readKernelFile(procFolder / "meminfo"));
    for (std::string line; std::getline(memory, line);) {
        const auto [name, value] = splitLine(line);
        if (name == "MemTotal") {
            std::int64_t kib = 0;
            std::from_chars(value.data(), value.data() + value.size(), kib);
            cpu.memoryBytes = kib * 1024;
            break;
        }
    }
    return cpu;
}

}  // namespace

std::vector<DeviceInfo> probeDevices(energy::NvmlLibrary* nvml, SleepingCards sleeping, const std::filesystem::path& procFolder) {
    std::vector<DeviceInfo> devices{probeProcessor(procFolder)};
    if (nvml == nullptr || (sleeping == SleepingCards::LeaveAsleep && energy::allNvidiaCardsSleep())) {
        return devices;
    }
    const bool wasOpen = nvml->isOpen();
    if (const auto cards = nvml->cards()) {
        const QString driver = QString::fromStdString(nvml->driverVersion().value_or({}));
        for (const energy::NvmlCard& card : *cards) {
            DeviceInfo device;
            device.id = QString::fromStdString(card.uuid);
            device.kind = DeviceKind::Cuda;
            device.name = QString::fromStdString(card.name);
            device.memoryBytes = card.memoryBytes;
            device.driver = driver;
            device.computeCapability = card.computeCapability;
            devices.push_back(std::move(device));
        }
    }
    if (!wasOpen) {
        nvml->close();
    }
    return devices;
}

int automaticThreads(const DeviceInfo& cpu) { return std::max(1, cpu.physicalCores - 1); }

QString hostName() { return QSysInfo::machineHostName(); }

}  // namespace sunloco::platform
