// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/core/initial_weights.h"
#include "engine/core/safetensors.h"
#include "engine/data/tokenizer.h"
#include "engine/train/convert.h"
#include "engine/train/example_source.h"
#include "engine/train/generate.h"

#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace sunloco;

namespace {

constexpr const char* kConfig = R"({"model_type":"llama","vocab_size":320,"hidden_size":32,"intermediate_size":64,"num_hidden_layers":2,
"num_attention_heads":2,"num_key_value_heads":1,"head_dim":16,"max_position_embeddings":48,"rms_norm_eps":1e-6,"hidden_act":"silu",
"tie_word_embeddings":true,"initializer_range":0.3,"rope_parameters":{"rope_type":"default","rope_theta":10000.0}})";

}  // namespace

class TestGenerate : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_dir;
    std::filesystem::path m_model;

private Q_SLOTS:
    void initTestCase() {
        m_model = std::filesystem::path(m_dir.path().toStdString()) / "model";
        std::filesystem::create_directories(m_model);
        std::string text;
        for (int i = 0; i < 400; ++i) text += "the sun rose over hill number " + std::to_string(i) + " and the sheep went up, one by one.\n";
        auto tokenizer = data::Tokenizer::train({text}, 320);
        QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().text().c_str());
        QVERIFY(core::writeFileAtomically(m_model / "tokenizer.model", tokenizer->model()));
        QVERIFY(core::writeFileAtomically(m_model / "config.json", core::asBytes(kConfig)));
        const auto config = core::parseModelConfig(kConfig).value();
        const auto layout = core::makeLayout(config);
        QVERIFY(core::saveArena(m_model / "model.safetensors", core::initialWeights(config, layout, 2), layout));
    }

    void sameSeedSameText() {
        train::GeneratePlan plan;
        plan.model = m_model;
        plan.prompt = "the sun rose";
        plan.maxTokens = 20;
        plan.sampler.temperature = 1.0;
        std::string streamed;
        const auto first = train::generate(plan, [&](std::string_view piece) { streamed += piece; });
        QVERIFY2(first, first ? "" : first.error().text().c_str());
        QVERIFY(first->text.starts_with("the sun rose"));
        QVERIFY(first->tokens > 0 && first->tokens <= 20);
        QVERIFY(first->text.find(streamed) != std::string::npos);
        QCOMPARE(train::generate(plan)->text, first->text);
        plan.sampler.seed = 2;
        QVERIFY(train::generate(plan)->text != first->text);
        plan.sampler.temperature = 0;
        const std::string greedy = train::generate(plan)->text;
        plan.sampler.seed = 3;
        QCOMPARE(train::generate(plan)->text, greedy);
        plan.sampler = {1.0, 1, 1.0, 9};  // the best of one is the greedy choice
        QCOMPARE(train::generate(plan)->text, greedy);
    }

    void endsAtTheLastPosition() {
        train::GeneratePlan plan;
        plan.model = m_model;
        plan.prompt = "the";
        plan.maxTokens = 10'000;
        plan.sampler.temperature = 0.01;
        const auto made = train::generate(plan);
        QVERIFY(made);
        QVERIFY(made->tokens <= 48);
        for (int i = 0; i < 40; ++i) plan.prompt += " sheep went up";
        const auto refused = train::generate(plan);
        QVERIFY(!refused);
        QVERIFY(refused.error().message.find("48") != std::string::npos);
    }

    void missingFilesAreNamed() {
        train::GeneratePlan plan;
        plan.model = m_dir.path().toStdString();
        const auto made = train::generate(plan);
        QVERIFY(!made);
        QVERIFY(made.error().text().find("config.json") != std::string::npos);
    }

    void convertKeepsTheModel() {
        const auto narrow = m_model.parent_path() / "bf16", back = m_model.parent_path() / "back";
        QVERIFY(train::convertModel(m_model, narrow, core::DType::BF16));
        QVERIFY(std::filesystem::file_size(narrow / "model.safetensors") < std::filesystem::file_size(m_model / "model.safetensors") * 6 / 10);
        QVERIFY(core::readTextFile(narrow / "config.json", 1 << 16)->find("bfloat16") != std::string::npos);
        QVERIFY(train::convertModel(narrow, back, core::DType::F32));
        const auto layout = core::makeLayout(core::parseModelConfig(kConfig).value());
        const auto before = core::loadArena(m_model, layout).value(), after = core::loadArena(back, layout).value();
        for (std::size_t i = 0; i < before.size(); ++i) QVERIFY(std::abs(before[i] - after[i]) <= std::abs(before[i]) / 256);
        train::GeneratePlan plan;
        plan.model = narrow;
        plan.prompt = "the sun";
        QVERIFY(train::generate(plan));
    }

    /// Each epoch visits every example exactly once, in an order of its own.
    void everyExampleOncePerEpoch() {
        std::vector<std::int32_t> tokens(32 * 57 + 9);
        for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i);
        const auto source = train::ExampleSource::fromTokens(tokens, 32, 11);
        QVERIFY(source);
        QCOMPARE(source->examplesPerEpoch(), 57);
        std::vector<std::int32_t> orders[2];
        for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
            std::map<std::int32_t, int> seen;
            for (std::int64_t i = 0; i < 57; ++i) {
                std::vector<std::int32_t> example(33);
                QVERIFY(source->readShuffled(epoch * 57 + i, example));
                QCOMPARE(example.front() % 32, 0);
                for (std::size_t j = 1; j < example.size(); ++j) QCOMPARE(example[j], example[0] + static_cast<std::int32_t>(j));
                ++seen[example.front()];
                orders[epoch].push_back(example.front());
            }
            QCOMPARE(seen.size(), std::size_t{57});
        }
        QVERIFY(orders[0] != orders[1]);
        std::vector<std::int32_t> example(33);
        QVERIFY(!source->readPlain(57, example));
        QVERIFY(!train::ExampleSource::fromTokens(std::vector<std::int32_t>(20), 32, 1));
    }
};

QTEST_GUILESS_MAIN(TestGenerate)
#include "tst_generate.moc"
