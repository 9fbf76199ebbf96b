// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/energy/power_reading.h"
#include "engine/core/clock.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sunloco::energy {

class NvmlLibrary;

struct PowerMeterOptions {
    std::filesystem::path procFolder = "/proc";
    std::filesystem::path powercapFolder = "/sys/class/powercap";
    std::filesystem::path powerSupplyFolder = "/sys/class/power_supply";
    NvmlLibrary* nvml = nullptr;    ///< none: no cards are measured
};

/// A worker process and the device it trains on.
struct MeteredWorker {
    std::int64_t pid = 0;
    std::string deviceId = "cpu";   ///< "cpu" or a card's UUID
};

/// Measures the draw of our own workers: cards by NVML, the processor by RAPL, else the battery's discharge, else an estimate.
/// Thread: any one thread. Each read() covers the time since the read() before.
class PowerMeter {
public:
    PowerMeter(const core::Clock& clock, PowerMeterOptions options);

    /// Who is to be measured from now on; empty when nothing trains (then no card is touched, so that it may sleep).
    void setWorkers(std::vector<MeteredWorker> workers);
    /// Mean watts of all workers since the last call; none at the first call after setWorkers() and when nothing trains.
    std::optional<PowerReading> read();
    /// The same by device, from the last read(). A card's part is its board; a worker's processor time counts under "cpu".
    [[nodiscard]] const std::map<std::string, PowerReading>& byDevice() const { return m_byDevice; }

private:
    struct Counters {
        core::MonotonicMs at = 0;
        std::uint64_t ownTicks = 0;                  ///< processor time of the workers
        std::uint64_t busyTicks = 0;                 ///< of everybody
        std::map<std::string, std::uint64_t> packageMicroJoules;
        std::map<std::string, std::uint64_t> cardMilliJoules;
    };
    [[nodiscard]] Counters count();
    [[nodiscard]] PowerReading processorPower(const Counters& before, const Counters& after) const;
    [[nodiscard]] std::optional<PowerReading> cardPower(const std::string& uuid, const Counters& before, const Counters& after);
    [[nodiscard]] std::optional<double> batteryWatts() const;
    [[nodiscard]] double ratedWatts() const;

    const core::Clock& m_clock;
    PowerMeterOptions m_options;
    std::vector<MeteredWorker> m_workers;
    std::optional<Counters> m_before;
    std::map<std::string, PowerReading> m_byDevice;
};

}  // namespace sunloco::energy
