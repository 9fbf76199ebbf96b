// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/core/model_config.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace sunloco::core;

namespace {
Json reference(const char* model) { return parseJson(readTextFile(std::filesystem::path(SUNLOCO_SOURCE_DIR "/tests/data/reference") / model / "config.json", 1 << 20).value()).value(); }

std::string errorOf(const Json& json) {
    const auto config = parseModelConfig(json.dump(), "my config.json");
    return config ? std::string() : config.error().text();
}
}  // namespace

class TestModelConfig : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void referenceConfigs();
    void ropeOfTransformers4();
    void refusedFeatures_data();
    void refusedFeatures();
    void impossibleNumbers_data();
    void impossibleNumbers();
    void bookkeepingIsIgnored();
    void dropoutThatIsOnlyMeant();
    void unknownModelType();
};

void TestModelConfig::referenceConfigs() {
    const auto gqa = parseModelConfig(reference("llama-gqa").dump());
    QVERIFY2(gqa, gqa ? "" : gqa.error().text().c_str());
    QCOMPARE(gqa->family, ModelFamily::Llama);
    QVERIFY(gqa->vocabSize == 257 && gqa->hiddenSize == 64 && gqa->intermediateSize == 172 && gqa->layers == 3 && gqa->heads == 4 && gqa->kvHeads == 2 && gqa->headDim == 16);
    QVERIFY(!gqa->tieEmbeddings && gqa->normEpsilon == 1e-6 && gqa->ropeTheta == 10000.0 && gqa->ropeScaling == RopeScaling::Default);
    const auto tied = parseModelConfig(reference("llama-tied").dump());
    QVERIFY(tied && tied->tieEmbeddings && tied->headDim == 48 && tied->ropeTheta == 500000.0 && tied->maxPositions == 256);
    const auto gpt2 = parseModelConfig(reference("gpt2").dump());
    QVERIFY2(gpt2, gpt2 ? "" : gpt2.error().text().c_str());
    QVERIFY(gpt2->family == ModelFamily::Gpt2 && gpt2->intermediateSize == 256 && gpt2->tieEmbeddings && gpt2->kvHeads == gpt2->heads && gpt2->normEpsilon == 1e-5 && gpt2->maxPositions == 96);
}

void TestModelConfig::ropeOfTransformers4() {
    Json json = reference("llama-gqa");
    json.erase("rope_parameters");
    json["rope_theta"] = 250000.0;
    json["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
    auto config = parseModelConfig(json.dump());
    QVERIFY2(config, config ? "" : config.error().text().c_str());
    QVERIFY(config->ropeTheta == 250000.0 && config->ropeScaling == RopeScaling::Linear && config->ropeFactor == 4.0);
    json["rope_scaling"] = {{"rope_type", "llama3"}, {"factor", 32.0}, {"low_freq_factor", 1.0}, {"high_freq_factor", 4.0}, {"original_max_position_embeddings", 8192}};
    config = parseModelConfig(json.dump());
    QVERIFY(config && config->ropeScaling == RopeScaling::Llama3 && config->ropeFactor == 32.0 && config->ropeOriginalPositions == 8192.0);
    json["rope_scaling"] = nullptr;
    config = parseModelConfig(json.dump());
    QVERIFY(config && config->ropeScaling == RopeScaling::Default);
}

void TestModelConfig::refusedFeatures_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* model, const char* key, const char* value) { QTest::addRow("%s %s %s", model, key, value) << QByteArray(model) << QByteArray(key) << QByteArray(value); };
    row("llama-gqa", "sliding_window", "4096");
    row("llama-gqa", "hidden_act", "\"gelu\"");
    row("llama-gqa", "attention_dropout", "0.1");
    row("llama-gqa", "pretraining_tp", "2");
    row("llama-gqa", "quantization_config", "{}");
    row("llama-gqa", "num_experts", "8");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0})");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "dynamic", "factor": 4.0})");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "default", "partial_rotary_factor": 0.5})");
    for (const char* key : {"layer_types", "attention_chunk_size", "use_sliding_window", "rope_interleaved", "logit_scale", "final_logit_softcapping", "qk_norm",
                            "num_local_experts", "vision_config", "num_nextn_predict_layers", "partial_rotary_factor", "clip_qkv", "residual_multiplier"}) {
        row("llama-gqa", key, "0.5");
    }
    row("llama-gqa", "hidden_act", "\"gelu_new\"");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "longrope", "short_factor": [1.0], "long_factor": [2.0]})");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0, "attention_factor": 2.0})");
    row("gpt2", "activation_function", "\"gelu\"");
    row("gpt2", "activation_function", "\"relu\"");
    row("gpt2", "rope_parameters", R"({"rope_type": "default", "rope_theta": 10000.0})");
    row("gpt2", "num_key_value_heads", "1");
    row("gpt2", "head_dim", "32");
    row("gpt2", "scale_attn_by_inverse_layer_idx", "true");
    row("gpt2", "scale_attn_weights", "false");
    row("gpt2", "reorder_and_upcast_attn", "true");
    row("gpt2", "add_cross_attention", "true");
    row("gpt2", "resid_pdrop", "0.1");
    row("gpt2", "attn_pdrop", "0.1");
    row("gpt2", "embd_pdrop", "0.1");
    row("gpt2", "something_new", "1");
}
void TestModelConfig::refusedFeatures() {
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, value);
    Json json = reference(model.constData());
    json[key.toStdString()] = Json::parse(value.toStdString());
    const auto config = parseModelConfig(json.dump(), "my config.json");
    QVERIFY(!config);
    QCOMPARE(config.error().code, ErrorCode::Unsupported);
    // The sentence names the key, and for the rope also what in it is wrong.
    const std::string text = config.error().text();
    const bool named = text.find(key.toStdString()) != std::string::npos || text.find("partial_rotary_factor") != std::string::npos ||
                       text.find("\"attention_factor\"") != std::string::npos;
    QVERIFY2(named, text.c_str());
}

