// SPDX-License-Identifier: Apache-2.0
#include "engine/model/weight_map.h"

#include <optional>
#include <unordered_map>

namespace sunloco::model {

namespace {

/// Looks up slots by name and remembers the first complaint.
class Finder {
public:
    explicit Finder(const core::TensorLayout& layout) {
        for (const core::TensorSlot& slot : layout.slots) m_slots.emplace(slot.name, &slot);
    }

    std::int64_t at(const std::string& name, std::int64_t count) {
        const auto found = m_slots.find(name);
        if (found == m_slots.end() || found->second->count != count) {
            complain("the layout has no tensor of " + std::to_string(count) + " values with this name", name);
            return -1;
        }
        return found->second->offset;
    }

    /// The offset of the first of several tensors that must follow one another.
    std::int64_t neighbours(const std::string& prefix, const std::vector<std::pair<std::string, std::int64_t>>& parts, const char* suffix,
                            std::int64_t perRow) {
        std::int64_t first = -1, next = -1;
        for (const auto& [name, rows] : parts) {
            const std::int64_t offset = at(prefix + name + suffix, rows * perRow);
            if (first < 0) first = offset;
            else if (offset != next) complain("the tensor does not lie beside its neighbour", prefix + name + suffix);
            next = offset + rows * perRow;
        }
        return first;
    }

    [[nodiscard]] const std::optional<core::Error>& error() const { return m_error; }

private:
    void complain(std::string message, std::string context) {
        if (!m_error) m_error = core::Error{core::ErrorCode::Internal, std::move(message), std::move(context)};
    }
    std::unordered_map<std::string, const core::TensorSlot*> m_slots;
    std::optional<core::Error> m_error;
};

LinearRef joined(Finder& find, const std::string& prefix, const std::vector<std::pair<std::string, std::int64_t>>& parts, std::int64_t in, bool bias) {
    LinearRef linear;
    linear.in = in;
    for (const auto& part : parts) linear.out += part.second;
    linear.weight = find.neighbours(prefix, parts, ".weight", in);
    if (bias) linear.bias = find.neighbours(prefix, parts, ".bias", 1);
    return linear;
}

LinearRef conv1d(Finder& find, const std::string& name, std::int64_t in, std::int64_t out) {
    return {find.at(name + ".weight", in * out), find.at(name + ".bias", out), in, out, true};
}

NormRef layerNorm(Finder& find, const std::string& name, std::int64_t width) { return {find.at(name + ".weight", width), find.at(name + ".bias", width)}; }

}  // namespace

core::Result<WeightMap> mapWeights(const core::ModelConfig& config, const core::TensorLayout& layout) {
    Finder find(layout);
    WeightMap map;
    const std::int64_t d = config.hiddenSize, ff = config.intermediateSize;
    if (config.family == core::ModelFamily::Llama) {
        const std::int64_t q = config.heads * config.headDim, kv = config.kvHeads * config.headDim;
        map.tokens = find.at("model.embed_tokens.weight", config.vocabSize * d);
        for (std::int64_t i = 0; i < config.layers; ++i) {
            const std::string p = "model.layers." + std::to_string(i) + ".";
            LayerRef layer;
            layer.attentionNorm.weight = find.at(p + "input_layernorm.weight", d);
            layer.qkv = joined(find, p + "self_attn.", {{"q_proj", q}, {"k_proj", kv}, {"v_proj", kv}}, d, config.attentionBias);
            layer.output = joined(find, p + "self_attn.", {{"o_proj", d}}, q, config.attentionBias);
            layer.mlpNorm.weight = find.at(p + "post_attention_layernorm.weight", d);
            layer.up = joined(find, p + "mlp.", {{"gate_proj", ff}, {"up_proj", ff}}, d, config.mlpBias);
            layer.down = joined(find, p + "mlp.", {{"down_proj", d}}, ff, config.mlpBias);
            map.layers.push_back(layer);
        }
        map.finalNorm.weight = find.at("model.norm.weight", d);
    } else {
        map.tokens = find.at("transformer.wte.weight", config.vocabSize * d);
        map.positions = find.at("transformer.wpe.weight", config.maxPositions * d);
        for (std::int64_t i = 0; i < config.layers; ++i) {
            const std::string p = "transformer.h." + std::to_string(i) + ".";
            map.layers.push_back({layerNorm(find, p + "ln_1", d), conv1d(find, p + "attn.c_attn", d, 3 * d), conv1d(find, p + "attn.c_proj", d, d),
                                  layerNorm(find, p + "ln_2", d), conv1d(find, p + "mlp.c_fc", d, ff), conv1d(find, p + "mlp.c_proj", ff, d)});
        }
        map.finalNorm = layerNorm(find, "transformer.ln_f", d);
    }
    map.head = config.tieEmbeddings ? map.tokens : find.at("lm_head.weight", config.vocabSize * d);
    if (find.error()) return *find.error();
    return map;
}

}  // namespace sunloco::model
