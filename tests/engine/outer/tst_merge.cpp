// SPDX-License-Identifier: Apache-2.0
// Identity 8 of the DiLoCo family: the merge does not depend on the order of arrival, bit for bit; a weight of zero changes nothing.
#include "engine/outer/merge.h"

#include <QtTest>

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

using namespace sunloco;
using core::ErrorCode;
using outer::FixedPointMerge;

namespace {
struct Sent {
    std::vector<float> delta;
    std::int64_t weight = 0;
};

std::vector<Sent> someContributions(std::size_t elements) {
    std::vector<Sent> sent(*rc::gen::inRange<std::size_t>(1, 9));
    for (Sent& s : sent) {
        s.weight = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
        s.delta = *rc::gen::container<std::vector<float>>(elements, rc::gen::map(rc::gen::tuple(rc::gen::inRange<std::int32_t>(-1'000'000, 1'000'001), rc::gen::inRange(-30, 6)),
                                                                               [](const std::tuple<std::int32_t, int>& p) { return std::ldexp(static_cast<float>(std::get<0>(p)) * 1e-6F, std::get<1>(p)); }));
    }
    return sent;
}

std::int64_t totalOf(const std::vector<Sent>& sent) {
    return std::accumulate(sent.begin(), sent.end(), std::int64_t{0}, [](std::int64_t sum, const Sent& s) { return sum + s.weight; });
}

std::vector<float> meanOf(const std::vector<Sent>& sent, std::int64_t total) {
    FixedPointMerge merge(static_cast<std::int64_t>(sent.front().delta.size()), total);
    for (const Sent& s : sent) {
        if (!merge.add(s.delta, s.weight)) { return {}; }
    }
    std::vector<float> mean(sent.front().delta.size());
    return merge.mean(mean) ? mean : std::vector<float>{};
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); });
}
}  // namespace

class TestMerge : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anyOrderSameBits();
    void zeroWeightChangesNothing();
    void closeToTheExactMean();
    void oneContributionIsItself();
    void theDivisorIsWhatArrived();
    void largeWeights();
    void refusals();
    void aRefusalAddsNothing();
};

void TestMerge::anyOrderSameBits() {
    QVERIFY(rc::check("any order gives the same bits", [] {
        std::vector<Sent> sent = someContributions(13);
        const std::int64_t total = totalOf(sent);
        const std::vector<float> first = meanOf(sent, total);
        RC_ASSERT(first.size() == 13u);
        for (int i = 0; i < 4; ++i) {
            const std::size_t a = *rc::gen::inRange<std::size_t>(0, sent.size()), b = *rc::gen::inRange<std::size_t>(0, sent.size());
            std::swap(sent[a], sent[b]);
            RC_ASSERT(sameBits(meanOf(sent, total), first));
        }
    }));
}

void TestMerge::zeroWeightChangesNothing() {
    QVERIFY(rc::check("a contribution without tokens changes no bit", [] {
        std::vector<Sent> sent = someContributions(5);
        const std::int64_t total = totalOf(sent);
        const std::vector<float> without = meanOf(sent, total);
        sent.insert(sent.begin(), Sent{std::vector<float>(5, 17.0F), 0});
        RC_ASSERT(sameBits(meanOf(sent, total), without));
    }));
}

void TestMerge::closeToTheExactMean() {
    QVERIFY(rc::check("the mean is the exact one, up to 2^-44 a contribution and one rounding to float", [] {
        const std::vector<Sent> sent = someContributions(5);
        const std::int64_t total = totalOf(sent);
        const std::vector<float> mean = meanOf(sent, total);
        for (std::size_t i = 0; i < mean.size(); ++i) {
            long double exact = 0;
            for (const Sent& s : sent) { exact += static_cast<long double>(s.delta[i]) * static_cast<long double>(s.weight); }
            exact /= static_cast<long double>(total);
            const long double bound = static_cast<long double>(sent.size()) * 0x1p-44L + std::abs(exact) * 0x1p-23L;
            RC_ASSERT(std::abs(static_cast<long double>(mean[i]) - exact) <= bound);
        }
    }));
}

void TestMerge::oneContributionIsItself() {
    const std::vector<float> delta = {0.5F, -1e-6F, 63.999F, 0.0F, -0.123456F, 0x1p-20F};
    for (const std::int64_t weight : {1, 3, 768, 999'999'937}) {
        const std::vector<float> mean = meanOf({{delta, weight}}, weight);
        for (std::size_t i = 0; i < delta.size(); ++i) { QVERIFY(std::abs(mean[i] - delta[i]) <= std::abs(delta[i]) * 1e-7F + 0x1p-44F); }
    }
}

// Not the planned number of workers, and not the total that was announced.
void TestMerge::theDivisorIsWhatArrived() {
    const std::vector<float> mean = meanOf({{{1.0F}, 100}, {{4.0F}, 200}}, 1'000'000);
    QVERIFY(std::abs(mean[0] - 3.0F) < 1e-6F);
}

void TestMerge::largeWeights() {
    const std::int64_t most = std::int64_t{1} << 53;
    const std::vector<float> mean = meanOf({{{outer::kLargestDelta, -1.0F}, most - 1}, {{-outer::kLargestDelta, 1.0F}, 1}}, most);
    QVERIFY(std::abs(mean[0] - 64.0F) < 1e-4F && std::abs(mean[1] + 1.0F) < 1e-6F);
    // Sixty-four thousand contributions of the largest value do not overflow.
    FixedPointMerge merge(1, 65'536);
    for (int i = 0; i < 65'536; ++i) { QVERIFY(merge.add(std::vector<float>{-64.0F}, 1)); }
    std::vector<float> out(1);
    QVERIFY(merge.mean(out));
    QCOMPARE(out[0], -64.0F);
}

void TestMerge::refusals() {
    FixedPointMerge merge(2, 10);
    std::vector<float> out(2), wrong(3);
    QVERIFY(!merge.mean(out));
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 64.01F, -1e30F}) {
        const auto added = merge.add(std::vector<float>{0.0F, bad}, 1);
        QVERIFY(!added);
        QCOMPARE(added.error().code, ErrorCode::Numeric);
    }
    QCOMPARE(merge.add(wrong, 1).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(merge.add(out, -1).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(merge.add(out, 11).error().code, ErrorCode::InvalidArgument);
    QVERIFY(merge.add(out, 10));
    QCOMPARE(merge.add(out, 1).error().code, ErrorCode::InvalidArgument);
    QVERIFY(!merge.mean(wrong));
}

void TestMerge::aRefusalAddsNothing() {
    FixedPointMerge merge(2, 10);
    QVERIFY(merge.add(std::vector<float>{1.0F, 2.0F}, 2));
    QVERIFY(!merge.add(std::vector<float>{5.0F, std::numeric_limits<float>::quiet_NaN()}, 2));
    std::vector<float> out(2);
    QVERIFY(merge.mean(out));
    QCOMPARE(out, (std::vector<float>{1.0F, 2.0F}));
    merge.clear();
    QVERIFY(!merge.mean(out));
    QVERIFY(merge.add(std::vector<float>{3.0F, 3.0F}, 10));
}

QTEST_GUILESS_MAIN(TestMerge)
#include "tst_merge.moc"