void TestModelConfig::impossibleNumbers_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* model, const char* key, const char* value) { QTest::addRow("%s %s %s", model, key, value) << QByteArray(model) << QByteArray(key) << QByteArray(value); };
    row("llama-gqa", "num_key_value_heads", "3");
    row("llama-gqa", "head_dim", "15");
    row("llama-gqa", "vocab_size", "0");
    row("llama-gqa", "vocab_size", "-5");
    row("llama-gqa", "vocab_size", "300.5");
    row("llama-gqa", "vocab_size", "1000000000");
    row("llama-gqa", "hidden_size", "\"big\"");
    row("llama-gqa", "num_hidden_layers", "0");
    row("llama-gqa", "num_hidden_layers", "1000000");
    row("llama-gqa", "rms_norm_eps", "-1");
    row("llama-gqa", "tie_word_embeddings", "1");
    row("llama-gqa", "rope_parameters", "7");
    row("llama-gqa", "rope_parameters", R"({"rope_type": 7, "rope_theta": 10000.0})");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "linear", "type": "llama3", "rope_theta": 10000.0, "factor": 2.0})");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "linear", "rope_theta": 10000.0})");
    row("llama-gqa", "rope_parameters", R"({"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0})");
    row("llama-gqa", "rope_scaling", R"({"rope_type": "linear", "factor": 2.0})");
    row("gpt2", "n_head", "5");
    row("gpt2", "n_positions", "0");
    row("gpt2", "n_inner", "-1");
}
void TestModelConfig::impossibleNumbers() {
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, value);
    Json json = reference(model.constData());
    json[key.toStdString()] = Json::parse(value.toStdString());
    const std::string text = errorOf(json);
    const bool named = text.find(key.toStdString()) != std::string::npos;
    QVERIFY2(named, text.c_str());
    if (model == "llama-gqa" && key == "hidden_size") {
        json.erase("head_dim");
        json["hidden_size"] = 63;
        QVERIFY(errorOf(json).find("not a multiple of num_attention_heads") != std::string::npos);
    }
}

void TestModelConfig::bookkeepingIsIgnored() {
    Json json = reference("llama-gqa");
    json["torch_dtype"] = "bfloat16";
    json["_name_or_path"] = "somewhere";
    json["use_cache"] = true;
    json["task_specific_params"] = {{"a", 1}};
    QCOMPARE(errorOf(json), std::string());
    json.erase("num_key_value_heads");
    json.erase("head_dim");
    const auto config = parseModelConfig(json.dump());
    QVERIFY(config && config->kvHeads == 4 && config->headDim == 16);
}

// transformers' own default for a missing key is dropout of 0.1: leaving it out must not train another model silently.
void TestModelConfig::dropoutThatIsOnlyMeant() {
    Json json = reference("gpt2");
    json.erase("resid_pdrop");
    QVERIFY(errorOf(json).find("\"resid_pdrop\" to 0.0") != std::string::npos);
}

void TestModelConfig::unknownModelType() {
    Json json = reference("llama-gqa");
    json["model_type"] = "mamba";
    QVERIFY(errorOf(json).find("\"mamba\"") != std::string::npos);
    json.erase("model_type");
    QVERIFY(errorOf(json).find("model_type") != std::string::npos);
    QVERIFY(!parseModelConfig("not json"));
    QVERIFY(!parseModelConfig("[1]"));
}

QTEST_GUILESS_MAIN(TestModelConfig)
#include "tst_model_config.moc"
