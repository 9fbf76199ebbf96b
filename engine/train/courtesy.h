// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <string>
#include <vector>

namespace sunloco::train {

enum class Priority {
    Normal,  ///< leave the process as it was started
    Low,     ///< nice 19, idle I/O class, first victim when memory runs out
    Idle,    ///< the same with SCHED_IDLE: runs only when nothing else wants the processor
};
core::Result<Priority> parsePriority(std::string_view text);

/// Makes this process give way to everything else; threads started later inherit it. Returns what the system did not grant, one sentence each.
std::vector<std::string> applyPriority(Priority priority);

/// Makes OpenMP's threads sleep when they wait instead of spinning. Their runtime reads its settings while the program is loaded, so the program
/// starts itself once more with them unless they are set already. Call first in main.
void preferPassiveWaiting(char** argv);

/// Physical cores that this process may use, at least 1.
int physicalCores();
/// The processor's own name ("AMD Ryzen ..."), or "CPU".
std::string processorName();
std::uint64_t physicalMemoryBytes();
/// Largest resident size of this process so far.
double peakResidentMegabytes();
double residentMegabytes();

}  // namespace sunloco::train
