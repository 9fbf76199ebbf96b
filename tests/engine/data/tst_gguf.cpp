// SPDX-License-Identifier: Apache-2.0
// GGUF files, read back by a strict reader of their own: keys, pieces, names, shapes, places and numbers.
#include "engine/core/files.h"
#include "engine/core/half.h"
#include "engine/core/initial_weights.h"
#include "engine/core/tensor_layout.h"
#include "engine/data/gguf_export.h"
#include "engine/data/tokenizer.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <map>
#include <set>

using namespace sunloco;
using data::GgufType;

namespace {

constexpr const char* kLlama = R"({"model_type":"llama","vocab_size":330,"hidden_size":32,"intermediate_size":48,"num_hidden_layers":2,
"num_attention_heads":4,"num_key_value_heads":2,"head_dim":8,"max_position_embeddings":48,"rms_norm_eps":1e-6,"hidden_act":"silu","attention_bias":true,
"tie_word_embeddings":false,"initializer_range":0.3,
"rope_parameters":{"rope_type":"llama3","rope_theta":500.0,"factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":16}})";
constexpr const char* kGpt2 = R"({"model_type":"gpt2","vocab_size":330,"n_embd":32,"n_layer":2,"n_head":2,"n_positions":40,"n_inner":96,
"activation_function":"gelu_new","initializer_range":0.3,"resid_pdrop":0.0,"embd_pdrop":0.0,"attn_pdrop":0.0})";

struct ReadTensor {
    std::vector<std::int64_t> shape;   ///< row-major: rows first
    GgufType type;
    std::vector<float> values;
    std::vector<float> steps;          ///< Q8_0: of each number's block
};

/// Fails (valid = false) on anything the format does not allow.
class Reader {
public:
    explicit Reader(core::Bytes bytes) : m_bytes(std::move(bytes)) { m_valid = read(); }
    [[nodiscard]] bool valid() const { return m_valid; }
    std::map<std::string, double> numbers;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::vector<std::string>> textLists;
    std::map<std::string, std::vector<double>> numberLists;
    std::map<std::string, ReadTensor> tensors;

private:
    template <typename T>
    T take() {
        T value{};
        if (m_at + sizeof(T) > m_bytes.size()) { m_short = true; return value; }
        std::memcpy(&value, m_bytes.data() + m_at, sizeof(T));
        m_at += sizeof(T);
        return value;
    }
    std::string text() {
        const auto size = take<std::uint64_t>();
        if (m_short || size > m_bytes.size() - m_at) { m_short = true; return {}; }
        std::string out(reinterpret_cast<const char*>(m_bytes.data() + m_at), size);
        m_at += size;
        return out;
    }
    double number(std::uint32_t type) {
        switch (type) {
        case 4: return take<std::uint32_t>();
        case 5: return take<std::int32_t>();
        case 6: return static_cast<double>(take<float>());
        case 7: return take<std::uint8_t>();
        default: m_short = true; return 0;
        }
    }
    void value(const std::string& key) {
        const auto type = take<std::uint32_t>();
        if (type == 8) texts[key] = text();
        else if (type == 9) {
            const auto inner = take<std::uint32_t>();
            const auto count = take<std::uint64_t>();
            for (std::uint64_t i = 0; i < count && !m_short; ++i) {
                if (inner == 8) textLists[key].push_back(text());
                else numberLists[key].push_back(number(inner));
            }
        } else {
            numbers[key] = number(type);
        }
    }
    bool read() {
        if (m_bytes.size() < 24 || std::memcmp(m_bytes.data(), "GGUF", 4) != 0) return false;
        m_at = 4;
        if (take<std::uint32_t>() != 3) return false;
        const auto tensorCount = take<std::uint64_t>(), valueCount = take<std::uint64_t>();
        std::set<std::string> keys;
        for (std::uint64_t i = 0; i < valueCount && !m_short; ++i) {
            const std::string key = text();
            if (!keys.insert(key).second) return false;
            value(key);
        }
        struct Entry { std::string name; ReadTensor tensor; std::uint64_t offset; };
        std::vector<Entry> entries;
        for (std::uint64_t i = 0; i < tensorCount && !m_short; ++i) {
            Entry entry{text(), {}, 0};
            const auto dimensions = take<std::uint32_t>();
            if (dimensions < 1 || dimensions > 4) return false;
            for (std::uint32_t d = 0; d < dimensions; ++d) entry.tensor.shape.insert(entry.tensor.shape.begin(), static_cast<std::int64_t>(take<std::uint64_t>()));
            entry.tensor.type = static_cast<GgufType>(take<std::uint32_t>());
            entry.offset = take<std::uint64_t>();
            entries.push_back(std::move(entry));
        }
        const std::size_t start = (m_at + 31) / 32 * 32;
        std::uint64_t next = 0;
        for (Entry& entry : entries) {
            std::int64_t count = 1;
            for (const std::int64_t n : entry.tensor.shape) count *= n;
            if (entry.offset != next || entry.offset % 32 != 0) return false;
            m_at = start + entry.offset;
            for (std::int64_t i = 0; i < count && !m_short; ++i) numbersOf(entry.tensor, i);
            next = (entry.offset + data::ggufBytes(entry.tensor.type, count) + 31) / 32 * 32;
            if (!tensors.emplace(entry.name, std::move(entry.tensor)).second) return false;
        }
        return !m_short && m_bytes.size() == start + next;
    }
    void numbersOf(ReadTensor& tensor, std::int64_t index) {
        switch (tensor.type) {
        case GgufType::F32: tensor.values.push_back(take<float>()); break;
        case GgufType::F16: tensor.values.push_back(core::fromF16(take<std::uint16_t>())); break;
        case GgufType::Q8_0:
            if (index % 32 == 0) m_step = core::fromF16(take<std::uint16_t>());
            tensor.values.push_back(m_step * static_cast<float>(take<std::int8_t>()));
            tensor.steps.push_back(m_step);
            break;
        }
    }

