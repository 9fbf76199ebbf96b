// SPDX-License-Identifier: Apache-2.0
#include "engine/core/initial_weights.h"
#include "engine/model/decoder.h"
#include "engine/model/parallel.h"
#include "engine/model/sampler.h"
#include "engine/train/duty_cycle.h"
#include "engine/train/trainer.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>

using namespace sunloco;

namespace {

constexpr const char* kLlama = R"({"model_type":"llama","vocab_size":61,"hidden_size":40,"intermediate_size":56,"num_hidden_layers":2,
"num_attention_heads":4,"num_key_value_heads":2,"head_dim":10,"max_position_embeddings":64,"rms_norm_eps":1e-6,"hidden_act":"silu",
"attention_bias":true,"mlp_bias":true,"tie_word_embeddings":true,"initializer_range":0.2,"rope_parameters":{"rope_type":"default","rope_theta":10000.0}})";
constexpr const char* kGpt2 = R"({"model_type":"gpt2","vocab_size":61,"n_embd":36,"n_inner":50,"n_layer":2,"n_head":3,"n_positions":48,
"activation_function":"gelu_new","layer_norm_epsilon":1e-5,"resid_pdrop":0.0,"embd_pdrop":0.0,"attn_pdrop":0.0,"initializer_range":0.2})";

/// Lets `allowed` segments pass, then abandons.
class CountingGate final : public model::Gate {
public:
    explicit CountingGate(std::int64_t allowed = std::numeric_limits<std::int64_t>::max()) : m_allowed(allowed) {}
    model::Pass pass() override { return m_allowed-- > 0 ? model::Pass::Go : model::Pass::Abandon; }

private:
    std::int64_t m_allowed;
};

struct Subject {
    explicit Subject(const char* json) : config(core::parseModelConfig(json).value()), lm(model::Transformer::create(config).value()), state(freshState()) {
        for (std::int64_t i = 0; i < 6 * 25; ++i) tokens.push_back(static_cast<std::int32_t>((i * i * 7 + i * 3) % 61));
    }
    train::TrainState freshState() const {
        auto fresh = train::TrainState::allocate(lm->layout().total).value();
        const auto start = core::initialWeights(config, lm->layout(), 5);
        std::copy(start.begin(), start.end(), fresh.weights.data());
        return fresh;
    }
    [[nodiscard]] model::Batch rows(std::int64_t first, std::int64_t count) const { return {tokens.data() + first * 25, count, 24}; }
    core::ModelConfig config;
    std::unique_ptr<model::Transformer> lm;
    train::TrainState state;
    std::vector<std::int32_t> tokens;
};

bool sameBits(const train::TrainState& a, const train::TrainState& b) {
    const auto equal = [](const model::FloatBuffer& x, const model::FloatBuffer& y) { return std::memcmp(x.data(), y.data(), x.span().size_bytes()) == 0; };
    return equal(a.weights, b.weights) && equal(a.firstMoment, b.firstMoment) && equal(a.secondMoment, b.secondMoment) && a.adamSteps == b.adamSteps;
}

}  // namespace

class TestTrainer : public QObject {
    Q_OBJECT
private:
    static void models() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("llama") << QByteArray(kLlama);
        QTest::newRow("gpt2") << QByteArray(kGpt2);
    }

