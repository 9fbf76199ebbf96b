// SPDX-License-Identifier: Apache-2.0
#include "engine/core/exit_codes.h"

namespace sunloco::core {

ExitCode exitCodeFor(ErrorCode code) {
    switch (code) {
    case ErrorCode::InvalidArgument:
    case ErrorCode::InvalidData:
    case ErrorCode::LimitExceeded:
    case ErrorCode::NotFound:
    case ErrorCode::AlreadyExists:
    case ErrorCode::Unsupported:
    case ErrorCode::HashMismatch:
    case ErrorCode::SignatureInvalid:
    case ErrorCode::Expired: return ExitCode::BadInput;
    case ErrorCode::Network:
    case ErrorCode::Timeout: return ExitCode::NotReachable;
    case ErrorCode::Busy: return ExitCode::Busy;
    case ErrorCode::Conflict:
    case ErrorCode::PermissionDenied:
    case ErrorCode::TooManyRequests: return ExitCode::Refused;
    case ErrorCode::VersionTooNew: return ExitCode::VersionTooNew;
    case ErrorCode::OutOfMemory: return ExitCode::OutOfMemory;
    case ErrorCode::DeviceLost: return ExitCode::DeviceLost;
    case ErrorCode::Numeric: return ExitCode::NumericFailure;
    case ErrorCode::DiskFull: return ExitCode::DiskFull;
    case ErrorCode::Cancelled: return ExitCode::Cancelled;
    case ErrorCode::Io:
    case ErrorCode::ServerError:
    case ErrorCode::Crash:
    case ErrorCode::Internal: return ExitCode::Failed;
    }
    return ExitCode::Failed;
}

}  // namespace sunloco::core
