// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace sunloco::core {

/// What kind of failure it is. Retry and exit codes are decided from this, sentences for people are made from it elsewhere.
enum class ErrorCode {
    InvalidArgument,   ///< the caller's input is wrong
    InvalidData,       ///< foreign bytes do not follow their format
    LimitExceeded,     ///< foreign bytes are larger, deeper or more than allowed
    NotFound,
    AlreadyExists,
    Conflict,          ///< the other side is in a state that forbids this
    Io,
    DiskFull,
    PermissionDenied,
    Unsupported,       ///< a feature we do not have; the message names it
    VersionTooNew,     ///< written by a newer version of this program
    HashMismatch,
    SignatureInvalid,
    Expired,
    Network,           ///< no answer, or an answer that is not from our server
    Timeout,
    TooManyRequests,
    ServerError,
    Cancelled,
    Busy,
    Crash,             ///< a child process died
    OutOfMemory,
    Numeric,           ///< NaN, Inf or a loss far outside its band
    DeviceLost,
    Internal,
};

/// Stable lower-case name, used in JSON, logs and problem documents.
std::string_view errorName(ErrorCode code);

/// An error as a value: what happened (`message`, one English sentence for logs and developers), where (`context`: file, URL, key).
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string context;

    /// "message (context)" for logs and command lines.
    [[nodiscard]] std::string text() const;
};

}  // namespace sunloco::core