private Q_SLOTS:
    /// The gradient against central differences of the loss, for every tensor of the model.
    void gradientIsTheSlope_data() { models(); }
    void gradientIsTheSlope() {
        QFETCH(QByteArray, json);
        Subject s(json.constData());
        CountingGate gate;
        model::Compute compute(model::bestKernels(), gate);
        const model::Batch batch = s.rows(0, 2);
        std::vector<float> gradient(static_cast<std::size_t>(s.lm->layout().total));
        QVERIFY(s.lm->prepare(batch, true));
        s.lm->gradients(compute, batch, s.state.weights.data(), gradient.data(), model::Accumulate::No, 1.0);
        for (const core::TensorSlot& slot : s.lm->layout().slots) {
            double norm = 0;
            for (std::int64_t i = slot.offset; i < slot.offset + slot.count; ++i) norm += std::pow(static_cast<double>(gradient[static_cast<std::size_t>(i)]), 2);
            norm = std::sqrt(norm);
            if (slot.name.find("k_proj.bias") != std::string::npos) {  // softmax does not see a shift common to all keys of a query... but RoPE turns it
                QVERIFY(std::isfinite(norm));
            }
            const double reach = 2e-2;
            double loss[2] = {};
            for (int side = 0; side < 2; ++side) {
                std::vector<float> moved(s.state.weights.span().begin(), s.state.weights.span().end());
                for (std::int64_t i = slot.offset; i < slot.offset + slot.count; ++i) {
                    const auto at = static_cast<std::size_t>(i);
                    moved[at] += static_cast<float>((side == 0 ? reach : -reach) * static_cast<double>(gradient[at]) / std::max(norm, 1e-12));
                }
                loss[side] = s.lm->lossSum(compute, batch, moved.data()) / static_cast<double>(batch.targets());
            }
            const double slope = (loss[0] - loss[1]) / (2 * reach);
            QVERIFY2(std::abs(slope - norm) <= 0.01 * norm + 2e-5, (slot.name + ": slope " + std::to_string(slope) + ", norm " + std::to_string(norm)).c_str());
        }
    }

    /// A step abandoned after any number of segments leaves everything as it was, and the same step then gives the same bits.
    void abandonedStepIsRedoneExactly_data() { models(); }
    void abandonedStepIsRedoneExactly() {
        QFETCH(QByteArray, json);
        Subject whole(json.constData()), broken(json.constData());
        const std::vector<model::Batch> micro{whole.rows(0, 3), whole.rows(3, 3)};
        CountingGate open;
        model::Compute compute(model::bestKernels(), open);
        auto trainer = train::Trainer::create(*whole.lm, compute, {}).value();
        for (int i = 0; i < 3; ++i) QCOMPARE(trainer.step(micro, 1e-2, whole.state).value().outcome, train::StepOutcome::Applied);
        const std::int64_t perStep = compute.segments() / 3;
        QVERIFY(perStep > 40);

        auto second = train::Trainer::create(*broken.lm, compute, {}).value();
        int abandoned = 0;
        for (int i = 0; i < 3; ++i) {
            for (std::int64_t allowed = i; allowed < perStep; allowed += 7) {
                const auto before = std::vector<float>(broken.state.weights.span().begin(), broken.state.weights.span().end());
                CountingGate closing(allowed);
                compute.setGate(closing);
                const auto report = second.step(micro, 1e-2, broken.state).value();
                compute.setGate(open);
                if (report.outcome == train::StepOutcome::Applied) goto applied;  // the optimizer's phase is carried through
                ++abandoned;
                QVERIFY(std::memcmp(before.data(), broken.state.weights.data(), before.size() * sizeof(float)) == 0);
                QCOMPARE(broken.state.adamSteps, i);
            }
            QCOMPARE(second.step(micro, 1e-2, broken.state).value().outcome, train::StepOutcome::Applied);
        applied:;
        }
        QVERIFY(abandoned > 15);
        QVERIFY(sameBits(whole.state, broken.state));
    }

    /// The same micro-batches in one step, or each on its own with a model of its own (as after an interruption), accumulated: the same bits.
    void accumulationSplits_data() { models(); }
    void accumulationSplits() {
        QFETCH(QByteArray, json);
        Subject whole(json.constData());
        CountingGate open;
        model::Compute compute(model::bestKernels(), open);
        const std::vector<model::Batch> micro{whole.rows(0, 2), whole.rows(2, 2), whole.rows(4, 2)};
        auto trainer = train::Trainer::create(*whole.lm, compute, {}).value();
        const auto report = trainer.step(micro, 0.0, whole.state).value();
        std::vector<float> split(trainer.gradients().size());
        double loss = 0;
        for (std::size_t i = 0; i < micro.size(); ++i) {
            Subject part(json.constData());
            model::Compute own(model::bestKernels(), open);
            QVERIFY(part.lm->prepare(micro[i], true));
            loss += 1.0 / 3 * part.lm->gradients(own, micro[i], part.state.weights.data(), split.data(), i == 0 ? model::Accumulate::No : model::Accumulate::Yes, 1.0 / 3);
        }
        QCOMPARE(loss, report.loss);
        QVERIFY(std::memcmp(split.data(), trainer.gradients().data(), split.size() * sizeof(float)) == 0);
        // Another cut of the batch is another order of sums: equal only up to rounding. This is why a micro-batch is a function of the recipe alone.
        Subject other(json.constData());
        auto large = train::Trainer::create(*other.lm, compute, {}).value();
        const model::Batch all = other.rows(0, 6);
        QVERIFY(large.step({&all, 1}, 0.0, other.state));
        double apart = 0, size = 0;
        for (std::size_t i = 0; i < split.size(); ++i) {
            apart += std::pow(static_cast<double>(split[i]) - static_cast<double>(large.gradients()[i]), 2);
            size += std::pow(static_cast<double>(split[i]), 2);
        }
        QVERIFY2(std::sqrt(apart / size) < 1e-6, qPrintable(QString::number(std::sqrt(apart / size))));
    }

    /// With our own products a step has the same bits on any number of threads; the library's may differ in the last bit.
    void threads_data() { models(); }
    void threads() {
        QFETCH(QByteArray, json);
        for (const auto products : {model::Compute::Products::Own, model::Compute::Products::Library}) {
            Subject one(json.constData()), two(json.constData()), three(json.constData());
            CountingGate open;
            model::Compute compute(model::bestKernels(), open);
            compute.setProducts(products);
            for (auto [subject, threads] : {std::pair(&one, 1), std::pair(&two, 2), std::pair(&three, 3)}) {
                model::setThreadCount(threads);
                auto trainer = train::Trainer::create(*subject->lm, compute, {}).value();
                const model::Batch batch = subject->rows(0, 6);
                for (int i = 0; i < 4; ++i) QVERIFY(trainer.step({&batch, 1}, 1e-2, subject->state));
            }
            model::setThreadCount(1);
            if (products == model::Compute::Products::Own) {
                QVERIFY(sameBits(one.state, two.state) && sameBits(one.state, three.state));
                continue;
            }
            double worst = 0;
            for (std::int64_t i = 0; i < one.state.weights.size(); ++i)
                worst = std::max(worst, std::abs(static_cast<double>(one.state.weights.data()[i]) - static_cast<double>(two.state.weights.data()[i])));
            QVERIFY2(worst < 1e-4, qPrintable(QString::number(worst)));
        }
    }

    /// With our own products the bits of a step do not depend on how its batch is cut into micro-batches of whole 128 tokens either: every sum over tokens
    /// is taken in rising order, or over blocks of 64 or 128 rows. (A tied head is the exception: it and the embedding add to one gradient in turns.)
    void cutsOfABatch() {
        const Subject s(QByteArray(kLlama).replace("\"tie_word_embeddings\":true", "\"tie_word_embeddings\":false").constData());
        constexpr std::int64_t B = 8, T = 64;
        std::vector<std::int32_t> tokens;
        for (std::int64_t i = 0; i < B * (T + 1); ++i) tokens.push_back(static_cast<std::int32_t>((i * i * 5 + i * 11) % 61));
        CountingGate open;
        model::Compute compute(model::bestKernels(), open);
        compute.setProducts(model::Compute::Products::Own);
        std::vector<train::TrainState> states;
        for (const std::int64_t size : {8, 4, 2}) {
            states.push_back(s.freshState());
            auto trainer = train::Trainer::create(*s.lm, compute, {}).value();
            std::vector<model::Batch> micro;
            for (std::int64_t row = 0; row < B; row += size) micro.push_back({tokens.data() + row * (T + 1), size, T});
            for (int i = 0; i < 3; ++i) QVERIFY(trainer.step(micro, 1e-2, states.back())->outcome == train::StepOutcome::Applied);
        }
        QVERIFY(sameBits(states[0], states[1]) && sameBits(states[0], states[2]));
    }

    /// Identity 3 at unit level: with H = 1 and plain SGD inside, the mean of k workers' pseudo-gradients is the gradient of the k-fold batch.
    void oneStepOfManyWorkersIsALargeBatch_data() { models(); }
    void oneStepOfManyWorkersIsALargeBatch() {
        QFETCH(QByteArray, json);
        Subject s(json.constData());
        CountingGate open;
        model::Compute compute(model::bestKernels(), open);
        const auto n = static_cast<std::size_t>(s.lm->layout().total);
        const auto gradientOf = [&](const model::Batch& batch) {
            std::vector<float> gradient(n);
            if (!s.lm->prepare(batch, true)) return gradient;
            s.lm->gradients(compute, batch, s.state.weights.data(), gradient.data(), model::Accumulate::No, 1.0);
            return gradient;
        };
        const std::vector<float> large = gradientOf(s.rows(0, 6));
        std::vector<double> mean(n);
        constexpr double lr = 0.25;
        for (std::int64_t worker = 0; worker < 3; ++worker) {
            const std::vector<float> gradient = gradientOf(s.rows(2 * worker, 2));
            for (std::size_t i = 0; i < n; ++i) mean[i] += lr * static_cast<double>(gradient[i]) / 3;  // base - (base - lr g)
        }
        double worst = 0, size = 0;
        for (std::size_t i = 0; i < n; ++i) {
            worst = std::max(worst, std::abs(mean[i] - lr * static_cast<double>(large[i])));
            size = std::max(size, std::abs(lr * static_cast<double>(large[i])));
        }
        QVERIFY2(worst < 1e-5 * size, qPrintable(QString::number(worst / size)));
    }

    void brokenNumbersAreNotApplied() {
        Subject s(kLlama);
        CountingGate open;
        model::Compute compute(model::bestKernels(), open);
        auto trainer = train::Trainer::create(*s.lm, compute, {}).value();
        const model::Batch batch = s.rows(0, 2);
        train::LossBand band;
        for (int i = 0; i < 12; ++i) QCOMPARE(trainer.step({&batch, 1}, 1e-3, s.state, &band).value().outcome, train::StepOutcome::Applied);
        const train::TrainState& state = s.state;
        const std::vector<float> before(state.weights.span().begin(), state.weights.span().end());
        s.state.weights.data()[100] = std::numeric_limits<float>::quiet_NaN();
        QCOMPARE(trainer.step({&batch, 1}, 1e-3, s.state, &band).value().outcome, train::StepOutcome::Refused);
        s.state.weights.data()[100] = before[100];
        QVERIFY(std::memcmp(before.data(), state.weights.data(), before.size() * sizeof(float)) == 0);
        // A finite loss far above the band: a flipped exponent bit in the head.
        for (int i = 0; i < 61 * 40; ++i) s.state.weights.data()[i] *= 64;
        QCOMPARE(trainer.step({&batch, 1}, 1e-3, s.state, &band).value().outcome, train::StepOutcome::Refused);
        QCOMPARE(band.steps, 12);
    }

    void lossBand() {
        train::LossBand band;
        QVERIFY(band.accepts(1e9));  // nothing is known yet
        for (int i = 0; i < 50; ++i) band.add(7.0 - 0.05 * i);
        QVERIFY(band.accepts(0.1));
        QVERIFY(band.accepts(6.5));
        QVERIFY(!band.accepts(20.0));
    }

    void badTokensAreNamed() {
        Subject s(kGpt2);
        s.tokens[30] = 61;
        const auto ready = s.lm->prepare(s.rows(0, 2), true);
        QVERIFY(!ready);
        QVERIFY(ready.error().message.find("61") != std::string::npos);
        std::vector<std::int32_t> longText(200, 1);
        QVERIFY(!s.lm->prepare({longText.data(), 1, 100}, true));
    }

    void microBatches() {
        QCOMPARE(train::microBatchSequences(12, 64), 12);
        QCOMPARE(train::microBatchSequences(12, 1024), 4);
        QCOMPARE(train::microBatchSequences(7, 1024), 1);
        QCOMPARE(train::microBatchSequences(8, 100'000), 1);
    }

    /// The decoder with its cache gives what the whole forward pass gives.
    void decoderAgreesWithTheModel_data() { models(); }
    void decoderAgreesWithTheModel() {
        QFETCH(QByteArray, json);
        Subject s(json.constData());
        CountingGate open;
        model::Compute compute(model::bestKernels(), open);
        const model::Batch batch = s.rows(1, 1);
        QVERIFY(s.lm->prepare(batch, false));
        std::vector<float> whole(24 * 61);
        s.lm->logits(compute, batch, s.state.weights.data(), whole.data());
        auto decoder = model::Decoder::create(s.config, s.state.weights.data(), 24, model::bestKernels()).value();
        for (std::int64_t t = 0; t < 24; ++t) {
            const auto logits = decoder->accept(batch.tokens[t]);
            QVERIFY(logits);
            for (std::int64_t j = 0; j < 61; ++j)
                QVERIFY(std::abs((*logits)[static_cast<std::size_t>(j)] - whole[static_cast<std::size_t>(t * 61 + j)]) < 2e-5f);
        }
        QVERIFY(!decoder->accept(1));  // full
    }

    void sampler() {
        const std::vector<float> logits{0.0f, 2.0f, 1.0f, 2.0f, -5.0f};
        QCOMPARE(model::Sampler({0.0, 0, 1.0, 1}).draw(logits), 1);
        model::Sampler a({1.0, 0, 1.0, 9}), b({1.0, 0, 1.0, 9}), other({1.0, 0, 1.0, 10});
        int differ = 0, seen[5] = {};
        for (int i = 0; i < 400; ++i) {
            const std::int32_t token = a.draw(logits);
            QCOMPARE(b.draw(logits), token);
            differ += other.draw(logits) != token;
            ++seen[token];
        }
        QVERIFY(differ > 100);
        QVERIFY(seen[1] > 100 && seen[3] > 100 && seen[2] > 30 && seen[0] > 5);
        model::Sampler two({1.0, 2, 1.0, 3}), nucleus({1.0, 0, 0.5, 3});
        for (int i = 0; i < 200; ++i) {
            const std::int32_t token = two.draw(logits);
            QVERIFY(token == 1 || token == 3);
            const std::int32_t likely = nucleus.draw(logits);
            QVERIFY(likely == 1 || likely == 3);
        }
    }

    void dutyCycle() {
        using namespace std::chrono_literals;
        for (const int percent : {25, 50, 80, 100}) {
            train::DutyCycle duty;
            duty.setPercent(percent);
            std::chrono::nanoseconds work{}, rest{};
            for (int i = 0; i < 5000; ++i) {
                const auto piece = std::chrono::microseconds(300 + 37 * (i % 50));
                work += piece;
                const auto pause = duty.restAfter(piece);
                const auto real = pause > 0ns ? pause + 200us : 0ns;  // the system oversleeps
                rest += real;
                if (pause > 0ns) duty.rested(real);
            }
            const double share = 100.0 * static_cast<double>(work.count()) / static_cast<double>((work + rest).count());
            QVERIFY2(std::abs(share - percent) < 1, qPrintable(QString::number(share)));
        }
        train::DutyCycle duty;
        duty.setPercent(3);
        QCOMPARE(duty.percent(), train::DutyCycle::kLeast);
    }
};

QTEST_GUILESS_MAIN(TestTrainer)
#include "tst_trainer.moc"
