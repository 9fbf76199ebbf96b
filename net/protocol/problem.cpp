// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/problem.h"

#include "net/protocol/fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

namespace {

struct Row {
    ProblemCode code;
    std::string_view name;
    int status;
    ErrorCode error;
    std::string_view title;
};

constexpr Row kRows[] = {
    {ProblemCode::BadRequest, "bad-request", 400, ErrorCode::InvalidData, "The request is malformed"},
    {ProblemCode::DigestMismatch, "digest-mismatch", 400, ErrorCode::HashMismatch, "The body arrived changed"},
    {ProblemCode::BadSignature, "bad-signature", 401, ErrorCode::SignatureInvalid, "The signature is not right"},
    {ProblemCode::ClockSkew, "clock-skew", 401, ErrorCode::SignatureInvalid, "The clocks differ too much"},
    {ProblemCode::ReplayedNonce, "replayed-nonce", 401, ErrorCode::SignatureInvalid, "The request was seen before"},
    {ProblemCode::UnknownDevice, "unknown-device", 401, ErrorCode::PermissionDenied, "The device is not enrolled"},
    {ProblemCode::BearerInvalid, "bearer-invalid", 401, ErrorCode::PermissionDenied, "The upload permit is not right"},
    {ProblemCode::BearerExpired, "bearer-expired", 401, ErrorCode::PermissionDenied, "The upload permit has expired"},
    {ProblemCode::InviteRequired, "invite-required", 403, ErrorCode::PermissionDenied, "This project needs an invite code"},
    {ProblemCode::InviteUsed, "invite-used", 403, ErrorCode::PermissionDenied, "The invite code is unknown or used"},
    {ProblemCode::DeviceBlocked, "device-blocked", 403, ErrorCode::PermissionDenied, "The operator has blocked this device"},
    {ProblemCode::NotFound, "not-found", 404, ErrorCode::NotFound, "There is nothing at this address"},
    {ProblemCode::MethodNotAllowed, "method-not-allowed", 405, ErrorCode::InvalidArgument, "The method does not fit the address"},
    {ProblemCode::RequestTimeout, "request-timeout", 408, ErrorCode::Timeout, "The request came too slowly"},
    {ProblemCode::RoundDoneForYou, "round-done-for-you", 409, ErrorCode::Busy, "This device has done its part of the round"},
    {ProblemCode::NoDataLeft, "no-data-left", 409, ErrorCode::Busy, "The round has no data left"},
    {ProblemCode::RoundClosing, "round-closing", 409, ErrorCode::Busy, "The round is closing"},
    {ProblemCode::SequenceReused, "sequence-reused", 409, ErrorCode::Conflict, "Another device seems to use the same key"},
    {ProblemCode::BaseMismatch, "base-mismatch", 409, ErrorCode::Conflict, "The work was done from another base"},
    {ProblemCode::MissingParts, "missing-parts", 409, ErrorCode::Conflict, "Parts are missing"},
    {ProblemCode::OtherDigest, "other-digest", 409, ErrorCode::Conflict, "The part differs from the one announced"},
    {ProblemCode::RoundClosed, "round-closed", 410, ErrorCode::Expired, "The round is closed"},
    {ProblemCode::LeaseExpired, "lease-expired", 410, ErrorCode::Expired, "The lease has expired"},
    {ProblemCode::LengthRequired, "length-required", 411, ErrorCode::InvalidData, "The length must be stated"},
    {ProblemCode::TooLarge, "too-large", 413, ErrorCode::LimitExceeded, "The body is too large"},
    {ProblemCode::WrongMediaType, "wrong-media-type", 415, ErrorCode::InvalidData, "The body has the wrong type"},
    {ProblemCode::RangeNotSatisfiable, "range-not-satisfiable", 416, ErrorCode::InvalidArgument, "The object has no such bytes"},
    {ProblemCode::KeyReused, "key-reused", 422, ErrorCode::Conflict, "The idempotency key belongs to another request"},
    {ProblemCode::UpgradeRequired, "upgrade-required", 426, ErrorCode::Unsupported, "A newer version of SunLoCo is needed"},
    {ProblemCode::TooManyRequests, "too-many-requests", 429, ErrorCode::TooManyRequests, "Too many requests"},
    {ProblemCode::HeadersTooLarge, "headers-too-large", 431, ErrorCode::LimitExceeded, "The headers are too large"},
    {ProblemCode::InternalError, "internal-error", 500, ErrorCode::ServerError, "The server failed"},
    {ProblemCode::Unavailable, "unavailable", 503, ErrorCode::ServerError, "The server is busy or stopping"},
    {ProblemCode::StorageFull, "storage-full", 507, ErrorCode::ServerError, "The server's disk is full"},
};

const Row* rowOf(ProblemCode code) {
    for (const Row& row : kRows) {
        if (row.code == code) { return &row; }
    }
    return nullptr;
}

ErrorCode errorOfStatus(int status) {
    if (status >= 500) { return ErrorCode::ServerError; }
    if (status == 429) { return ErrorCode::TooManyRequests; }
    if (status == 408) { return ErrorCode::Timeout; }
    if (status == 404) { return ErrorCode::NotFound; }
    if (status == 401 || status == 403) { return ErrorCode::PermissionDenied; }
    return ErrorCode::Conflict;
}

}  // namespace

std::string_view name(ProblemCode code) {
    const Row* row = rowOf(code);
    return row != nullptr ? row->name : std::string_view("other");
}

ProblemCode parseProblemCode(std::string_view text) {
    for (const Row& row : kRows) {
        if (row.name == text) { return row.code; }
    }
    return ProblemCode::Other;
}

int statusOf(ProblemCode code) {
    const Row* row = rowOf(code);
    return row != nullptr ? row->status : 500;
}

std::string_view titleOf(ProblemCode code) {
    const Row* row = rowOf(code);
    return row != nullptr ? row->title : std::string_view("The server refused the request");
}

Problem makeProblem(ProblemCode code, std::string detail, std::optional<std::int64_t> retryAfterMs) {
    return Problem{statusOf(code), code, std::string(titleOf(code)), std::move(detail), retryAfterMs};
}

core::Result<Problem> Problem::parse(std::string_view text) {
    const auto json = parseBody(text, kMaxProblemBytes, "problem document");
    if (!json) { return json.error(); }
    Fields fields(*json, "problem", Schema::Open);
    Problem problem;
    problem.status = static_cast<int>(fields.integer("status", 400, 599));
    problem.code = parseProblemCode(fields.name("code"));
    problem.title = fields.text("title", 0, 300, Lines::One);
    if (fields.has("detail")) { problem.detail = fields.text("detail", 0, kMaxDescriptionBytes, Lines::Many); }
    if (fields.has("retry_after_ms")) { problem.retryAfterMs = fields.integer("retry_after_ms", 0, std::int64_t{86'400'000} * 30); }
    if (auto fault = fields.fault()) { return *fault; }
    return problem;
}

std::string Problem::serialise() const {
    Json json = {{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}, {"code", name(code)}};
    if (retryAfterMs) { json["retry_after_ms"] = *retryAfterMs; }
    return dump(json);
}

core::Error Problem::toError(std::string_view context) const {
    const Row* row = rowOf(code);
    return Error{row != nullptr ? row->error : errorOfStatus(status), detail.empty() ? title : title + ": " + detail, std::string(context)};
}

}  // namespace sunloco::protocol
