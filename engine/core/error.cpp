// SPDX-License-Identifier: Apache-2.0
#include "engine/core/error.h"

namespace sunloco::core {

std::string_view errorName(ErrorCode code) {
    switch (code) {
    case ErrorCode::InvalidArgument: return "invalid-argument";
    case ErrorCode::InvalidData: return "invalid-data";
    case ErrorCode::LimitExceeded: return "limit-exceeded";
    case ErrorCode::NotFound: return "not-found";
    case ErrorCode::AlreadyExists: return "already-exists";
    case ErrorCode::Conflict: return "conflict";
    case ErrorCode::Io: return "io";
    case ErrorCode::DiskFull: return "disk-full";
    case ErrorCode::PermissionDenied: return "permission-denied";
    case ErrorCode::Unsupported: return "unsupported";
    case ErrorCode::VersionTooNew: return "version-too-new";
    case ErrorCode::HashMismatch: return "hash-mismatch";
    case ErrorCode::SignatureInvalid: return "signature-invalid";
    case ErrorCode::Expired: return "expired";
    case ErrorCode::Network: return "network";
    case ErrorCode::Timeout: return "timeout";
    case ErrorCode::TooManyRequests: return "too-many-requests";
    case ErrorCode::ServerError: return "server-error";
    case ErrorCode::Cancelled: return "cancelled";
    case ErrorCode::Busy: return "busy";
    case ErrorCode::Crash: return "crash";
    case ErrorCode::OutOfMemory: return "out-of-memory";
    case ErrorCode::Numeric: return "numeric";
    case ErrorCode::DeviceLost: return "device-lost";
    case ErrorCode::Internal: return "internal";
    }
    return "internal";
}

std::string Error::text() const {
    return context.empty() ? message : message + " (" + context + ")";
}

}  // namespace sunloco::core
