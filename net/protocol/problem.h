// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <optional>

namespace sunloco::protocol {

/// Every code of an error answer. Clients decide from the code; the texts are for people.
enum class ProblemCode {
    BadRequest,          ///< the body or a header does not follow its schema
    BadSignature,
    ClockSkew,
    ReplayedNonce,
    UnknownDevice,
    BearerInvalid,
    BearerExpired,
    InviteRequired,
    InviteUsed,
    DeviceBlocked,
    NotFound,
    MethodNotAllowed,
    RequestTimeout,
    RoundDoneForYou,
    NoDataLeft,
    RoundClosing,
    RoundClosed,
    LeaseExpired,
    SequenceReused,      ///< two devices seem to share one key
    BaseMismatch,        ///< the contribution was trained from another base
    MissingParts,
    OtherDigest,         ///< this part is there with another digest, or differs from the one announced
    DigestMismatch,      ///< the body does not have the digest it claims
    KeyReused,           ///< Idempotency-Key with another body
    LengthRequired,
    TooLarge,
    WrongMediaType,
    RangeNotSatisfiable,
    UpgradeRequired,     ///< the server needs a newer client
    TooManyRequests,
    HeadersTooLarge,
    InternalError,
    Unavailable,
    StorageFull,
    Other,               ///< a code this version does not know; decide from the status
};

std::string_view name(ProblemCode code);                  ///< "round-closed"
ProblemCode parseProblemCode(std::string_view text);      ///< Other when unknown
int statusOf(ProblemCode code);                           ///< the HTTP status it goes with
std::string_view titleOf(ProblemCode code);

/// RFC 9457 problem document, `application/problem+json`: {type, title, status, detail, code, retry_after_ms?}.
struct Problem {
    int status = 0;
    ProblemCode code = ProblemCode::Other;
    std::string title;
    std::string detail;
    std::optional<std::int64_t> retryAfterMs;
    bool operator==(const Problem&) const = default;

    static core::Result<Problem> parse(std::string_view text);
    [[nodiscard]] std::string serialise() const;
    /// As an error value: kind from code and status, message from title and detail.
    [[nodiscard]] core::Error toError(std::string_view context) const;
};

/// Status and title from the code.
Problem makeProblem(ProblemCode code, std::string detail, std::optional<std::int64_t> retryAfterMs = {});

}  // namespace sunloco::protocol
