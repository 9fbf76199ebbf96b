// SPDX-License-Identifier: Apache-2.0
#include "engine/data/gguf_export.h"

#include "engine/core/rope.h"
#include "engine/core/tensor_layout.h"
#include "engine/data/tokenizer.h"

#include <algorithm>

namespace sunloco::data {

using core::Error;
using core::ErrorCode;
using core::ModelConfig;
using core::ModelFamily;
using core::Result;

namespace {

std::uint32_t small(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::uint32_t fileType(GgufType type) { return type == GgufType::F32 ? 0 : type == GgufType::F16 ? 1 : 7; }

std::int32_t pieceType(Tokenizer::PieceKind kind) {
    switch (kind) {
    case Tokenizer::PieceKind::Normal: return 1;
    case Tokenizer::PieceKind::Unknown: return 2;
    case Tokenizer::PieceKind::Control: return 3;
    case Tokenizer::PieceKind::Unused: return 5;
    case Tokenizer::PieceKind::Byte: return 6;
    }
    return 1;
}

class Export {
public:
    Export(const GgufModel& model, GgufType type) : m_model(model), m_config(model.config), m_layout(core::makeLayout(model.config)), m_type(type) {}

    Result<void> addTokenizer();
    void addConfig();
    void addTensors();
    Result<void> write(const std::filesystem::path& path) const { return m_writer.write(path); }

private:
    enum class Order {
        AsIs,
        Turned,    ///< [in, out] in the arena, [out, in] in the file
        Paired,    ///< rows of each head from (first halves, second halves) to (pairs): llama.cpp rotates neighbours
    };
    void tensor(const std::string& from, const std::string& to, Order order = Order::AsIs, std::int64_t heads = 0);
    void addLlamaLayer(std::int64_t index);
    void addGpt2Layer(std::int64_t index);
    void addRopeFactors();
    [[nodiscard]] const core::TensorSlot* find(const std::string& name) const;

    const GgufModel& m_model;
    const ModelConfig& m_config;
    core::TensorLayout m_layout;
    GgufType m_type;
    GgufWriter m_writer;
};

Result<void> Export::addTokenizer() {
    const auto tokenizer = Tokenizer::load(m_model.tokenizer);
    if (!tokenizer) return tokenizer.error();
    if (tokenizer->vocabulary() > m_config.vocabSize)
        return Error{ErrorCode::InvalidData, "the tokenizer has " + std::to_string(tokenizer->vocabulary()) + " pieces, the model only " + std::to_string(m_config.vocabSize) + " embeddings", "tokenizer.model"};
    std::vector<std::string> texts;
    std::vector<float> scores;
    std::vector<std::int32_t> kinds;
    for (const Tokenizer::Piece& piece : tokenizer->pieces()) {
        texts.push_back(piece.text);
        scores.push_back(piece.score);
        kinds.push_back(pieceType(piece.kind));
    }
    while (static_cast<std::int64_t>(texts.size()) < m_config.vocabSize) {   // embeddings without a piece
        texts.push_back("<unused" + std::to_string(texts.size()) + ">");
        scores.push_back(-1e6f);
        kinds.push_back(pieceType(Tokenizer::PieceKind::Unused));
    }
    m_writer.set("tokenizer.ggml.model", std::string("llama"));   // SentencePiece with scores and byte fallback
    m_writer.set("tokenizer.ggml.pre", std::string("default"));
    m_writer.set("tokenizer.ggml.tokens", std::move(texts));
    m_writer.set("tokenizer.ggml.scores", std::move(scores));
    m_writer.set("tokenizer.ggml.token_type", std::move(kinds));
    m_writer.set("tokenizer.ggml.unknown_token_id", std::uint32_t{0});
    m_writer.set("tokenizer.ggml.bos_token_id", std::uint32_t{1});
    m_writer.set("tokenizer.ggml.eos_token_id", small(tokenizer->endOfText()));
    // As in training: nothing stands in front of a text.
    m_writer.set("tokenizer.ggml.add_bos_token", false);
    m_writer.set("tokenizer.ggml.add_eos_token", false);
    m_writer.set("tokenizer.ggml.add_space_prefix", false);
    m_writer.set("tokenizer.ggml.remove_extra_whitespaces", false);
    return {};
}

void Export::addConfig() {
    const bool llama = m_config.family == ModelFamily::Llama;
    const std::string p = llama ? "llama." : "gpt2.";
    m_writer.set("general.architecture", std::string(llama ? "llama" : "gpt2"));
    m_writer.set("general.name", m_model.name);
    m_writer.set("general.file_type", fileType(m_type));
    m_writer.set(p + "vocab_size", small(m_config.vocabSize));
    m_writer.set(p + "context_length", small(m_config.maxPositions));
    m_writer.set(p + "embedding_length", small(m_config.hiddenSize));
    m_writer.set(p + "block_count", small(m_config.layers));
    m_writer.set(p + "feed_forward_length", small(m_config.intermediateSize));
    m_writer.set(p + "attention.head_count", small(m_config.heads));
    m_writer.set(p + "attention.head_count_kv", small(m_config.kvHeads));
    if (!llama) {
        m_writer.set(p + "attention.layer_norm_epsilon", static_cast<float>(m_config.normEpsilon));
        return;
    }
    m_writer.set(p + "attention.layer_norm_rms_epsilon", static_cast<float>(m_config.normEpsilon));
    m_writer.set(p + "attention.key_length", small(m_config.headDim));
    m_writer.set(p + "attention.value_length", small(m_config.headDim));
    m_writer.set(p + "rope.dimension_count", small(m_config.headDim));
    m_writer.set(p + "rope.freq_base", static_cast<float>(m_config.ropeTheta));
    if (m_config.ropeScaling == core::RopeScaling::Linear) {
        m_writer.set(p + "rope.scaling.type", std::string("linear"));
        m_writer.set(p + "rope.scaling.factor", static_cast<float>(m_config.ropeFactor));
    }
}

const core::TensorSlot* Export::find(const std::string& name) const {
    const auto found = std::find_if(m_layout.slots.begin(), m_layout.slots.end(), [&](const core::TensorSlot& slot) { return slot.name == name; });
    return found == m_layout.slots.end() ? nullptr : &*found;
}

/// Nothing when the model has no such tensor (a bias, an untied head).
void Export::tensor(const std::string& from, const std::string& to, Order order, std::int64_t heads) {
    const core::TensorSlot* slot = find(from);
    if (slot == nullptr) return;
    const bool vector = slot->shape.size() == 1;
    std::int64_t rows = vector ? 0 : slot->shape[0], columns = slot->shape.back();
    if (order == Order::Turned) std::swap(rows, columns);
    GgufType type = vector ? GgufType::F32 : m_type;
    if (type == GgufType::Q8_0 && columns % kGgufBlock != 0) type = GgufType::F16;
    const std::span<const float> source = m_model.weights.subspan(static_cast<std::size_t>(slot->offset), static_cast<std::size_t>(slot->count));
    m_writer.addTensor(to, rows, columns, type, [=] {
        std::vector<float> values(source.begin(), source.end());
        if (order == Order::Turned) {
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < columns; ++c) values[static_cast<std::size_t>(r * columns + c)] = source[static_cast<std::size_t>(c * rows + r)];
        } else if (order == Order::Paired) {
            // Row h * headDim + s * half + i goes to h * headDim + 2 i + s, for the halves s = 0 and 1.
            const std::int64_t width = vector ? 1 : columns, height = vector ? columns : rows, headDim = height / heads, half = headDim / 2;
            for (std::int64_t h = 0; h < heads; ++h)
                for (std::int64_t s = 0; s < 2; ++s)
                    for (std::int64_t i = 0; i < half; ++i)
                        std::copy_n(source.begin() + (h * headDim + s * half + i) * width, width, values.begin() + (h * headDim + 2 * i + s) * width);
        }
        return values;
    });
}

void Export::addLlamaLayer(std::int64_t index) {
    const std::string from = "model.layers." + std::to_string(index) + ".", to = "blk." + std::to_string(index) + ".";
    tensor(from + "input_layernorm.weight", to + "attn_norm.weight");
    tensor(from + "post_attention_layernorm.weight", to + "ffn_norm.weight");
    for (const char* kind : {".weight", ".bias"}) {
        tensor(from + "self_attn.q_proj" + kind, to + "attn_q" + kind, Order::Paired, m_config.heads);
        tensor(from + "self_attn.k_proj" + kind, to + "attn_k" + kind, Order::Paired, m_config.kvHeads);
        tensor(from + "self_attn.v_proj" + kind, to + "attn_v" + kind);
        tensor(from + "self_attn.o_proj" + kind, to + "attn_output" + kind);
        tensor(from + "mlp.gate_proj" + kind, to + "ffn_gate" + kind);
        tensor(from + "mlp.up_proj" + kind, to + "ffn_up" + kind);
        tensor(from + "mlp.down_proj" + kind, to + "ffn_down" + kind);
    }
}

void Export::addGpt2Layer(std::int64_t index) {
    const std::string from = "transformer.h." + std::to_string(index) + ".", to = "blk." + std::to_string(index) + ".";
    const std::pair<const char*, const char*> norms[] = {{"ln_1", "attn_norm"}, {"ln_2", "ffn_norm"}};
    const std::pair<const char*, const char*> matrices[] = {{"attn.c_attn", "attn_qkv"}, {"attn.c_proj", "attn_output"}, {"mlp.c_fc", "ffn_up"}, {"mlp.c_proj", "ffn_down"}};
    for (const auto& [ours, theirs] : norms)
        for (const char* kind : {".weight", ".bias"}) tensor(from + ours + kind, to + theirs + kind);
    for (const auto& [ours, theirs] : matrices) {
        tensor(from + ours + ".weight", to + theirs + ".weight", Order::Turned);
        tensor(from + ours + ".bias", to + theirs + ".bias");
    }
}

/// llama3 scaling travels as one divisor per frequency.
void Export::addRopeFactors() {
    if (m_config.family != ModelFamily::Llama || m_config.ropeScaling != core::RopeScaling::Llama3) return;
    const std::int64_t half = m_config.headDim / 2;
    m_writer.addTensor("rope_freqs.weight", 0, half, GgufType::F32, [this, half] {
        std::vector<float> factors;
        for (std::int64_t pair = 0; pair < half; ++pair) factors.push_back(core::plainRopeFrequency(m_config, pair) / core::ropeFrequency(m_config, pair));
        return factors;
    });
}

void Export::addTensors() {
    const bool llama = m_config.family == ModelFamily::Llama;
    tensor(llama ? "model.embed_tokens.weight" : "transformer.wte.weight", "token_embd.weight");
    tensor("transformer.wpe.weight", "position_embd.weight");
    addRopeFactors();
    for (std::int64_t i = 0; i < m_config.layers; ++i) {
        if (llama) addLlamaLayer(i);
        else addGpt2Layer(i);
    }
    tensor(llama ? "model.norm.weight" : "transformer.ln_f.weight", "output_norm.weight");
    tensor("transformer.ln_f.bias", "output_norm.bias");
    tensor("lm_head.weight", "output.weight");
}

}  // namespace

Result<void> writeGguf(const GgufModel& model, GgufType type, const std::filesystem::path& path) {
    Export out(model, type);
    out.addConfig();
    if (auto added = out.addTokenizer(); !added) return added;
    out.addTensors();
    return out.write(path);
}

}  // namespace sunloco::data
