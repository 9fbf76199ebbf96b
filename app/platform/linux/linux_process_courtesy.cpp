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

void giveWayToOthers() noexcept {
    ::setpriority(PRIO_PROCESS, 0, kWorkerNice);
    // Reads and writes of the disk only when nobody else wants it (ioprio_set has no wrapper in the C library).
    ::syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
    // The worker must not outlive a parent that crashed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
        constexpr char kScore[] = "800";
        static_assert(kWorkerOomScore == 800);
        [[maybe_unused]] const auto written = ::write(file, kScore, sizeof kScore - 1);
        ::close(file);
    }
}

}  // namespace sunloco::platform
