// SPDX-License-Identifier: Apache-2.0
#include "engine/core/tensor_layout.h"

#include <bit>

namespace sunloco::core {

static_assert(std::endian::native == std::endian::little, "the arena is hashed as it lies in memory, which must be little-endian");

namespace {
class Builder {
public:
    TensorLayout layout;
    void add(std::string name, std::vector<std::int64_t> shape) {
        std::int64_t count = 1;
        for (const std::int64_t n : shape) { count *= n; }
        const bool decay = shape.size() >= 2;
        layout.slots.push_back(TensorSlot{std::move(name), std::move(shape), layout.total, count, decay});
        layout.total += count;
    }
    void linear(const std::string& name, std::int64_t out, std::int64_t in, bool bias) {
        add(name + ".weight", {out, in});
        if (bias) { add(name + ".bias", {out}); }
    }
    /// GPT-2's Conv1D keeps its weight as [in, out].
    void conv1d(const std::string& name, std::int64_t in, std::int64_t out) {
        add(name + ".weight", {in, out});
        add(name + ".bias", {out});
    }
    void layerNorm(const std::string& name, std::int64_t size) {
        add(name + ".weight", {size});
        add(name + ".bias", {size});
    }
};

// Within a layer the weights of q, k, v and those of gate, up lie side by side, so that one product can cover them.
void addLlama(Builder& b, const ModelConfig& c) {
    b.add("model.embed_tokens.weight", {c.vocabSize, c.hiddenSize});
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string p = "model.layers." + std::to_string(i) + ".";
        b.add(p + "input_layernorm.weight", {c.hiddenSize});
        const std::pair<const char*, std::int64_t> projections[] = {{"q_proj", c.heads * c.headDim}, {"k_proj", c.kvHeads * c.headDim}, {"v_proj", c.kvHeads * c.headDim}};
        for (const auto& [name, rows] : projections) { b.add(p + "self_attn." + name + ".weight", {rows, c.hiddenSize}); }
        if (c.attentionBias) {
            for (const auto& [name, rows] : projections) { b.add(p + "self_attn." + name + ".bias", {rows}); }
        }
        b.linear(p + "self_attn.o_proj", c.hiddenSize, c.heads * c.headDim, c.attentionBias);
        b.add(p + "post_attention_layernorm.weight", {c.hiddenSize});
        for (const char* name : {"gate_proj", "up_proj"}) { b.add(p + "mlp." + name + ".weight", {c.intermediateSize, c.hiddenSize}); }
        if (c.mlpBias) {
            for (const char* name : {"gate_proj", "up_proj"}) { b.add(p + "mlp." + name + ".bias", {c.intermediateSize}); }
        }
        b.linear(p + "mlp.down_proj", c.hiddenSize, c.intermediateSize, c.mlpBias);
    }
    b.add("model.norm.weight", {c.hiddenSize});
    if (!c.tieEmbeddings) { b.add("lm_head.weight", {c.vocabSize, c.hiddenSize}); }
}

void addGpt2(Builder& b, const ModelConfig& c) {
    const std::int64_t d = c.hiddenSize;
    b.add("transformer.wte.weight", {c.vocabSize, d});
    b.add("transformer.wpe.weight", {c.maxPositions, d});
    for (std::int64_t i = 0; i < c.layers; ++i) {
        const std::string p = "transformer.h." + std::to_string(i) + ".";
        b.layerNorm(p + "ln_1", d);
        b.conv1d(p + "attn.c_attn", d, 3 * d);
        b.conv1d(p + "attn.c_proj", d, d);
        b.layerNorm(p + "ln_2", d);
        b.conv1d(p + "mlp.c_fc", d, c.intermediateSize);
        b.conv1d(p + "mlp.c_proj", c.intermediateSize, d);
    }
    b.layerNorm("transformer.ln_f", d);
    if (!c.tieEmbeddings) { b.add("lm_head.weight", {c.vocabSize, d}); }
}
}  // namespace

TensorLayout makeLayout(const ModelConfig& config) {
    Builder builder;
    if (config.family == ModelFamily::Llama) { addLlama(builder, config); } else { addGpt2(builder, config); }
    return std::move(builder.layout);
}

Digest arenaHash(std::span<const float> arena) {
    return sha256({reinterpret_cast<const std::uint8_t*>(arena.data()), arena.size_bytes()});
}

std::int64_t parameterCount(const ModelConfig& config) { return makeLayout(config).total; }

}  // namespace sunloco::core
