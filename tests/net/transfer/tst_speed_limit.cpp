// SPDX-License-Identifier: Apache-2.0
// The user's speed limit, with a clock of the test.
#include "net/transfer/speed_limit.h"

#include <QTest>

#include <limits>

using sunloco::transfer::SpeedLimit;

class TstSpeedLimit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void withoutLimit() {
        SpeedLimit limit;
        QVERIFY(limit.allows(0));
        limit.take(std::numeric_limits<std::uint64_t>::max());
        QVERIFY(limit.allows(0));
        QCOMPARE(limit.waitMs(0), 0);
        QCOMPARE(limit.granted(), std::numeric_limits<std::uint64_t>::max());
        limit.setRate(-5, 0);
        QVERIFY(limit.allows(0));
    }

    /// Taking as soon as it is allowed moves `rate` bytes a second, for slow and fast limits, whatever the size of the pieces.
    void keepsTheRate_data() {
        QTest::addColumn<std::int64_t>("rate");
        QTest::addColumn<std::int64_t>("piece");
        for (const std::int64_t rate : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1024}, std::int64_t{999'983}, std::int64_t{1} << 33}) {
            for (const std::int64_t piece : {std::int64_t{1}, std::int64_t{16'384}, std::int64_t{0}}) { QTest::addRow("%lld/%lld", static_cast<long long>(rate), static_cast<long long>(piece)) << rate << piece; }
        }
    }
    void keepsTheRate() {
        QFETCH(std::int64_t, rate);
        QFETCH(std::int64_t, piece);  // 0 = what is granted
        SpeedLimit limit;
        std::int64_t now = 1'000'000;
        limit.setRate(rate, now);
        std::int64_t moved = 0;
        for (int i = 0; i < 2000; ++i) {
            const std::int64_t wait = limit.waitMs(now);
            QVERIFY(wait >= 0);
            QVERIFY(limit.allows(now) == (wait == 0));
            if (wait > 0) {
                QVERIFY(!limit.allows(now + wait - 1));
                now += wait;
                QVERIFY(limit.allows(now));
            }
            const auto bytes = piece == 0 ? limit.granted() : static_cast<std::uint64_t>(piece);
            limit.take(bytes);
            moved += static_cast<std::int64_t>(bytes);
            if (now > 5'000'000'000) { break; }
        }
        if (now - 1'000'000 >= 10'000) {
            const double measured = static_cast<double>(moved) * 1000.0 / static_cast<double>(now - 1'000'000);
            QVERIFY2(measured <= static_cast<double>(rate) * 1.01 + static_cast<double>(piece) / 10.0, qPrintable(QString::number(measured)));
        }
        // Never more than what has passed, plus one piece of debt.
        QVERIFY(static_cast<double>(moved) <= static_cast<double>(rate) * static_cast<double>(now - 1'000'000) / 1000.0 + static_cast<double>(piece));
    }

    void idleTimeIsNotSavedUp() {
        SpeedLimit limit;
        limit.setRate(1000, 0);
        QVERIFY(limit.allows(3'600'000));
        QCOMPARE(limit.granted(), std::uint64_t{1000});
    }

    void debtIsWaitedOff() {
        SpeedLimit limit;
        limit.setRate(1000, 0);
        QVERIFY(limit.allows(1000));
        limit.take(16'000);
        QCOMPARE(limit.waitMs(1000), 15'050);
        QVERIFY(!limit.allows(16'000));
        QVERIFY(limit.allows(16'050));
        QCOMPARE(limit.granted(), std::uint64_t{50});
    }

    void anotherLimitForgetsTheDebt() {
        SpeedLimit limit;
        limit.setRate(1'000'000, 0);
        limit.take(5'000'000);
        limit.setRate(1000, 10);
        QCOMPARE(limit.waitMs(10), 50);
        // The same limit again changes nothing.
        limit.take(1000);
        const std::int64_t wait = limit.waitMs(10);
        limit.setRate(1000, 10);
        QCOMPARE(limit.waitMs(10), wait);
        limit.setRate(0, 10);
        QVERIFY(limit.allows(10));
    }

    void hugeRatesDoNotOverflow() {
        SpeedLimit limit;
        limit.setRate(std::numeric_limits<std::int64_t>::max(), 0);
        QVERIFY(limit.allows(std::numeric_limits<std::int64_t>::max() / 2));
        limit.take(std::numeric_limits<std::uint64_t>::max());
        QVERIFY(limit.waitMs(std::numeric_limits<std::int64_t>::max() / 2) >= 0);
        QVERIFY(limit.allows(std::numeric_limits<std::int64_t>::max()));
    }
};

QTEST_GUILESS_MAIN(TstSpeedLimit)
#include "tst_speed_limit.moc"
