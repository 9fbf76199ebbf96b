// SPDX-License-Identifier: Apache-2.0
// A job whose i-th file operation fails, for every i: it says so, and the next run gives the same bits as one that nothing happened to.
#include "engine/core/safetensors.h"
#include "engine/model/parallel.h"
#include "engine/train/job_runner.h"
#include "tests/engine/train/job_fixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace sunloco;

namespace {

class FailAt final : public core::FaultPolicy {
public:
    FailAt(int which, core::ErrorCode code) : m_left(which), m_code(code) {}
    core::Result<void> before(std::string_view step) override {
        if (step.starts_with("memory.")) return {};   // flippedBits()
        if (m_left-- != 0) return {};
        m_hit = true;
        return core::Error{m_code, "made to fail", {}};
    }
    [[nodiscard]] bool hit() const { return m_hit; }

private:
    int m_left;
    core::ErrorCode m_code;
    bool m_hit = false;
};

/// Flips bits before steps of training, from the `first`-th on.
class FlippedBits final : public core::FaultPolicy {
public:
    FlippedBits(int first, int count, std::string_view kind = "memory.weights") : m_before(first), m_left(count), m_kind(kind) {}
    core::Result<void> before(std::string_view step) override {
        if (step != m_kind || m_before-- > 0 || m_left == 0) return {};
        --m_left;
        ++m_flipped;
        return core::Error{core::ErrorCode::Io, "flipped", {}};
    }
    [[nodiscard]] int flipped() const { return m_flipped; }

private:
    int m_before, m_left, m_flipped = 0;
    std::string_view m_kind;
};

train::JobOutcome runIn(const std::filesystem::path& folder, core::FaultPolicy* faults, double checkpointSeconds = 0, core::ProgressMessage* progress = nullptr) {
    auto job = train::readJob(folder).value();
    train::JobGate gate([] {});
    train::ProgressBoard board;
    auto outcome = train::runJob({folder, job.first, job.second, gate, board, model::bestKernels(), checkpointSeconds, faults});
    if (progress != nullptr) *progress = board.read();
    return outcome;
}

QString partsOf(const std::filesystem::path& folder) {
    const auto result = train::finishedResult(folder, train::readJob(folder).value().second);
    QString text;
    if (result)
        for (const core::PayloadPart& part : result->parts) text += QString::fromStdString(part.sha256.hex()) + QLatin1Char(' ');
    return text;
}

}  // namespace

class TestJobFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFileOperation_data() {
        QTest::addColumn<int>("code");
        QTest::newRow("disk full") << static_cast<int>(core::ErrorCode::DiskFull);
        QTest::newRow("input/output error") << static_cast<int>(core::ErrorCode::Io);
    }
    void everyFileOperation() {
        QFETCH(int, code);
        QTemporaryDir dir;
        test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto clean = fixture.trainFolder("clean", 4);
        QVERIFY(runIn(clean, nullptr, 1e9).end == train::JobEnd::Finished);
        const QString wanted = partsOf(clean);
        QVERIFY(!wanted.isEmpty());
        int failures = 0, survived = 0;
        for (int i = 0;; ++i) {
            const auto folder = fixture.trainFolder("fault-" + std::to_string(i), 4);
            FailAt fault(i, static_cast<core::ErrorCode>(code));
            const auto outcome = runIn(folder, &fault);
            if (!fault.hit()) {
                QVERIFY(outcome.end == train::JobEnd::Finished);
                QCOMPARE(partsOf(folder), wanted);
                break;
            }
            if (outcome.end) {  // a checkpoint failed: training goes on without it
                ++survived;
                QCOMPARE(partsOf(folder), wanted);
                continue;
            }
            ++failures;
            QCOMPARE(static_cast<int>(outcome.failure.error.code), code);
            QVERIFY(partsOf(folder).isEmpty());
            QVERIFY(runIn(folder, nullptr).end == train::JobEnd::Finished);
            QCOMPARE(partsOf(folder), wanted);
        }
        QVERIFY2(failures >= 4 && survived >= 8, qPrintable(QStringLiteral("%1 failed, %2 survived").arg(failures).arg(survived)));
    }

    /// A bit of the memory flips during a step: the step is not applied, training goes back to the last saved state and ends in the same bits.
    /// The third time the job ends with a plain reason.
    void flippedBits() {
        QTemporaryDir dir;
        test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto clean = fixture.trainFolder("clean", 6);
        QVERIFY(runIn(clean, nullptr, 1e9).end == train::JobEnd::Finished);
        for (const double checkpointSeconds : {0.0, 1e9}) {   // after every step; never, so that it begins anew
            for (const int flips : {1, 2, 3}) {
                const auto folder = fixture.trainFolder("flips-" + std::to_string(flips) + (checkpointSeconds > 0 ? "-anew" : ""), 6);
                FlippedBits fault(2, flips);
                core::ProgressMessage progress;
                const auto outcome = runIn(folder, &fault, checkpointSeconds, &progress);
                QCOMPARE(fault.flipped(), flips);
                QCOMPARE(progress.rollBacks, std::min(flips, 2));  // the third time there is no going back
                QVERIFY(progress.rollBackStep >= (checkpointSeconds > 0 ? 0 : 2));
                if (flips < 3) {
                    QVERIFY2(outcome.end == train::JobEnd::Finished, outcome.failure.error.text().c_str());
                    QCOMPARE(partsOf(folder), partsOf(clean));
                    continue;
                }
                QVERIFY(!outcome.end);
                QCOMPARE(outcome.failure.error.code, core::ErrorCode::Numeric);
                QVERIFY2(outcome.failure.error.message.find("3 times") != std::string::npos && outcome.failure.error.message.find("selftest") != std::string::npos,
                         outcome.failure.error.message.c_str());
                QVERIFY(partsOf(folder).isEmpty());
            }
        }
    }

    /// Weights that are numbers but wrong: the loss leaves its band, and the run ends in the same bits as if nothing had happened.
    void lossOutsideItsBand() {
        QTemporaryDir dir;
        test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto clean = fixture.trainFolder("clean", 16), wrong = fixture.trainFolder("wrong", 16);
        QVERIFY(runIn(clean, nullptr, 1e9).end == train::JobEnd::Finished);
        FlippedBits fault(13, 1, "memory.scale");  // the band is known after 10 steps
        core::ProgressMessage progress;
        QVERIFY(runIn(wrong, &fault, 0, &progress).end == train::JobEnd::Finished);
        QCOMPARE(fault.flipped(), 1);
        QCOMPARE(progress.rollBacks, 1);
        QCOMPARE(progress.rollBackStep, 13);
        QCOMPARE(partsOf(wrong), partsOf(clean));
    }

    /// A moment that is no number goes into its weight unseen (its token does not come up): such a state is never saved over a good one nor delivered.
    void brokenMoments() {
        QTemporaryDir dir;
        test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto clean = fixture.trainFolder("clean", 6);
        QVERIFY(runIn(clean, nullptr, 1e9).end == train::JobEnd::Finished);
        for (const double checkpointSeconds : {0.0, 1e9})
            for (const int before : {2, 5}) {  // within the job; in its last step
                const auto folder = fixture.trainFolder("moments-" + std::to_string(before) + (checkpointSeconds > 0 ? "-anew" : ""), 6);
                FlippedBits fault(before, 1, "memory.moments");
                const auto outcome = runIn(folder, &fault, checkpointSeconds);
                QCOMPARE(fault.flipped(), 1);
                QVERIFY2(outcome.end == train::JobEnd::Finished, outcome.failure.error.text().c_str());
                QCOMPARE(partsOf(folder), partsOf(clean));
            }
    }

    /// A base that holds a NaN is the project's fault, found before any step, and nothing that stops the device.
    void baseWithANan() {
        QTemporaryDir dir;
        test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto folder = fixture.trainFolder("nan", 3);
        auto base = fixture.base();
        base[base.size() / 2] = std::numeric_limits<float>::quiet_NaN();
        core::Job job = train::readJob(folder).value().first;
        job.basePath = (folder / "nan.safetensors").string();
        job.baseHash = core::arenaHash(base);
        QVERIFY(core::saveArena(job.basePath, base, core::makeLayout(fixture.config())));
        fixture.writeJob(folder, job);
        const auto outcome = runIn(folder, nullptr);
        QVERIFY(!outcome.end);
        QCOMPARE(outcome.failure.error.code, core::ErrorCode::InvalidData);
        QVERIFY2(outcome.failure.error.message.find("NaN") != std::string::npos, outcome.failure.error.message.c_str());
    }

    /// A folder that is used again for another job does not hand out the old result, nor its checkpoint.
    void aFolderUsedAgain() {
        QTemporaryDir dir;
        test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto folder = fixture.trainFolder("again", 3);
        QVERIFY(runIn(folder, nullptr).end == train::JobEnd::Finished);
        const QString first = partsOf(folder);
        fixture.trainFolder("again", 5);
        QVERIFY(partsOf(folder).isEmpty());
        QVERIFY(runIn(folder, nullptr).end == train::JobEnd::Finished);
        QVERIFY(!partsOf(folder).isEmpty() && partsOf(folder) != first);
    }

    /// Moments that were kept from another round are used; damaged ones are not, and do not stop the job.
    void keptMoments() {
        QTemporaryDir dir;
        const std::filesystem::path root = dir.path().toStdString();
        test::JobFixture fixture(root);
        const auto first = fixture.trainFolder("first", 3), fresh = fixture.trainFolder("fresh", 3), kept = fixture.trainFolder("kept", 3),
                   damaged = fixture.trainFolder("damaged", 3);
        QVERIFY(runIn(first, nullptr).end == train::JobEnd::Finished);
        for (const auto& folder : {kept, damaged}) {
            core::Job job = train::readJob(folder).value().first;
            job.innerStateIn = (root / (folder == kept ? "first/moments.safetensors" : "damaged.safetensors")).string();
            fixture.writeJob(folder, job);
        }
        std::filesystem::copy(first / "moments.safetensors", root / "damaged.safetensors");
        std::filesystem::resize_file(root / "damaged.safetensors", 1000);
        for (const auto& folder : {fresh, kept, damaged}) QVERIFY(runIn(folder, nullptr).end == train::JobEnd::Finished);
        QVERIFY(partsOf(kept) != partsOf(fresh));
        QCOMPARE(partsOf(damaged), partsOf(fresh));
    }
};

QTEST_GUILESS_MAIN(TestJobFaults)
#include "tst_job_faults.moc"
