// SPDX-License-Identifier: Apache-2.0
#include "app/energy/power_meter.h"

#include "app/energy/nvml_library.h"
#include "app/platform/kernel_file.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

namespace sunloco::energy {
namespace {

/// Rated package power where the processor's own limit cannot be read: common values of desktop and notebook processors.
constexpr double kDesktopWatts = 65;
constexpr double kNotebookWatts = 28;
/// No card and no processor of a PC draws more; a counter that says so was reset.
constexpr double kAbsurdWatts = 5000;

/// The package zones of powercap ("intel-rapl:0", AMD processors use the same name); not their parts and not the platform's zone.
std::vector<std::filesystem::path> packageZones(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> zones;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("intel-rapl:") && std::count(name.begin(), name.end(), ':') == 1 && platform::readKernelFile(entry.path() / "name").starts_with("package")) {
            zones.push_back(entry.path());
        }
    }
    std::sort(zones.begin(), zones.end());
    return zones;
}

/// utime + stime of one process with all its threads (proc_pid_stat(5), fields 14 and 15), in clock ticks.
std::uint64_t processTicks(const std::filesystem::path& procFolder, std::int64_t pid) {
    const std::string text = platform::readKernelFile(procFolder / std::to_string(pid) / "stat");
    // The name in brackets may hold spaces and brackets: count from the last one.
    const auto bracket = text.rfind(')');
    if (bracket == std::string::npos) {
        return 0;
    }
    std::istringstream fields(text.substr(bracket + 1));
    std::string skipped;
    for (int field = 3; field <= 13; ++field) {
        fields >> skipped;
    }
    std::uint64_t user = 0;
    std::uint64_t system = 0;
    fields >> user >> system;
    return fields.fail() ? 0 : user + system;
}

/// Busy processor time of everybody (proc_stat(5)): all but idle and iowait; guest time is already in user time.
std::uint64_t busyTicks(const std::filesystem::path& procFolder) {
    std::istringstream line(platform::readKernelFile(procFolder / "stat"));
    std::string cpu;
    line >> cpu;
    std::uint64_t busy = 0;
    std::uint64_t value = 0;
    for (int field = 0; field < 8 && line >> value; ++field) {
        if (field != 3 && field != 4) {
            busy += value;
        }
    }
    return busy;
}

}  // namespace

std::string_view powerSourceName(PowerSource source) {
    switch (source) {
    case PowerSource::Nvml: return "nvml";
    case PowerSource::Rapl: return "rapl";
    case PowerSource::Battery: return "battery";
    case PowerSource::Estimate: return "estimate";
    }
    return "";
}

PowerMeter::PowerMeter(const core::Clock& clock, PowerMeterOptions options) : m_clock(clock), m_options(std::move(options)) {}

void PowerMeter::setWorkers(std::vector<MeteredWorker> workers) {
    m_workers = std::move(workers);
    m_byDevice.clear();
    const bool cards = std::any_of(m_workers.begin(), m_workers.end(), [](const MeteredWorker& w) { return w.deviceId != "cpu"; });
    if (!cards && m_options.nvml != nullptr) {
        m_options.nvml->close();
    }
    m_before.reset();
    if (!m_workers.empty()) {
        m_before = count();
    }
}

PowerMeter::Counters PowerMeter::count() {
    Counters counters;
    counters.at = m_clock.monotonicNow();
    for (const MeteredWorker& worker : m_workers) {
        counters.ownTicks += processTicks(m_options.procFolder, worker.pid);
        if (worker.deviceId != "cpu" && m_options.nvml != nullptr) {
            if (const auto energy = m_options.nvml->milliJoules(worker.deviceId)) {
                counters.cardMilliJoules[worker.deviceId] = *energy;
            }
        }
    }
    counters.busyTicks = busyTicks(m_options.procFolder);
    for (const auto& zone : packageZones(m_options.powercapFolder)) {
        if (const auto energy = platform::readKernelNumber(zone / "energy_uj")) {
            counters.packageMicroJoules[zone.string()] = *energy;
        }
    }
    return counters;
}

std::optional<PowerReading> PowerMeter::read() {
    if (m_workers.empty() || !m_before) {
        return std::nullopt;
    }
    const Counters before = std::move(*m_before);
    m_before = count();
    m_byDevice.clear();
    if (m_before->at <= before.at) {
        return std::nullopt;
    }
    PowerReading total = processorPower(before, *m_before);
    m_byDevice["cpu"] = total;
    std::set<std::string> cards;
    for (const MeteredWorker& worker : m_workers) {
        if (worker.deviceId == "cpu" || !cards.insert(worker.deviceId).second) {
            continue;
        }
        if (const auto card = cardPower(worker.deviceId, before, *m_before)) {
            m_byDevice[worker.deviceId] = *card;
            // The card is the larger part: the sum is called by it, and is an estimate as soon as one part is.
            total.source = card->source;
            total.watts += card->watts;
        } else {
            // A card whose draw nobody measures is missing from the sum.
            total.isEstimate = true;
        }
    }
    return total;
}

