// SPDX-License-Identifier: Apache-2.0
#include "engine/train/courtesy.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

namespace sunloco::train {

namespace {

constexpr int kLowestNice = 19;
// linux/ioprio.h is missing on older systems; the numbers are the kernel's interface.
constexpr int kIoWhoProcess = 1;
constexpr int kIoClassIdle = 3;
constexpr int kIoClassShift = 13;

std::string complaint(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

/// A value of /proc/self/status in MiB ("VmHWM:   1234 kB").
double statusMegabytes(std::string_view key) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key)) return std::strtod(line.c_str() + key.size(), nullptr) / 1024;
    return 0;
}

std::string cpuInfo(std::string_view key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(key))
            if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
    return {};
}

}  // namespace

core::Result<Priority> parsePriority(std::string_view text) {
    if (text == "normal") return Priority::Normal;
    if (text == "low") return Priority::Low;
    if (text == "idle") return Priority::Idle;
    return core::Error{core::ErrorCode::InvalidArgument, "the priority must be normal, low or idle, not '" + std::string(text) + "'", {}};
}

std::vector<std::string> applyPriority(Priority priority) {
    std::vector<std::string> refused;
    if (priority == Priority::Normal) return refused;
    if (setpriority(PRIO_PROCESS, 0, kLowestNice) != 0) refused.push_back(complaint("nice 19 was not granted"));
    // Where the kernel shares the processor between sessions first (sched(7), autogroup), nice counts only within a session. Only a session of our own is
    // ours to slow down.
    if (getsid(0) == getpid())
        if (std::ofstream file("/proc/self/autogroup"); file && !(file << kLowestNice << std::flush)) refused.push_back("the session's nice 19 was not granted");
    if (syscall(SYS_ioprio_set, kIoWhoProcess, 0, kIoClassIdle << kIoClassShift) != 0) refused.push_back(complaint("the idle I/O class was not granted"));
    if (std::ofstream file("/proc/self/oom_score_adj"); !(file << 1000 << std::flush)) refused.push_back("oom_score_adj could not be raised");
    if (priority == Priority::Idle) {
        const sched_param parameters{};
        if (sched_setscheduler(0, SCHED_IDLE, &parameters) != 0) refused.push_back(complaint("SCHED_IDLE was not granted"));
    }
    return refused;
}

void preferPassiveWaiting(char** argv) {
    if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
    setenv("GOMP_SPINCOUNT", "0", 0);
    execv("/proc/self/exe", argv);
    // Without /proc the threads spin; everything else works.
}

int physicalCores() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;
    std::set<std::string> cores;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &mask)) continue;
        std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
        std::string siblings;
        if (!std::getline(file, siblings)) siblings = std::to_string(cpu);
        cores.insert(siblings);
    }
    return std::max(1, static_cast<int>(cores.size()));
}

std::string processorName() {
    std::string name = cpuInfo("model name");
    return name.empty() ? "CPU" : name;
}

std::uint64_t physicalMemoryBytes() {
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) : 0;
}

double peakResidentMegabytes() { return statusMegabytes("VmHWM:"); }
double residentMegabytes() { return statusMegabytes("VmRSS:"); }

}  // namespace sunloco::train
