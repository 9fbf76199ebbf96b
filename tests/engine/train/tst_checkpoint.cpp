// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/checkpoint_store.h"
#include "engine/checkpoint/moments.h"
#include "engine/core/files.h"
#include "engine/core/half.h"
#include "engine/train/convert.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>

using namespace sunloco;
using checkpoint::CheckpointStore;

namespace {

const core::Digest kJob = core::sha256(core::asBytes("job"));

struct Arenas {
    std::vector<float> w, m, v;
    explicit Arenas(float seed = 0) : w(1000, seed), m(1000, seed + 1), v(1000, seed + 2) {}
    [[nodiscard]] checkpoint::ArenaViews views() const { return {w, m, v}; }
    checkpoint::ArenaTargets targets() { return {w, m, v}; }
};

checkpoint::Counters counters(std::int64_t step) {
    checkpoint::Counters c;
    c.step = step;
    c.adamSteps = step + 100;
    c.entryLoss = 1.0 / 3;
    c.lastLoss = 0.1;
    c.activeSeconds = 12.25;
    c.band = {2.0 / 7, 0.3, step};
    return c;
}

/// Lets the i-th step fail, as a full disk does.
class FailAt final : public core::FaultPolicy {
public:
    explicit FailAt(int which) : m_left(which) {}
    core::Result<void> before(std::string_view) override {
        if (m_left-- != 0) return {};
        m_hit = true;
        return core::Error{core::ErrorCode::DiskFull, "no space left on device", {}};
    }
    [[nodiscard]] bool hit() const { return m_hit; }

private:
    int m_left;
    bool m_hit = false;
};

void flipByte(const std::filesystem::path& path, std::int64_t fromEnd) {
    auto bytes = core::readFile(path, 1 << 20);
    QVERIFY(bytes);
    (*bytes)[bytes->size() - static_cast<std::size_t>(fromEnd)] ^= 0x10;
    QVERIFY(core::writeFileAtomically(path, *bytes));
}

}  // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void savesKeepToTheDailyBudget() {
        QCOMPARE(checkpoint::secondsBetweenSaves(0, 1'000'000'000), 0.0);
        QCOMPARE(checkpoint::secondsBetweenSaves(60, 12'800'000), 60.0);       // 1 M parameters
        for (const std::int64_t bytes : {165'000'000, 1'500'000'000}) {        // 14 M, 124 M
            const double seconds = checkpoint::secondsBetweenSaves(60, bytes);
            QVERIFY(seconds > 60);
            QVERIFY(std::abs(86'400 / seconds * static_cast<double>(bytes) - 50e9) < 1e6);
        }
    }

    void roundTrip() {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        {
            CheckpointStore store(folder, kJob);
            Arenas nothing;
            QVERIFY(!store.loadNewest(nothing.targets()).value().has_value());
            for (int step = 1; step <= 3; ++step) QVERIFY(store.save(counters(step), Arenas(static_cast<float>(step)).views()));
        }
        CheckpointStore store(folder, kJob);
        Arenas got;
        const auto loaded = store.loadNewest(got.targets()).value();
        QVERIFY(loaded);
        QCOMPARE(loaded->step, 3);
        QCOMPARE(loaded->adamSteps, 103);
        QCOMPARE(loaded->entryLoss, 1.0 / 3);
        QCOMPARE(loaded->band.mean, 2.0 / 7);
        QCOMPARE(got.w[999], 3.0f);
        QCOMPARE(got.v[0], 5.0f);
        store.clear();
        QVERIFY(std::filesystem::is_empty(folder));
    }

    void damagedNewestFallsBackToTheOlder_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("fromEnd");
        QTest::newRow("arena") << QStringLiteral("checkpoint-a.safetensors") << 5;
        QTest::newRow("manifest") << QStringLiteral("checkpoint-a.json") << 30;
    }
    void damagedNewestFallsBackToTheOlder() {
        QFETCH(QString, file);
        QFETCH(int, fromEnd);
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        CheckpointStore store(folder, kJob);
        for (int step = 1; step <= 2; ++step) QVERIFY(store.save(counters(step), Arenas(static_cast<float>(step)).views()));
        flipByte(folder / file.toStdString(), fromEnd);
        CheckpointStore reopened(folder, kJob);
        Arenas got;
        const auto loaded = reopened.loadNewest(got.targets()).value();
        QVERIFY(loaded);
        QCOMPARE(loaded->step, 1);
        QCOMPARE(got.w[0], 1.0f);
        // The next save takes the damaged place, so the good one survives a cut there as well.
        FailAt full(0);
        CheckpointStore cut(folder, kJob, &full);
        QVERIFY(cut.loadNewest(got.targets()).value());
        QVERIFY(!cut.save(counters(9), Arenas(9).views()));
        QCOMPARE(CheckpointStore(folder, kJob).loadNewest(got.targets()).value()->step, 1);
    }

    /// Every single file operation of a save fails once; what was there before can always be loaded.
    void everyFailingOperationLeavesTheOlderOne() {
        int failures = 0;
        for (int i = 0;; ++i) {
            QTemporaryDir dir;
            const std::filesystem::path folder = dir.path().toStdString();
            QVERIFY(CheckpointStore(folder, kJob).save(counters(1), Arenas(1).views()));
            QVERIFY(CheckpointStore(folder, kJob).save(counters(2), Arenas(2).views()));
            FailAt fault(i);
            const auto saved = CheckpointStore(folder, kJob, &fault).save(counters(3), Arenas(3).views());
            Arenas got;
            const auto loaded = CheckpointStore(folder, kJob).loadNewest(got.targets()).value();
            QVERIFY(loaded);
            if (!fault.hit()) {
                QVERIFY(saved);
                QCOMPARE(loaded->step, 3);
                break;
            }
            ++failures;
            QVERIFY(!saved);
            QCOMPARE(saved.error().code, core::ErrorCode::DiskFull);
            QVERIFY(loaded->step == 2 || loaded->step == 3);
            QCOMPARE(got.w[0], static_cast<float>(loaded->step));
        }
        QVERIFY2(failures >= 4, qPrintable(QString::number(failures)));
    }

    void anotherJobsStateIsNotTaken() {
        QTemporaryDir dir;
        const std::filesystem::path folder = dir.path().toStdString();
        QVERIFY(CheckpointStore(folder, kJob).save(counters(1), Arenas(1).views()));
        Arenas got;
        QVERIFY(!CheckpointStore(folder, core::sha256(core::asBytes("other"))).loadNewest(got.targets()).value().has_value());
    }

    void moments() {
        QTemporaryDir dir;
        const std::filesystem::path path = std::filesystem::path(dir.path().toStdString()) / "inner.safetensors";
        const Arenas a(3);
        QVERIFY(checkpoint::saveMoments(path, {a.m, a.v, 77}));
        Arenas got;
        QCOMPARE(checkpoint::loadMoments(path, got.m, got.v).value(), 77);
        QCOMPARE(got.m, a.m);
        QCOMPARE(got.v, a.v);
        std::vector<float> small(10);
        QVERIFY(!checkpoint::loadMoments(path, small, small));
        std::vector<float> infinite = a.m;
        infinite[4] = INFINITY;
        QVERIFY(checkpoint::saveMoments(path, {infinite, a.v, 77}));
        QVERIFY(!checkpoint::loadMoments(path, got.m, got.v));
    }

    /// Narrow formats: known values, and a round trip through every bit pattern.
    void narrowNumbers() {
        QCOMPARE(core::toBf16(1.0f), 0x3f80);
        QCOMPARE(core::toBf16(1.00390625f), 0x3f80);  // a tie goes to even
        QCOMPARE(core::toBf16(1.01171875f), 0x3f82);
        QCOMPARE(core::toF16(1.0f), 0x3c00);
        QCOMPARE(core::toF16(65504.0f), 0x7bff);
        QCOMPARE(core::toF16(65520.0f), 0x7c00);
        QCOMPARE(core::toF16(-2.0f), 0xc000);
        QCOMPARE(core::toF16(0x1p-24f), 0x0001);
        QCOMPARE(core::toF16(0x1p-25f), 0x0000);
        for (unsigned half = 0; half < 0x7c00; ++half) {
            const int exponent = static_cast<int>(half >> 10);
            const double mantissa = static_cast<double>(half & 0x3ff);
            const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
            QCOMPARE(static_cast<unsigned>(core::toF16(static_cast<float>(value))), half);
        }
    }
};

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
