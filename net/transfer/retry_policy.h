// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/transfer/request.h"

namespace sunloco::transfer {

/// What to do after an outcome.
enum class Verdict {
    Done,        ///< it succeeded
    Retry,       ///< the same thing again, after the wait
    ResignNow,   ///< 401 about clock or nonce: once more at once with a fresh signature
    GiveUp,      ///< asking again cannot help; the caller decides from the code
};

struct RetryDecision {
    Verdict verdict = Verdict::Done;
    std::int64_t waitMs = 0;
};

/// The one place that decides from an error code or a status whether to ask again. Without state.
/// 408, 425, 429, 5xx and everything that was not an answer of our server: again; other 4xx: never, except 401 with a new nonce.
Verdict classify(const Outcome& outcome);

/// Waits per host, so that many files of one host don't add up their waits: full jitter, sleep = U(0, min(cap, base * 2^k)),
/// base 2 s, cap 15 min; a Retry-After is the minimum. Thread: the owner's.
class RetryPolicy {
public:
    /// `random` yields values in [0, 1).
    RetryPolicy(const core::Clock& clock, std::function<double()> random);

    /// Counts the outcome for the host and says what to do.
    RetryDecision decide(const std::string& host, const Outcome& outcome);
    /// Milliseconds until the host may be asked again; 0 = now.
    [[nodiscard]] std::int64_t waitFor(const std::string& host) const;
    /// When the host may be asked again, in UTC for people; no value = now.
    [[nodiscard]] std::optional<core::UtcMs> nextTry(const std::string& host) const;
    /// A person asked, or the network came back: forget the waits.
    void forgetWaits();

    static constexpr std::int64_t kBaseMs = 2'000;
    static constexpr std::int64_t kCapMs = 15 * 60 * 1'000;

private:
    struct Host {
        int failures = 0;
        core::MonotonicMs notBefore = 0;
        bool resigned = false;
    };
    const core::Clock& m_clock;
    std::function<double()> m_random;
    std::map<std::string, Host> m_hosts;
};

}  // namespace sunloco::transfer
