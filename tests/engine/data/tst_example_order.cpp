// SPDX-License-Identifier: Apache-2.0
#include "engine/data/example_order.h"

#include <QtTest>

#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using sunloco::data::permute;

class TestExampleOrder : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void smallSizesCompletely();
    void bijection();
    void everyExampleOnceOverAnyInterruptions();
    void hugeSizes();
    void keysGiveOtherOrders();
    void spreadsNeighbours();
    void sameOrderEverywhere();
};

void TestExampleOrder::smallSizesCompletely() {
    for (std::uint64_t n = 1; n <= 70; ++n) {
        for (std::uint64_t key = 0; key < 5; ++key) {
            std::vector<bool> seen(n);
            for (std::uint64_t i = 0; i < n; ++i) {
                const std::uint64_t to = permute(i, n, key);
                QVERIFY(to < n && !seen[to]);
                seen[to] = true;
            }
        }
    }
}

void TestExampleOrder::bijection() {
    QVERIFY(rc::check("every place is used once", [](std::uint64_t key) {
        const auto n = *rc::gen::inRange<std::uint64_t>(1, 5000);
        std::vector<std::uint64_t> places(n);
        for (std::uint64_t i = 0; i < n; ++i) { places[i] = permute(i, n, key); }
        std::sort(places.begin(), places.end());
        for (std::uint64_t i = 0; i < n; ++i) { RC_ASSERT(places[i] == i); }
    }));
}

// A trainer that is stopped anywhere and goes on from its counter, over the ends of epochs and leases, uses each example of an epoch exactly once.
void TestExampleOrder::everyExampleOnceOverAnyInterruptions() {
    QVERIFY(rc::check("each example once an epoch, however the work is cut", [](std::uint64_t seed) {
        const auto n = *rc::gen::inRange<std::uint64_t>(1, 500);
        const std::uint64_t epochs = 3;
        std::vector<int> used(n * epochs);
        std::uint64_t done = 0;
        while (done < n * epochs) {
            const std::uint64_t lease = std::min(*rc::gen::inRange<std::uint64_t>(1, 300), n * epochs - done);
            std::uint64_t counter = done;   // what a checkpoint keeps
            while (counter < done + lease) {
                const std::uint64_t stint = std::min(*rc::gen::inRange<std::uint64_t>(1, 50), done + lease - counter);
                for (std::uint64_t e = counter; e < counter + stint; ++e) { ++used[e / n * n + permute(e % n, n, seed + e / n)]; }
                counter += stint;
            }
            done += lease;
        }
        RC_ASSERT(std::all_of(used.begin(), used.end(), [](int times) { return times == 1; }));
    }));
}

void TestExampleOrder::hugeSizes() {
    for (const std::uint64_t n : {(std::uint64_t{1} << 32) + 1, (std::uint64_t{1} << 40) - 1, std::uint64_t{1} << 62}) {
        std::vector<std::uint64_t> places;
        for (std::uint64_t i = 0; i < 1000; ++i) {
            places.push_back(permute(i, n, 9));
            places.push_back(permute(n - 1 - i, n, 9));
        }
        QVERIFY(std::all_of(places.begin(), places.end(), [n](std::uint64_t p) { return p < n; }));
        std::sort(places.begin(), places.end());
        QVERIFY(std::adjacent_find(places.begin(), places.end()) == places.end());
    }
}

void TestExampleOrder::keysGiveOtherOrders() {
    // Of two unrelated orders of n places, 1 place on average is the same (a Poisson count): 8 or more has a probability of 1e-5.
    for (std::uint64_t key = 0; key < 20; ++key) {
        int same = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) { same += permute(i, 1000, key) == permute(i, 1000, key + 1) ? 1 : 0; }
        QVERIFY2(same < 10, std::to_string(same).c_str());
    }
}

// Examples of one batch come from all over the text: the mean distance of neighbours in the order is a third of the whole.
void TestExampleOrder::spreadsNeighbours() {
    const std::uint64_t n = 10'000;
    double distance = 0;
    for (std::uint64_t i = 0; i + 1 < n; ++i) { distance += std::abs(static_cast<double>(permute(i, n, 4)) - static_cast<double>(permute(i + 1, n, 4))); }
    distance /= static_cast<double>(n * (n - 1));
    QVERIFY2(std::abs(distance - 1.0 / 3) < 0.01, std::to_string(distance).c_str());
}

// Fixed values: two volunteers with different builds must agree on who trains what. By a second implementation (the Python lines below).
//   M = 2**64 - 1
//   def mix(x): x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & M; x = (x ^ x >> 27) * 0x94d049bb133111eb & M; return x ^ x >> 31
//   def permute(i, n, key):
//     h = ((n - 1).bit_length() + 1) // 2
//     while True:
//       l, r = i >> h, i & (1 << h) - 1
//       for k in range(8): l, r = r, l ^ mix(r ^ mix(key + 0x9e3779b97f4a7c15 * (k + 1) & M)) & (1 << h) - 1
//       i = l << h | r
//       if i < n: return i
void TestExampleOrder::sameOrderEverywhere() {
    const std::vector<std::uint64_t> wanted = {998, 721, 62, 193, 563, 996, 685, 278, 882317312, 484442856, 2178525325, 2180758694};
    std::vector<std::uint64_t> got;
    for (std::uint64_t i = 0; i < 8; ++i) { got.push_back(permute(i, 1000, 42)); }
    for (std::uint64_t i = 0; i < 4; ++i) { got.push_back(permute(i, 3'000'000'001, 0xfedcba9876543210)); }
    QCOMPARE(got, wanted);
}

QTEST_GUILESS_MAIN(TestExampleOrder)
#include "tst_example_order.moc"
