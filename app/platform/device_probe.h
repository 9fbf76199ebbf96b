// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sunloco::energy {
class NvmlLibrary;
}

namespace sunloco::platform {

enum class DeviceKind { Cpu, Cuda };

/// A device that could train.
struct DeviceInfo {
    QString id;                       ///< stable over restarts: "cpu", or the card's UUID "GPU-…" (CUDA_VISIBLE_DEVICES takes it, the worker then says "cuda:0")
    DeviceKind kind = DeviceKind::Cpu;
    QString name;                     ///< the system's own name: "AMD Ryzen 7 7700X", "NVIDIA GeForce RTX 4070"
    std::int64_t memoryBytes = 0;     ///< main memory, or the card's
    int physicalCores = 0;            ///< processors only
    int logicalCores = 0;             ///< processors only
    QString driver;                   ///< driver version; cards only
    int computeCapability = 0;        ///< 89 = sm_89; cards only, 0 = not told
};

/// The processor first, then the NVIDIA cards. Cards that sleep are left asleep and out of the list unless `sleeping` says so.
enum class SleepingCards { LeaveAsleep, Wake };
std::vector<DeviceInfo> probeDevices(energy::NvmlLibrary* nvml, SleepingCards sleeping, const std::filesystem::path& procFolder = "/proc");

/// Threads that leave the desktop its own core: physical cores less one (at least 1); what "cpu.threads = 0" stands for.
int automaticThreads(const DeviceInfo& cpu);

/// This PC's name, for the enrolment and the window.
QString hostName();

}  // namespace sunloco::platform
