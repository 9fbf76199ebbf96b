// SPDX-License-Identifier: Apache-2.0
// Weights as bf16: the arithmetic, and how far training with it may be from fp32.
#include "engine/core/files.h"
#include "engine/core/half.h"
#include "engine/core/initial_weights.h"
#include "engine/core/safetensors.h"
#include "engine/model/parallel.h"
#include "engine/train/job_runner.h"
#include "engine/train/trainer.h"
#include "tests/engine/train/job_fixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace sunloco;
using core::WeightFormat;

namespace {

const std::filesystem::path kReference = SUNLOCO_SOURCE_DIR "/tests/data/reference/llama-gqa";
constexpr std::int64_t kSteps = 50;

float wide(float x) { return core::fromBf16(core::toBf16(x)); }

/// The reference's batches trained with one format of the weights.
struct Run {
    std::vector<double> loss;
    std::vector<float> firstGradient;
    train::TrainState state;
};

Run trainReference(WeightFormat format, std::uint64_t seed = 3, int threads = 1, std::int64_t steps = kSteps) {
    model::setThreadCount(threads);
    const auto config = core::parseModelConfig(core::readTextFile(kReference / "config.json", 1 << 20).value()).value();
    const auto lm = model::Transformer::create(config).value();
    const auto start = core::loadArena(kReference, lm->layout()).value();
    const auto header = core::readSafetensorsHeader(kReference / "batches.safetensors").value();
    const core::TensorInfo& info = *header.find("tokens");
    const auto tokens = core::readIntTensor(kReference / "batches.safetensors", info).value();
    const std::int64_t B = info.shape[2], T = info.shape[3] - 1;
    core::Recipe recipe;
    recipe.learningRate = 1e-2;
    recipe.warmupSteps = 5;
    recipe.totalSteps = 60;
    recipe.weights = format;
    recipe.seed = seed;
    Run run;
    run.state = train::TrainState::allocate(lm->layout().total).value();
    std::copy(start.begin(), start.end(), run.state.weights.data());
    model::OpenGate gate;
    model::Compute compute(model::bestKernels(), gate);
    auto trainer = train::Trainer::create(*lm, compute, train::optimizerOf(recipe)).value();
    train::enterBase(compute, train::optimizerOf(recipe), run.state, 0);
    for (std::int64_t t = 0; t < steps; ++t) {
        const model::Batch batch{tokens.data() + t * B * (T + 1), B, T};
        run.loss.push_back(trainer.step({&batch, 1}, core::learningRateAt(recipe, t), run.state, nullptr, t).value().loss);
        if (t == 0) run.firstGradient.assign(trainer.gradients().begin(), trainer.gradients().end());
    }
    model::setThreadCount(1);
    return run;
}

double meanRelative(const Run& a, const Run& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.loss.size(); ++i) sum += std::abs(a.loss[i] - b.loss[i]) / b.loss[i];
    return sum / static_cast<double>(a.loss.size());
}

bool sameBits(const train::TrainState& a, const train::TrainState& b) {
    const auto equal = [](const model::FloatBuffer& x, const model::FloatBuffer& y) { return std::memcmp(x.data(), y.data(), x.span().size_bytes()) == 0; };
    return equal(a.weights, b.weights) && equal(a.firstMoment, b.firstMoment) && equal(a.secondMoment, b.secondMoment);
}

/// Asks for a release before the `which`-th step of the job.
class StopBefore final : public core::FaultPolicy {
public:
    StopBefore(train::JobGate& gate, int which) : m_gate(gate), m_left(which) {}
    core::Result<void> before(std::string_view step) override {
        if (step == "memory.weights" && m_left-- == 0) m_gate.stop(core::StopLevel::Release);
        return {};
    }

private:
    train::JobGate& m_gate;
    int m_left;
};

/// Runs the job of a folder, with a stop before every `piece`-th step; the hashes of its parts.
QString finish(const std::filesystem::path& folder, int piece, int* stops) {
    for (*stops = 0;; ++*stops) {
        auto job = train::readJob(folder).value();
        train::JobGate gate([] {});
        train::ProgressBoard board;
        StopBefore policy(gate, piece);
        const auto outcome = train::runJob({folder, job.first, job.second, gate, board, model::bestKernels(), 1e9, &policy});
        if (!outcome.end) return QString::fromStdString(outcome.failure.error.text());
        if (*outcome.end == train::JobEnd::Released) continue;
        QString parts;
        const auto result = train::finishedResult(folder, job.second);
        if (!result) return QStringLiteral("no result");
        for (const auto& part : result->parts) parts += QString::fromStdString(part.sha256.hex());
        return parts;
    }
}

}  // namespace

class TestPrecision : public QObject {
    Q_OBJECT
private:
    Run m_fp32;

private Q_SLOTS:
    void initTestCase() { m_fp32 = trainReference(WeightFormat::Fp32); }

