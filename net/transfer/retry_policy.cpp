// SPDX-License-Identifier: Apache-2.0
#include "net/transfer/retry_policy.h"

#include <algorithm>

namespace sunloco::transfer {
namespace {

Verdict classifyStatus(const Response& response) {
    const int status = response.status;
    if (response.ok()) return Verdict::Done;
    if (status == 408 || status == 425 || status == 429 || status >= 500) return Verdict::Retry;
    if (status == 401 && response.problem) {
        // A wrong clock or a used nonce is cured by signing anew; an unknown device or a wrong key is not.
        const std::string& code = response.problem->code;
        if (code == "clock-skew" || code == "replayed-nonce") return Verdict::ResignNow;
    }
    return Verdict::GiveUp;
}

Verdict classifyError(core::ErrorCode code) {
    using core::ErrorCode;
    switch (code) {
    case ErrorCode::Network:
    case ErrorCode::Timeout:
    case ErrorCode::TooManyRequests:
    case ErrorCode::ServerError:
    case ErrorCode::Busy:
    case ErrorCode::Io:
    case ErrorCode::DiskFull:
    case ErrorCode::HashMismatch:   // a bad copy on the way; what was stored is gone, so the next try starts clean
        return Verdict::Retry;
    case ErrorCode::InvalidArgument:
    case ErrorCode::InvalidData:
    case ErrorCode::LimitExceeded:
    case ErrorCode::NotFound:
    case ErrorCode::AlreadyExists:
    case ErrorCode::Conflict:
    case ErrorCode::PermissionDenied:
    case ErrorCode::Unsupported:
    case ErrorCode::VersionTooNew:
    case ErrorCode::SignatureInvalid:
    case ErrorCode::Expired:
    case ErrorCode::Cancelled:
    case ErrorCode::Crash:
    case ErrorCode::OutOfMemory:
    case ErrorCode::Numeric:
    case ErrorCode::DeviceLost:
    case ErrorCode::Internal:
        return Verdict::GiveUp;
    }
    return Verdict::GiveUp;
}

}  // namespace

Verdict classify(const Outcome& outcome) {
    if (outcome.response) return classifyStatus(*outcome.response);
    return outcome.failure ? classifyError(outcome.failure->error.code) : Verdict::GiveUp;
}

RetryPolicy::RetryPolicy(const core::Clock& clock, std::function<double()> random) : m_clock(clock), m_random(std::move(random)) {}

RetryDecision RetryPolicy::decide(const std::string& host, const Outcome& outcome) {
    Host& state = m_hosts[host];
    RetryDecision decision{classify(outcome), 0};
    if (decision.verdict == Verdict::ResignNow) {
        if (state.resigned) decision.verdict = Verdict::Retry;  // a fresh signature did not help: slowly from here
        state.resigned = true;
    }
    if (decision.verdict != Verdict::Retry) {
        if (outcome.response && decision.verdict != Verdict::ResignNow) state = Host{};  // our server spoke: the way is open
        return decision;
    }
    const int exponent = std::min(state.failures, 20);
    const std::int64_t ceiling = std::min(kCapMs, kBaseMs << exponent);
    std::int64_t wait = static_cast<std::int64_t>(std::clamp(m_random(), 0.0, 1.0) * static_cast<double>(ceiling));
    const auto asked = outcome.response ? outcome.response->retryAfterMs : outcome.failure ? outcome.failure->retryAfterMs : std::nullopt;
    if (asked) wait += *asked;  // the asked wait is a minimum; the jitter on top keeps the crowd apart
    ++state.failures;
    state.notBefore = std::max(state.notBefore, m_clock.monotonicNow() + wait);
    decision.waitMs = wait;
    return decision;
}

std::int64_t RetryPolicy::waitFor(const std::string& host) const {
    const auto found = m_hosts.find(host);
    if (found == m_hosts.end()) return 0;
    return std::max<std::int64_t>(0, found->second.notBefore - m_clock.monotonicNow());
}

std::optional<core::UtcMs> RetryPolicy::nextTry(const std::string& host) const {
    const std::int64_t wait = waitFor(host);
    if (wait == 0) return std::nullopt;
    return m_clock.utcNow() + wait;
}

void RetryPolicy::forgetWaits() { m_hosts.clear(); }

}  // namespace sunloco::transfer
