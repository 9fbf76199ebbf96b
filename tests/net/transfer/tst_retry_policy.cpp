// SPDX-License-Identifier: Apache-2.0
// Waits of the retry policy with a clock and a dice of the test.
#include "net/transfer/retry_policy.h"
#include "tests/app/platform/test_clock.h"
#include "tests/net/transfer/transfer_rig.h"

#include <QTest>

#include <set>

using namespace sunloco;
using namespace sunloco::transfer;
using core::ErrorCode;

namespace {

Outcome failure(ErrorCode code, std::optional<std::int64_t> retryAfterMs = std::nullopt) {
    return {std::nullopt, Failure{{code, "it did not work", "here"}, retryAfterMs}};
}

Outcome answer(int status, const std::string& code = {}, std::optional<std::int64_t> retryAfterMs = std::nullopt) {
    Response response;
    response.status = status;
    response.retryAfterMs = retryAfterMs;
    if (status >= 400) {
        response.problem = Problem{code, "title", "detail", status, retryAfterMs};
    }
    return {std::move(response), std::nullopt};
}

constexpr const char* kHost = "train.example:443";

}  // namespace

class TstRetryPolicy : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void statusesAreClassified() {
        for (const int status : {200, 201, 204, 206}) { QCOMPARE(static_cast<int>(classify(answer(status))), static_cast<int>(Verdict::Done)); }
        for (const int status : {408, 425, 429, 500, 502, 503, 504, 599}) { QCOMPARE(static_cast<int>(classify(answer(status, "x"))), static_cast<int>(Verdict::Retry)); }
        for (const int status : {400, 403, 404, 409, 410, 411, 413, 422, 426}) { QCOMPARE(static_cast<int>(classify(answer(status, "x"))), static_cast<int>(Verdict::GiveUp)); }
        QCOMPARE(static_cast<int>(classify(answer(401, "clock-skew"))), static_cast<int>(Verdict::ResignNow));
        QCOMPARE(static_cast<int>(classify(answer(401, "replayed-nonce"))), static_cast<int>(Verdict::ResignNow));
        QCOMPARE(static_cast<int>(classify(answer(401, "unknown-device"))), static_cast<int>(Verdict::GiveUp));
        QCOMPARE(static_cast<int>(classify(answer(401, "bad-signature"))), static_cast<int>(Verdict::GiveUp));
        QCOMPARE(static_cast<int>(classify(Outcome{})), static_cast<int>(Verdict::GiveUp));
    }

    void errorsAreClassified() {
        const std::set<ErrorCode> again{ErrorCode::Network, ErrorCode::Timeout, ErrorCode::TooManyRequests, ErrorCode::ServerError, ErrorCode::Busy,
                                        ErrorCode::Io, ErrorCode::DiskFull, ErrorCode::HashMismatch};
        for (int i = 0; i <= static_cast<int>(ErrorCode::Internal); ++i) {
            const auto code = static_cast<ErrorCode>(i);
            const Verdict wanted = again.contains(code) ? Verdict::Retry : Verdict::GiveUp;
            QVERIFY2(classify(failure(code)) == wanted, std::string(core::errorName(code)).c_str());
        }
    }

    /// sleep = U(0, min(cap, base * 2^k)): the ceiling doubles with each failure up to the cap and stays there.
    void fullJitterHasItsBounds() {
        TestClock clock;
        double dice = 0.0;
        for (const double value : {0.0, 0.5, 0.999999}) {
            RetryPolicy policy(clock, [&dice] { return dice; });
            dice = value;
            std::int64_t ceiling = RetryPolicy::kBaseMs;
            for (int k = 0; k < 100; ++k) {
                const RetryDecision decision = policy.decide(kHost, failure(ErrorCode::Network));
                QVERIFY(decision.verdict == Verdict::Retry);
                QCOMPARE(decision.waitMs, static_cast<std::int64_t>(value * static_cast<double>(ceiling)));
                QVERIFY(decision.waitMs < ceiling);
                ceiling = std::min(RetryPolicy::kCapMs, ceiling * 2);
            }
            QCOMPARE(ceiling, RetryPolicy::kCapMs);
        }
        // A dice outside its range does no harm.
        for (const double wrong : {-5.0, 7.0}) {
            RetryPolicy policy(clock, [wrong] { return wrong; });
            const std::int64_t wait = policy.decide(kHost, failure(ErrorCode::Network)).waitMs;
            QVERIFY(wait >= 0 && wait <= RetryPolicy::kBaseMs);
        }
    }

    void retryAfterIsTheLeast() {
        TestClock clock;
        double dice = 0.0;
        RetryPolicy policy(clock, [&dice] { return dice; });
        QCOMPARE(policy.decide(kHost, answer(429, "too-many-requests", 30'000)).waitMs, 30'000);
        QCOMPARE(policy.waitFor(kHost), 30'000);
        dice = 0.5;
        QVERIFY(policy.decide(kHost, failure(ErrorCode::ServerError, 60'000)).waitMs >= 60'000);
        // A shorter wait that comes later does not shorten the longer one.
        const std::int64_t before = policy.waitFor(kHost);
        dice = 0.0;
        QCOMPARE(policy.decide(kHost, failure(ErrorCode::Network)).waitMs, 0);
        QCOMPARE(policy.waitFor(kHost), before);
        // Asked waits can be longer than the cap of ours.
        QCOMPARE(policy.decide(kHost, answer(503, "maintenance", 3'600'000)).waitMs, 3'600'000);
    }

    void waitsRunOutWithTheClockAndAreShownInUtc() {
        TestClock clock;
        RetryPolicy policy(clock, [] { return 0.5; });
        QCOMPARE(policy.waitFor(kHost), 0);
        QVERIFY(!policy.nextTry(kHost));
        policy.decide(kHost, failure(ErrorCode::Timeout));
        QCOMPARE(policy.waitFor(kHost), 1'000);
        QCOMPARE(policy.nextTry(kHost).value(), clock.utcNow() + 1'000);
        clock.advance(400);
        QCOMPARE(policy.waitFor(kHost), 600);
        // The wall clock is set back by a day: nobody waits a day longer.
        clock.utc -= 86'400'000;
        QCOMPARE(policy.waitFor(kHost), 600);
        clock.advance(600);
        QCOMPARE(policy.waitFor(kHost), 0);
        QVERIFY(!policy.nextTry(kHost));
    }

    void hostsDoNotWaitForEachOther() {
        TestClock clock;
        RetryPolicy policy(clock, [] { return 0.5; });
        policy.decide(kHost, failure(ErrorCode::Network));
        QVERIFY(policy.waitFor(kHost) > 0);
        QCOMPARE(policy.waitFor("other.example"), 0);
    }

    void anAnswerOfTheServerResets() {
        TestClock clock;
        RetryPolicy policy(clock, [] { return 0.5; });
        for (int i = 0; i < 5; ++i) { policy.decide(kHost, failure(ErrorCode::Network)); }
        QVERIFY(policy.waitFor(kHost) > RetryPolicy::kBaseMs);
        QVERIFY(policy.decide(kHost, answer(200)).verdict == Verdict::Done);
        QCOMPARE(policy.waitFor(kHost), 0);
        QCOMPARE(policy.decide(kHost, failure(ErrorCode::Network)).waitMs, RetryPolicy::kBaseMs / 2);
        // So does a refusal: the way to the server is open.
        policy.decide(kHost, failure(ErrorCode::Network));
        QVERIFY(policy.decide(kHost, answer(409, "no-data-left")).verdict == Verdict::GiveUp);
        QCOMPARE(policy.waitFor(kHost), 0);
        // A failure that never got out of this PC tells nothing about the way.
        policy.decide(kHost, failure(ErrorCode::Network));
        const std::int64_t wait = policy.waitFor(kHost);
        QVERIFY(policy.decide(kHost, failure(ErrorCode::InvalidArgument)).verdict == Verdict::GiveUp);
        QCOMPARE(policy.waitFor(kHost), wait);
    }

    void aFreshSignatureIsTriedAtOnceButOnlyOnce() {
        TestClock clock;
        RetryPolicy policy(clock, [] { return 0.5; });
        RetryDecision decision = policy.decide(kHost, answer(401, "clock-skew"));
        QVERIFY(decision.verdict == Verdict::ResignNow);
        QCOMPARE(decision.waitMs, 0);
        QCOMPARE(policy.waitFor(kHost), 0);
        for (int i = 0; i < 3; ++i) {
            decision = policy.decide(kHost, answer(401, i == 1 ? "replayed-nonce" : "clock-skew"));
            QVERIFY(decision.verdict == Verdict::Retry);
            QCOMPARE(decision.waitMs, RetryPolicy::kBaseMs * (1 << i) / 2);
        }
        // After a success it may be tried at once again.
        policy.decide(kHost, answer(200));
        QVERIFY(policy.decide(kHost, answer(401, "replayed-nonce")).verdict == Verdict::ResignNow);
    }

    void waitsCanBeForgotten() {
        TestClock clock;
        RetryPolicy policy(clock, [] { return 0.5; });
        for (int i = 0; i < 8; ++i) { policy.decide(kHost, failure(ErrorCode::Network)); }
        policy.decide("other.example", failure(ErrorCode::Network, 900'000));
        policy.forgetWaits();
        QCOMPARE(policy.waitFor(kHost), 0);
        QCOMPARE(policy.waitFor("other.example"), 0);
        QCOMPARE(policy.decide(kHost, failure(ErrorCode::Network)).waitMs, RetryPolicy::kBaseMs / 2);
    }
};

QTEST_GUILESS_MAIN(TstRetryPolicy)
#include "tst_retry_policy.moc"