    core::Bytes m_bytes;
    std::size_t m_at = 0;
    bool m_short = false, m_valid = false;
    float m_step = 0;
};

}  // namespace

class TestGguf : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_dir;
    core::Bytes m_tokenizer;
    int m_files = 0;

    [[nodiscard]] std::filesystem::path fresh() { return std::filesystem::path(m_dir.path().toStdString()) / ("model-" + std::to_string(m_files++) + ".gguf"); }
    Reader written(const core::ModelConfig& config, std::span<const float> weights, GgufType type) {
        const auto path = fresh();
        const auto done = data::writeGguf({"Meadow", config, weights, m_tokenizer}, type, path);
        if (!done) qWarning("%s", done.error().text().c_str());
        return Reader(core::readFile(path, 64 << 20).value());
    }

private Q_SLOTS:
    void initTestCase() {
        std::string text;
        for (int i = 0; i < 400; ++i) text += "the sun rose over hill number " + std::to_string(i) + " and the sheep went up, one by one.\n";
        auto tokenizer = data::Tokenizer::train({text}, 320);
        QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().text().c_str());
        m_tokenizer = tokenizer->model();
    }

    void llamaKeysAndPieces() {
        const auto config = core::parseModelConfig(kLlama).value();
        const auto weights = core::initialWeights(config, core::makeLayout(config), 1);
        const Reader file = written(config, weights, GgufType::F32);
        QVERIFY(file.valid());
        QCOMPARE(file.texts.at("general.architecture"), std::string("llama"));
        QCOMPARE(file.texts.at("general.name"), std::string("Meadow"));
        const std::map<std::string, double> wanted{{"llama.context_length", 48}, {"llama.embedding_length", 32}, {"llama.block_count", 2}, {"llama.feed_forward_length", 48},
                                                   {"llama.attention.head_count", 4}, {"llama.attention.head_count_kv", 2}, {"llama.attention.key_length", 8},
                                                   {"llama.rope.dimension_count", 8}, {"llama.rope.freq_base", 500}, {"llama.vocab_size", 330},
                                                   {"tokenizer.ggml.add_bos_token", 0}, {"tokenizer.ggml.add_space_prefix", 0}, {"tokenizer.ggml.eos_token_id", 2}};
        for (const auto& [key, number] : wanted) QVERIFY2(file.numbers.contains(key) && file.numbers.at(key) == number, key.c_str());
        const auto& pieces = file.textLists.at("tokenizer.ggml.tokens");
        QCOMPARE(pieces.size(), std::size_t{330});   // ten embeddings without a piece
        QCOMPARE(pieces[0], std::string("<unk>"));
        QCOMPARE(pieces[3], std::string("<0x00>"));
        const auto& kinds = file.numberLists.at("tokenizer.ggml.token_type");
        QCOMPARE(kinds.size(), pieces.size());
        QVERIFY(kinds[0] == 2 && kinds[1] == 3 && kinds[2] == 3 && kinds[3] == 6 && kinds[258] == 6 && kinds[259] == 1 && kinds[329] == 5);
        // Learnt pieces come in the order in which their parts are joined.
        const auto& scores = file.numberLists.at("tokenizer.ggml.scores");
        QVERIFY(scores[259] > scores[260] && scores[260] > scores[300]);
        QCOMPARE(std::set<std::string>(pieces.begin(), pieces.end()).size(), pieces.size());
    }

    void llamaTensors() {
        const auto config = core::parseModelConfig(kLlama).value();
        const auto layout = core::makeLayout(config);
        auto weights = core::initialWeights(config, layout, 1);
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += static_cast<float>(i % 97) * 1e-3f;   // biases and norms differ too
        const auto ours = [&](const std::string& name) {
            for (const core::TensorSlot& slot : layout.slots)
                if (slot.name == name) return std::span<const float>(weights).subspan(static_cast<std::size_t>(slot.offset), static_cast<std::size_t>(slot.count));
            return std::span<const float>();
        };
        const Reader file = written(config, weights, GgufType::F32);
        QVERIFY(file.valid());
        // Each weight once, and the frequencies.
        std::size_t count = 0;
        for (const auto& [name, tensor] : file.tensors) count += tensor.values.size();
        QCOMPARE(count, weights.size() + 4);
        QCOMPARE(file.tensors.size(), layout.slots.size() + 1);
        const std::pair<const char*, const char*> same[] = {{"token_embd.weight", "model.embed_tokens.weight"}, {"output.weight", "lm_head.weight"}, {"output_norm.weight", "model.norm.weight"},
                                                            {"blk.1.attn_v.weight", "model.layers.1.self_attn.v_proj.weight"}, {"blk.1.attn_v.bias", "model.layers.1.self_attn.v_proj.bias"},
                                                            {"blk.0.attn_output.weight", "model.layers.0.self_attn.o_proj.weight"}, {"blk.0.ffn_gate.weight", "model.layers.0.mlp.gate_proj.weight"},
                                                            {"blk.0.ffn_down.weight", "model.layers.0.mlp.down_proj.weight"}, {"blk.1.attn_norm.weight", "model.layers.1.input_layernorm.weight"},
                                                            {"blk.1.ffn_norm.weight", "model.layers.1.post_attention_layernorm.weight"}};
        for (const auto& [theirs, name] : same) {
            QVERIFY2(file.tensors.contains(theirs), theirs);
            const auto values = ours(name);
            QVERIFY2(std::equal(values.begin(), values.end(), file.tensors.at(theirs).values.begin(), file.tensors.at(theirs).values.end()), theirs);
        }
        QCOMPARE(file.tensors.at("blk.0.ffn_down.weight").shape, (std::vector<std::int64_t>{32, 48}));
        // Queries and keys: number i of the first half and number i of the second half of a head become neighbours.
        for (const auto& [theirs, name, heads] : {std::tuple{"blk.1.attn_q.weight", "model.layers.1.self_attn.q_proj.weight", 4}, {"blk.1.attn_k.weight", "model.layers.1.self_attn.k_proj.weight", 2}}) {
            const auto values = ours(name);
            const auto& turned = file.tensors.at(theirs).values;
            for (int head = 0; head < heads; ++head)
                for (int i = 0; i < 4; ++i)
                    for (int half = 0; half < 2; ++half)
                        for (std::size_t column = 0; column < 32; ++column)
                            QCOMPARE(turned[static_cast<std::size_t>(head * 8 + 2 * i + half) * 32 + column], values[static_cast<std::size_t>(head * 8 + 4 * half + i) * 32 + column]);
        }
        QCOMPARE(file.tensors.at("blk.0.attn_q.bias").values[1], ours("model.layers.0.self_attn.q_proj.bias")[4]);
        // llama3: short wavelengths stay, long ones are divided by the factor.
        const auto& factors = file.tensors.at("rope_freqs.weight").values;
        QCOMPARE(factors.size(), std::size_t{4});
        QVERIFY(factors[0] == 1.0f || factors[0] < 8.0f);
        QVERIFY(std::abs(factors[3] - 8.0f) < 1e-5f);
        QVERIFY(std::is_sorted(factors.begin(), factors.end()));
    }

    void gpt2IsTurned() {
        const auto config = core::parseModelConfig(kGpt2).value();
        const auto layout = core::makeLayout(config);
        const auto weights = core::initialWeights(config, layout, 3);
        const Reader file = written(config, weights, GgufType::F16);
        QVERIFY(file.valid());
        QCOMPARE(file.texts.at("general.architecture"), std::string("gpt2"));
        QVERIFY(file.numbers.at("gpt2.feed_forward_length") == 96 && file.numbers.contains("gpt2.attention.layer_norm_epsilon"));
        QVERIFY(!file.tensors.contains("output.weight"));   // tied
        const ReadTensor& up = file.tensors.at("blk.1.ffn_up.weight");
        QCOMPARE(up.shape, (std::vector<std::int64_t>{96, 32}));
        QVERIFY(up.type == GgufType::F16 && file.tensors.at("blk.1.ffn_up.bias").type == GgufType::F32);
        const auto slot = std::find_if(layout.slots.begin(), layout.slots.end(), [](const core::TensorSlot& s) { return s.name == "transformer.h.1.mlp.c_fc.weight"; });
        for (const std::size_t row : {0u, 5u, 95u})
            for (const std::size_t column : {0u, 7u, 31u})
                QCOMPARE(up.values[row * 32 + column], core::fromF16(core::toF16(weights[static_cast<std::size_t>(slot->offset) + column * 96 + row])));
        QVERIFY(file.tensors.contains("position_embd.weight") && file.tensors.contains("output_norm.bias"));
    }

    void quantisedWithinHalfAStep() {
        const auto config = core::parseModelConfig(kLlama).value();
        const auto weights = core::initialWeights(config, core::makeLayout(config), 4);
        const Reader exact = written(config, weights, GgufType::F32), file = written(config, weights, GgufType::Q8_0);
        QVERIFY(exact.valid() && file.valid());
        int quantised = 0;
        for (const auto& [name, tensor] : file.tensors) {
            const auto& wanted = exact.tensors.at(name).values;
            QCOMPARE(tensor.values.size(), wanted.size());
            if (tensor.type != GgufType::Q8_0) {
                QVERIFY2(tensor.shape.size() == 1 || tensor.shape.back() % 32 != 0, name.c_str());   // 48 columns: not whole blocks
                continue;
            }
            ++quantised;
            for (std::size_t i = 0; i < wanted.size(); ++i)
                QVERIFY2(std::abs(tensor.values[i] - wanted[i]) <= 0.5f * tensor.steps[i] * 1.01f + 1e-9f, name.c_str());
        }
        QVERIFY(quantised >= 12);
    }

    void q8EdgeValues() {
        std::vector<float> values(64, 0.0f);
        values[32] = -1.0f;
        values[33] = 1.0f;
        values[63] = 1e-30f;
        const core::Bytes bytes = data::ggufEncode(GgufType::Q8_0, values);
        QCOMPARE(bytes.size(), std::size_t{68});
        QVERIFY(std::all_of(bytes.begin(), bytes.begin() + 34, [](std::uint8_t b) { return b == 0; }));   // a block of zeros has no step
        QCOMPARE(static_cast<std::int8_t>(bytes[36]), std::int8_t{-127});
        QCOMPARE(static_cast<std::int8_t>(bytes[37]), std::int8_t{127});
        QCOMPARE(static_cast<std::int8_t>(bytes[67]), std::int8_t{0});
    }

    void refusals() {
        const auto config = core::parseModelConfig(kLlama).value();
        const auto weights = core::initialWeights(config, core::makeLayout(config), 1);
        const auto path = fresh();
        QVERIFY(core::writeFileAtomically(path, core::asBytes("mine")));
        auto done = data::writeGguf({"x", config, weights, m_tokenizer}, GgufType::F32, path);
        QVERIFY(!done);
        QCOMPARE(done.error().code, core::ErrorCode::AlreadyExists);
        QCOMPARE(core::readTextFile(path, 100).value(), std::string("mine"));
        done = data::writeGguf({"x", config, weights, m_tokenizer}, GgufType::F32, "/nowhere/model.gguf");
        QVERIFY(!done && done.error().text().find("/nowhere/model.gguf") != std::string::npos);
        done = data::writeGguf({"x", config, weights, core::asBytes("no tokenizer")}, GgufType::F32, fresh());
        QVERIFY(!done);
        auto narrow = config;
        narrow.vocabSize = 300;   // fewer embeddings than pieces
        done = data::writeGguf({"x", narrow, weights, m_tokenizer}, GgufType::F32, fresh());
        QVERIFY(!done && done.error().text().find("320") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestGguf)
#include "tst_gguf.moc"
