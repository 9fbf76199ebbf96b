// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/error.h"

namespace sunloco::core {

/// Exit codes of every SunLoCo program; scripts and the agent's supervisor rely on them.
enum class ExitCode : int {
    Ok = 0,
    Failed = 1,            ///< a failure without a more exact code
    Usage = 2,             ///< wrong command line
    BadInput = 3,          ///< a file, link, config or folder given by a person is wrong
    NotReachable = 4,      ///< no agent or server answered
    Busy = 5,              ///< the port, folder or instance is in use
    Refused = 6,           ///< the other side said no
    VersionTooNew = 7,     ///< data or peer is newer than this program
    CheckFailed = 8,       ///< a comparison did not hold (replay, parity, selftest, demo)
    ProtocolError = 10,    ///< worker: a frame was malformed; the agent starts a fresh worker
    JobInvalid = 11,       ///< worker: the job folder is wrong; the agent gives the lease back
    OutOfMemory = 12,      ///< worker: no memory; the agent replans or gives the lease back
    DeviceLost = 13,       ///< worker: the device is gone; the agent waits, then tries again
    NumericFailure = 14,   ///< worker: NaN, Inf or a loss outside its band, after roll-backs; the agent gives the lease back
    DiskFull = 15,         ///< the agent waits for space
    Cancelled = 16,        ///< stopped on request; state is saved
    Interrupted = 130,     ///< Ctrl+C
};

/// The exit code a command line program ends with for an error.
ExitCode exitCodeFor(ErrorCode code);

}  // namespace sunloco::core