    void nearest() {
        for (std::uint64_t i = 0; i < 200'000; ++i) {
            const float x = std::bit_cast<float>(core::philox(i, 1, 2)[0]);
            if (!std::isfinite(x)) continue;
            QCOMPARE(std::bit_cast<std::uint32_t>(model::bf16Nearest(x)), std::bit_cast<std::uint32_t>(wide(x)));
        }
        constexpr float infinity = std::numeric_limits<float>::infinity();
        QCOMPARE(model::bf16Nearest(infinity), infinity);
        QCOMPARE(model::bf16Stochastic(-infinity, 0xffff), -infinity);
        for (const std::uint32_t nan : {0x7f800001u, 0x7fffffffu, 0xff80ffffu}) {  // a NaN whose low bits are cut off would be infinite
            QVERIFY(std::isnan(model::bf16Nearest(std::bit_cast<float>(nan))));
            QVERIFY(std::isnan(model::bf16Stochastic(std::bit_cast<float>(nan), 0xffff)));
        }
    }

    void randomBitsArePhilox() {
        for (const std::int64_t index : {std::int64_t{0}, std::int64_t{13}, std::int64_t{8'000'000'007}, std::int64_t{1} << 50}) {
            const auto words = core::philox(static_cast<std::uint64_t>(index) / 8, (std::uint64_t{0x7372} << 48) + 77, 0x123456789abcdefull);
            const auto bits = model::roundingBits({0x123456789abcdefull, 77}, index);
            for (int i = 0; i < 4; ++i) QCOMPARE(bits.word[i], words[static_cast<std::size_t>(i)]);
        }
    }

    /// Over all random values the mean of the rounding is the number itself, exactly; and only the two neighbours come out.
    void stochasticRoundingIsUnbiased() {
        for (const float x : {1.0f, 1.00123f, -0.3333333f, 3e-20f, -7e30f, 1.9999999f, 1e-39f}) {
            double sum = 0;
            std::set<float> seen;
            for (std::uint32_t random = 0; random < 65536; ++random) {
                const float rounded = model::bf16Stochastic(x, random);
                sum += static_cast<double>(rounded) / static_cast<double>(x);
                seen.insert(rounded);
            }
            QVERIFY2(std::abs(sum / 65536 - 1) < 1e-11, qPrintable(QString::number(sum / 65536 - 1)));
            QVERIFY(seen.size() == (wide(x) == x ? 1u : 2u));
        }
    }

    /// The result depends on (seed, step, index) and on nothing else.
    void stochasticRoundingIsKeyed() {
        const std::vector<float> x(100'003, 1.0f + 0.25f / 128);  // a quarter of the way between two neighbours
        const auto rounded = [&x](const model::RoundingKey& key, std::int64_t piece) {
            std::vector<float> out = x;
            for (std::int64_t first = 0; first < static_cast<std::int64_t>(out.size()); first += piece)
                model::roundStochastically(out.data() + first, std::min<std::int64_t>(piece, static_cast<std::int64_t>(out.size()) - first), first, key);
            return out;
        };
        const auto whole = rounded({1, 2}, 1 << 20);
        for (const std::int64_t piece : {1, 7, 8, 4096}) QVERIFY(rounded({1, 2}, piece) == whole);
        const double share = static_cast<double>(std::count(whole.begin(), whole.end(), 1.0f + 1.0f / 128)) / static_cast<double>(whole.size());
        QVERIFY2(std::abs(share - 0.25) < 5 * std::sqrt(0.25 * 0.75 / 1e5), qPrintable(QString::number(share)));
        for (const model::RoundingKey other : {model::RoundingKey{1, 3}, model::RoundingKey{2, 2}}) {
            const auto different = rounded(other, 1 << 20);
            std::size_t equal = 0;
            for (std::size_t i = 0; i < whole.size(); ++i) equal += whole[i] == different[i] ? 1 : 0;
            QVERIFY2(std::abs(static_cast<double>(equal) / 1e5 - 0.625) < 0.01, qPrintable(QString::number(equal)));  // independent: 1/16 + 9/16
        }
        const auto mine = train::optimizerOf({}, 0), theirs = train::optimizerOf({}, 1200);  // two leases of a project
        QVERIFY(mine.roundingSeed != theirs.roundingSeed);
    }

    /// Gates: step 0 within 2e-4 of fp32, 50 steps within 5e-3 on average, gradient within 2e-2 with a cosine above 0.999. Without a master every step adds
    /// its rounding to the weights: at this run's high rates the losses are then up to three times as far away.
    void withinTheGates_data() {
        QTest::addColumn<int>("format");
        QTest::newRow("bf16, fp32 master") << static_cast<int>(WeightFormat::Bf16);
        QTest::newRow("bf16, stochastic rounding") << static_cast<int>(WeightFormat::Bf16Stochastic);
    }
    void withinTheGates() {
        QFETCH(int, format);
        const Run run = trainReference(static_cast<WeightFormat>(format));
        double dot = 0, mine = 0, reference = 0, apart = 0;
        for (std::size_t i = 0; i < run.firstGradient.size(); ++i) {
            const double a = static_cast<double>(run.firstGradient[i]), b = static_cast<double>(m_fp32.firstGradient[i]);
            dot += a * b;
            mine += a * a;
            reference += b * b;
            apart += (a - b) * (a - b);
        }
        const double first = std::abs(run.loss[0] - m_fp32.loss[0]) / m_fp32.loss[0], mean = meanRelative(run, m_fp32), gradient = std::sqrt(apart / reference),
                     cosine = dot / std::sqrt(mine * reference);
        const QByteArray figures = QStringLiteral("step 0 %1, mean of 50 %2, gradient %3, cosine %4").arg(first).arg(mean).arg(gradient).arg(cosine).toUtf8();
        qInfo("%s", figures.constData());
        QVERIFY2(first > 0 && first < 2e-4, figures.constData());
        QVERIFY2(mean < (static_cast<WeightFormat>(format) == WeightFormat::Bf16 ? 5e-3 : 1.5e-2), figures.constData());
        QVERIFY2(gradient < 2e-2 && cosine > 0.999, figures.constData());
        std::int64_t narrow = 0;
        for (const float w : run.state.weights.span()) narrow += wide(w) == w ? 1 : 0;
        // With a master the weights keep all their bits, without one each of them is a bf16 number.
        if (static_cast<WeightFormat>(format) == WeightFormat::Bf16) QVERIFY(narrow < run.state.weights.size() / 10);
        else QCOMPARE(narrow, run.state.weights.size());
    }

    /// Why there is stochastic rounding: updates far below half a bf16 step are lost to nearest rounding, but not on average to stochastic rounding.
    void smallUpdatesAreNotLost() {
        constexpr std::int64_t n = 20'000;
        constexpr float update = 1e-4f;  // half a bf16 step at 1 is 3.9e-3
        std::vector<float> nearest(n, 1.0f), stochastic(n, 1.0f);
        for (std::uint64_t step = 0; step < 200; ++step) {
            for (std::vector<float>* w : {&nearest, &stochastic})
                for (float& x : *w) x += update;
            model::roundToBf16(nearest.data(), nearest.data(), n);
            model::roundStochastically(stochastic.data(), n, 0, {9, step});
        }
        double mean = 0;
        for (const float x : stochastic) mean += static_cast<double>(x) / static_cast<double>(n);
        QCOMPARE(nearest[0], 1.0f);
        QVERIFY2(std::abs(mean - 1.02) < 5e-4, qPrintable(QString::number(mean, 'g', 8)));
    }

    /// A job that is stopped and resumed again and again ends in the same bits as one that is not.
    void resumedIsUninterrupted_data() {
        QTest::addColumn<int>("format");
        for (const auto format : {WeightFormat::Fp32, WeightFormat::Bf16, WeightFormat::Bf16Stochastic})
            QTest::addRow("format %d", static_cast<int>(format)) << static_cast<int>(format);
    }
    void resumedIsUninterrupted() {
        QFETCH(int, format);
        QTemporaryDir dir;
        const test::JobFixture fixture(std::filesystem::path(dir.path().toStdString()));
        const auto folder = [&](const char* name) {
            const auto path = std::filesystem::path(dir.path().toStdString()) / name;
            core::Job job = fixture.job();
            job.kind = core::JobKind::Train;
            job.steps = job.recipe.innerSteps = 12;
            job.examples = {40, job.steps * job.recipe.batchSequences};
            job.recipe.weights = static_cast<WeightFormat>(format);
            fixture.writeJob(path, job);
            return path;
        };
        int none = 0, many = 0;
        const QString wanted = finish(folder("whole"), 1000, &none);
        QCOMPARE(finish(folder("pieces"), 2, &many), wanted);
        QVERIFY(none == 0 && many >= 5 && wanted.size() >= 64);
    }

    /// Last, because the library's threads go on waiting for work.
    void seedsAndThreads() {
        const Run one = trainReference(WeightFormat::Bf16Stochastic, 3, 1, 5), again = trainReference(WeightFormat::Bf16Stochastic, 3, 2, 5),
                  other = trainReference(WeightFormat::Bf16Stochastic, 4, 1, 5);
        QVERIFY(sameBits(one.state, again.state));
        QVERIFY(!sameBits(one.state, other.state));
    }
};

QTEST_GUILESS_MAIN(TestPrecision)
#include "tst_precision.moc"