PowerReading PowerMeter::processorPower(const Counters& before, const Counters& after) const {
    const double seconds = static_cast<double>(after.at - before.at) / 1000.0;
    const auto grown = [](std::uint64_t from, std::uint64_t to) { return to > from ? static_cast<double>(to - from) : 0.0; };
    const double own = grown(before.ownTicks, after.ownTicks);
    const double busy = grown(before.busyTicks, after.busyTicks);
    const double share = busy > 0 ? std::min(own / busy, 1.0) : 0.0;

    double microJoules = 0;
    bool metered = !after.packageMicroJoules.empty();
    for (const auto& [zone, now] : after.packageMicroJoules) {
        const auto found = before.packageMicroJoules.find(zone);
        if (found == before.packageMicroJoules.end()) {
            metered = false;
            break;
        }
        double used = grown(found->second, now);
        if (now < found->second) {
            // The counter wraps at max_energy_range_uj.
            const std::uint64_t range = platform::readKernelNumber(std::filesystem::path(zone) / "max_energy_range_uj").value_or(0);
            used = range >= found->second ? static_cast<double>(range - found->second + now) : 0.0;
        }
        microJoules += used;
    }
    const double packageWatts = microJoules / 1e6 / seconds;
    if (metered && packageWatts > 0 && packageWatts < kAbsurdWatts) {
        return {packageWatts * share, PowerSource::Rapl, false};
    }
    if (const auto drained = batteryWatts()) {
        // The whole PC's draw, screen and all, shared by processor time: better than a table, but not our meter.
        return {*drained * share, PowerSource::Battery, true};
    }
    // Processor seconds per second = cores in use; the package's rated power belongs to all of them. The kernel counts 100 ticks a second.
    constexpr double kTicksPerSecond = 100;
    const double cores = std::max(1U, std::thread::hardware_concurrency());
    return {std::min(own / kTicksPerSecond / seconds / cores, 1.0) * ratedWatts(), PowerSource::Estimate, true};
}

std::optional<PowerReading> PowerMeter::cardPower(const std::string& uuid, const Counters& before, const Counters& after) {
    const auto from = before.cardMilliJoules.find(uuid);
    const auto to = after.cardMilliJoules.find(uuid);
    if (from != before.cardMilliJoules.end() && to != after.cardMilliJoules.end() && to->second >= from->second) {
        // mJ / ms = W.
        const double watts = static_cast<double>(to->second - from->second) / static_cast<double>(after.at - before.at);
        if (watts < kAbsurdWatts) {
            return PowerReading{watts, PowerSource::Nvml, false};
        }
    }
    if (m_options.nvml != nullptr) {
        if (const auto watts = m_options.nvml->watts(uuid); watts && *watts < kAbsurdWatts) {
            return PowerReading{*watts, PowerSource::Nvml, false};
        }
    }
    return std::nullopt;
}

std::optional<double> PowerMeter::batteryWatts() const {
    double microWatts = 0;
    bool discharging = false;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(m_options.powerSupplyFolder, failed)) {
        const auto& path = entry.path();
        if (platform::readKernelFile(path / "type") != "Battery" || platform::readKernelFile(path / "scope") == "Device" || platform::readKernelFile(path / "status") != "Discharging") {
            continue;
        }
        if (const auto power = platform::readKernelNumber(path / "power_now")) {
            microWatts += static_cast<double>(*power);
            discharging = true;
            continue;
        }
        const auto current = platform::readKernelNumber(path / "current_now");
        const auto voltage = platform::readKernelNumber(path / "voltage_now");
        if (current && voltage) {
            microWatts += static_cast<double>(*current) * static_cast<double>(*voltage) / 1e6;
            discharging = true;
        }
    }
    const double watts = microWatts / 1e6;
    return discharging && watts > 0 && watts < kAbsurdWatts ? std::optional(watts) : std::nullopt;
}

double PowerMeter::ratedWatts() const {
    double watts = 0;
    for (const auto& zone : packageZones(m_options.powercapFolder)) {
        // The long-term limit is readable by all and close to the rated power.
        watts += static_cast<double>(platform::readKernelNumber(zone / "constraint_0_power_limit_uw").value_or(0)) / 1e6;
    }
    if (watts > 0 && watts < kAbsurdWatts) {
        return watts;
    }
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(m_options.powerSupplyFolder, failed)) {
        if (platform::readKernelFile(entry.path() / "type") == "Battery" && platform::readKernelFile(entry.path() / "scope") != "Device") {
            return kNotebookWatts;
        }
    }
    return kDesktopWatts;
}

}  // namespace sunloco::energy
