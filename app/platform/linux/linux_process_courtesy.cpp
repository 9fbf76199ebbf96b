// SPDX-License-Identifier: Apache-2.0
#include "app/platform/process_courtesy.h"

#include <cstddef>

#include <csignal>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sunloco::platform {

namespace {

/// Writes into a file of /proc; what the kernel does not have or grant is left.
void tell(const char* path, const char* text, std::size_t size) noexcept {
    if (const int file = ::open(path, O_WRONLY | O_CLOEXEC); file >= 0) {
        [[maybe_unused]] const auto written = ::write(file, text, size);
        ::close(file);
    }
}

}  // namespace

void giveWayToOthers() noexcept {
    ::setpriority(PRIO_PROCESS, 0, kWorkerNice);
    // Where the kernel shares the processor between sessions first (sched(7), autogroup), nice counts only within a session: so a session of its own,
    // and that one is nice too. As a session leader it leads a process group as well.
    if (::setsid() >= 0) tell("/proc/self/autogroup", "19", 2);
    // Reads and writes of the disk only when nobody else wants it (ioprio_set has no wrapper in the C library).
    ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
    // The worker must not outlive a parent that crashed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    static_assert(kWorkerOomScore == 800);
    tell("/proc/self/oom_score_adj", "800", 3);
}

}  // namespace sunloco::platform
