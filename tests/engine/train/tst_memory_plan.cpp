// SPDX-License-Identifier: Apache-2.0
// What a model needs of memory: recomputed activations with the bits of stored ones, the plan's choice, its prediction beside the measured peak, and the
// table for graphics cards.
#include "engine/core/initial_weights.h"
#include "engine/core/json.h"
#include "engine/model/parallel.h"
#include "engine/train/memory_plan.h"
#include "engine/train/trainer.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>

using namespace sunloco;
using model::Activations;

namespace {

std::string llama(int vocab, int hidden, int width, int layers, int heads, int kvHeads, bool tied) {
    return R"({"model_type":"llama","hidden_act":"silu","rms_norm_eps":1e-6,"max_position_embeddings":4096,"initializer_range":0.1,"vocab_size":)" + std::to_string(vocab) +
           ",\"hidden_size\":" + std::to_string(hidden) + ",\"intermediate_size\":" + std::to_string(width) + ",\"num_hidden_layers\":" + std::to_string(layers) +
           ",\"num_attention_heads\":" + std::to_string(heads) + ",\"num_key_value_heads\":" + std::to_string(kvHeads) + ",\"tie_word_embeddings\":" + (tied ? "true" : "false") + "}";
}
std::string gpt2(int hidden, int layers, int heads) {
    return R"({"model_type":"gpt2","vocab_size":50257,"n_positions":1024,"activation_function":"gelu_new","initializer_range":0.1,"resid_pdrop":0.0,"embd_pdrop":0.0,"attn_pdrop":0.0,"n_embd":)" +
           std::to_string(hidden) + ",\"n_layer\":" + std::to_string(layers) + ",\"n_head\":" + std::to_string(heads) + "}";
}
core::ModelConfig configOf(const std::string& json) { return core::parseModelConfig(json).value(); }

constexpr std::int64_t kGb = 1'000'000'000;

}  // namespace

class TestMemoryPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void recomputedHasTheBitsOfStored_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("llama") << QByteArray::fromStdString(llama(61, 40, 56, 3, 4, 2, true));
        QTest::newRow("one layer") << QByteArray::fromStdString(llama(61, 24, 30, 1, 2, 2, false));
        QTest::newRow("gpt2") << QByteArray(R"({"model_type":"gpt2","vocab_size":61,"n_embd":36,"n_layer":3,"n_head":3,"n_positions":48,"activation_function":"gelu_new",
            "resid_pdrop":0.0,"embd_pdrop":0.0,"attn_pdrop":0.0,"initializer_range":0.2})");
    }
    void recomputedHasTheBitsOfStored() {
        QFETCH(QByteArray, json);
        const auto config = configOf(json.toStdString());
        auto lm = model::Transformer::create(config).value();
        model::OpenGate gate;
        model::Compute compute(model::bestKernels(), gate);
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 4 * 21; ++i) tokens.push_back(i * i % 61);
        const std::vector<model::Batch> micro{{tokens.data(), 2, 20}, {tokens.data() + 42, 2, 20}};
        std::vector<float> results[2];
        for (const auto activations : {Activations::Stored, Activations::Recomputed}) {
            lm->setActivations(activations);
            auto state = train::TrainState::allocate(lm->layout().total).value();
            const auto start = core::initialWeights(config, lm->layout(), 5);
            std::copy(start.begin(), start.end(), state.weights.data());
            auto trainer = train::Trainer::create(*lm, compute, {}).value();
            for (int i = 0; i < 3; ++i) QVERIFY(trainer.step(micro, 1e-2, state)->outcome == train::StepOutcome::Applied);
            const auto weights = state.weights.span();
            results[activations == Activations::Stored ? 0 : 1].assign(weights.begin(), weights.end());
        }
        QVERIFY(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(float)) == 0);
        const auto stored = lm->workspaceBytes(4, 20, Activations::Stored), recomputed = lm->workspaceBytes(4, 20, Activations::Recomputed);
        QVERIFY(config.layers == 1 ? recomputed == stored : recomputed < stored * 7 / 10);
    }

    void chooses() {
        const auto lm = model::Transformer::create(configOf(gpt2(768, 12, 12))).value();   // 124M
        const std::int64_t stored = lm->workspaceBytes(4, 1024, Activations::Stored), recomputed = lm->workspaceBytes(4, 1024, Activations::Recomputed);
        QVERIFY(stored > 2 * recomputed);
        const std::int64_t arenas = 16 * lm->layout().total;
        const auto with = [&](std::int64_t available) { return train::planMemory(*lm, 8, 1024, 1, {available, 16 * kGb, 100'000'000}); };
        const auto roomy = with(arenas + stored + 3 * kGb);
        QVERIFY(roomy && roomy->activations == Activations::Stored);
        QCOMPARE(roomy->microBatch, std::int64_t{4});
        QVERIFY(roomy->reserve == 16 * kGb / 10);
        const auto tight = with(arenas + recomputed + 2 * kGb);
        QVERIFY(tight && tight->activations == Activations::Recomputed);
        QCOMPARE(tight->microBatch, roomy->microBatch);   // never a matter of memory
        const auto none = with(arenas + kGb);
        QVERIFY(!none);
        QCOMPARE(none.error().code, core::ErrorCode::OutOfMemory);
        for (const char* part : {"MB", "16000 MB", "1600 MB stay", "smaller model"}) QVERIFY2(none.error().message.find(part) != std::string::npos, none.error().message.c_str());
        // bf16 weights beside fp32 masters are one arena more; without masters there is none.
        const train::FreeMemory plenty{64 * kGb, 64 * kGb, 100'000'000};
        const auto needs = [&](core::WeightFormat weights) { return train::planMemory(*lm, 8, 1024, 1, plenty, weights)->needed; };
        QCOMPARE(needs(core::WeightFormat::Bf16) - needs(core::WeightFormat::Fp32), 4 * lm->layout().total);
        QCOMPARE(needs(core::WeightFormat::Bf16Stochastic), needs(core::WeightFormat::Fp32));
        const auto here = train::measureFreeMemory();
        QVERIFY(here.available > 0 && here.total >= here.available && here.resident > 1'000'000 && here.resident < here.total);
    }

    /// The worker's own bench says what it planned and what it took.
    void predictionFits_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QStringList>("shape");
        const auto row = [](const char* name, const std::string& json, const char* shape) {
            QTest::newRow(name) << QByteArray::fromStdString(json) << QString::fromLatin1(shape).split(QLatin1Char(' '));
        };
        row("1M", llama(1024, 128, 352, 4, 4, 4, false), "--batch 12 --seq 64");
        row("14M", llama(8192, 384, 1024, 6, 6, 6, true), "--batch 1 --seq 256");
        row("deep", llama(512, 96, 256, 24, 4, 2, true), "--batch 8 --seq 128");
        row("recomputed", llama(512, 96, 256, 24, 4, 2, true), "--batch 8 --seq 128 --recompute");
        row("wide vocabulary", llama(40'000, 96, 256, 2, 4, 2, true), "--batch 2 --seq 128");
        row("gpt2", gpt2(128, 3, 4), "--batch 2 --seq 200");
    }
    void predictionFits() {
        const QString worker = QStringLiteral(SUNLOCO_BINARY_DIR "/sunloco-worker");
        if (!QFile::exists(worker)) QSKIP("sunloco-worker was not built");
        QFETCH(QByteArray, json);
        QFETCH(QStringList, shape);
        const QTemporaryDir dir;
        QFile file(dir.filePath(QStringLiteral("config.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(json);
        file.close();
        QProcess process;
        process.start(worker, QStringList{QStringLiteral("bench"), QStringLiteral("--json"), QStringLiteral("--model"), file.fileName(), QStringLiteral("--steps"), QStringLiteral("1")} + shape);
        QVERIFY(process.waitForFinished(100'000));
        const QByteArray out = process.readAllStandardOutput();
        const QJsonObject report = QJsonDocument::fromJson(out).object();
        const double planned = report.value(QStringLiteral("planned_mb")).toDouble(), peak = report.value(QStringLiteral("peak_rss_mb")).toDouble();
        QVERIFY2(planned > 0 && std::abs(planned - peak) <= 0.1 * peak, qPrintable(QStringLiteral("planned %1, peak %2").arg(planned).arg(peak)));
    }

    /// By hand from 16, 12, 8 and 6 bytes per parameter and the bytes per token in memory_plan.cpp, for sequences of 1024 tokens.
    void cards_data() {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<QStringList>("cells");   // 6, 8, 12, 16, 24 GB
        const auto row = [](const char* name, const std::string& json, const QStringList& cells) { QTest::newRow(name) << QByteArray::fromStdString(json) << cells; };
        const auto cells = [](const char* text) { return QString::fromLatin1(text).split(QStringLiteral(", ")); };
        row("124M", gpt2(768, 12, 12), cells("B full, B full, B full, B full, B full"));
        row("350M", gpt2(1024, 24, 16), cells("D full, C full, B full, B full, B full"));
        row("774M", gpt2(1280, 36, 20), cells("no, E selective, D full, B selective, B full"));
        row("1.1B", llama(32'000, 2048, 5632, 22, 32, 4, false), cells("no, no, D selective, D full, B full"));
        row("1.5B", llama(151'936, 1536, 8960, 28, 12, 2, true), cells("no, no, E checkpoint, E full, C full"));
    }
    void cards() {
        QFETCH(QByteArray, json);
        QFETCH(QStringList, cells);
        const auto config = configOf(json.toStdString());
        QStringList got;
        std::int64_t before = 0;
        for (const std::int64_t size : {6, 8, 12, 16, 24}) {
            const auto plan = train::planCard(config, 1024, size * kGb);
            if (!plan) {
                QVERIFY(plan.error().message.find(std::to_string(size * 1000) + " MB") != std::string::npos);
                got << QStringLiteral("no");
                continue;
            }
            QVERIFY(plan->tokens >= 1024);
            got << QString::fromLatin1(name(plan->recipe)) + QLatin1Char(' ') + QString::fromLatin1(name(plan->activations));
            if (got.size() > 1 && got.last() == got[got.size() - 2]) QVERIFY(plan->tokens > before);
            before = plan->tokens;
        }
        QCOMPARE(got, cells);
    }
};

QTEST_GUILESS_MAIN(TestMemoryPlan)
#include "tst_memory_plan.moc"
