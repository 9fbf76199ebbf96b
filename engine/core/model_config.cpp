// SPDX-License-Identifier: Apache-2.0
#include "engine/core/model_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace sunloco::core {

namespace {

/// Keys that change nothing about training.
constexpr std::array kBookkeeping = {"architectures", "model_type", "dtype", "torch_dtype", "transformers_version", "use_cache", "bos_token_id", "eos_token_id",
                                     "pad_token_id", "_name_or_path", "name_or_path", "task_specific_params", "summary_activation", "summary_first_dropout",
                                     "summary_proj_to_labels", "summary_type", "summary_use_proj", "output_attentions", "output_hidden_states", "return_dict"};

/// Reads a config while remembering which keys were understood.
class Reader {
public:
    Reader(const Json& json, std::string_view where) : m_json(json), m_where(where) {
        for (const char* key : kBookkeeping) { m_known.emplace_back(key); }
    }
    std::int64_t integer(const char* key, std::int64_t min, std::int64_t max) {
        m_known.emplace_back(key);
        return take(intMember(m_json, key, m_where, min, max));
    }
    std::int64_t integerOr(const char* key, std::int64_t otherwise, std::int64_t min, std::int64_t max) {
        m_known.emplace_back(key);
        return absent(key) ? otherwise : take(intMember(m_json, key, m_where, min, max));
    }
    double number(const char* key, double min, double max) {
        m_known.emplace_back(key);
        return take(numberMember(m_json, key, m_where, min, max));
    }
    std::string textOr(const char* key, std::string otherwise) {
        m_known.emplace_back(key);
        return absent(key) ? otherwise : take(stringMember(m_json, key, m_where));
    }
    double numberOr(const char* key, double otherwise, double min, double max) {
        m_known.emplace_back(key);
        return absent(key) ? otherwise : take(numberMember(m_json, key, m_where, min, max));
    }
    bool boolOr(const char* key, bool otherwise) {
        m_known.emplace_back(key);
        return absent(key) ? otherwise : take(boolMember(m_json, key, m_where));
    }
    /// The key may be missing or hold exactly `only`; anything else is a feature we do not have.
    void must(const char* key, const Json& only) {
        m_known.emplace_back(key);
        if (!absent(key) && m_json.at(key) != only) { unsupported(key); }
    }
    const Json* object(const char* key) {
        m_known.emplace_back(key);
        if (absent(key)) { return nullptr; }
        if (!m_json.at(key).is_object()) {
            fail(Error{ErrorCode::InvalidData, "\"" + std::string(key) + "\" must be an object", std::string(m_where)});
            return nullptr;
        }
        return &m_json.at(key);
    }
    [[nodiscard]] bool has(const char* key) const { return !absent(key); }
    void unsupported(const std::string& key) {
        const std::string value = m_json.contains(key) ? m_json.at(key).dump().substr(0, 60) : "";
        fail(Error{ErrorCode::Unsupported, "The model config asks for a feature that is not supported: \"" + key + "\"" + (value.empty() ? "" : ": " + value), std::string(m_where)});
    }
    void fail(Error error) {
        if (!m_error) { m_error = std::move(error); }
    }
    Result<void> finish() {
        if (m_error) { return *m_error; }
        for (const auto& [key, value] : m_json.items()) {
            if (std::find(m_known.begin(), m_known.end(), key) == m_known.end()) {
                return Error{ErrorCode::Unsupported, "The model config has a key that is not supported: \"" + key.substr(0, 100) + "\". Remove it if the model does not need it", std::string(m_where)};
            }
        }
        return {};
    }

private:
    [[nodiscard]] bool absent(const char* key) const { return !m_json.contains(key) || m_json.at(key).is_null(); }
    template <typename T>
    T take(Result<T> result) {
        if (result) { return std::move(result).value(); }
        Error error = std::move(result).error();
        fail(std::move(error));
        return T{};
    }
    const Json& m_json;
    std::string_view m_where;
    std::vector<std::string> m_known;
    std::optional<Error> m_error;
};

constexpr std::int64_t kMaxVocab = 262'144;
constexpr std::int64_t kMaxHidden = 8192;
constexpr std::int64_t kMaxLayers = 64;
constexpr std::int64_t kMaxContext = 8192;

/// Both spellings: transformers 5 writes rope_parameters {rope_type, rope_theta, ...}; transformers 4 wrote rope_theta beside rope_scaling.
void readRope(Reader& r, ModelConfig& c, std::string_view where) {
    c.ropeTheta = r.numberOr("rope_theta", 10000.0, 1.0, 1e9);
    const Json* parameters = r.object("rope_parameters");
    const Json* scaling = r.object("rope_scaling");
    const char* source = parameters != nullptr ? "rope_parameters" : "rope_scaling";
    const Json* rope = parameters != nullptr ? parameters : scaling;
    if (rope == nullptr) { return; }
    if (parameters != nullptr && scaling != nullptr && *parameters != *scaling) {
        return r.fail(Error{ErrorCode::InvalidData, "\"rope_parameters\" and \"rope_scaling\" say different things; keep one of them", std::string(where)});
    }
    Reader s(*rope, source);
    c.ropeTheta = s.numberOr("rope_theta", c.ropeTheta, 1.0, 1e9);
    std::string type = "default";
    for (const char* key : {"rope_type", "type"}) {
        const std::string text = s.textOr(key, type);
        if (type != "default" && text != type) { return r.fail(Error{ErrorCode::InvalidData, "\"" + std::string(source) + "\" has two different types", std::string(where)}); }
        type = text;
    }
    if (type == "default") {
        c.ropeScaling = RopeScaling::Default;
    } else if (type == "linear") {
        c.ropeScaling = RopeScaling::Linear;
        c.ropeFactor = s.number("factor", 1.0, 1e6);
    } else if (type == "llama3") {
        c.ropeScaling = RopeScaling::Llama3;
        c.ropeFactor = s.number("factor", 1.0, 1e6);
        c.ropeLowFreqFactor = s.number("low_freq_factor", 1e-6, 1e6);
        c.ropeHighFreqFactor = s.number("high_freq_factor", 1e-6, 1e6);
        c.ropeOriginalPositions = s.number("original_max_position_embeddings", 1, 1e9);
    } else {
        r.fail(Error{ErrorCode::Unsupported, "The model config asks for a feature that is not supported: \"" + std::string(source) + ".rope_type\": \"" + type.substr(0, 40) + "\"", std::string(where)});
    }
    if (auto ok = s.finish(); !ok) { return r.fail(ok.error()); }
    if (c.ropeScaling == RopeScaling::Llama3 && c.ropeHighFreqFactor <= c.ropeLowFreqFactor) {
        r.fail(Error{ErrorCode::InvalidData, "\"high_freq_factor\" must be larger than \"low_freq_factor\"", std::string(where)});
    }
}

Result<ModelConfig> readLlama(const Json& json, std::string_view where) {
    Reader r(json, where);
    ModelConfig c;
    c.family = ModelFamily::Llama;
    c.vocabSize = r.integer("vocab_size", 2, kMaxVocab);
    c.hiddenSize = r.integer("hidden_size", 2, kMaxHidden);
    c.intermediateSize = r.integer("intermediate_size", 1, 8 * kMaxHidden);
    c.layers = r.integer("num_hidden_layers", 1, kMaxLayers);
    c.heads = r.integer("num_attention_heads", 1, 1024);
    c.kvHeads = r.integerOr("num_key_value_heads", c.heads, 1, 1024);
    c.maxPositions = r.integerOr("max_position_embeddings", 2048, 1, 1 << 20);
    c.normEpsilon = r.numberOr("rms_norm_eps", 1e-6, 0, 1);
    c.initializerRange = r.numberOr("initializer_range", 0.02, 0, 10);
    c.tieEmbeddings = r.boolOr("tie_word_embeddings", false);
    c.attentionBias = r.boolOr("attention_bias", false);
    c.mlpBias = r.boolOr("mlp_bias", false);
    const std::int64_t explicitHead = r.integerOr("head_dim", 0, 2, 1024);
    r.must("hidden_act", "silu");
    r.must("pretraining_tp", 1);
    if (r.numberOr("attention_dropout", 0, 0, 1) != 0) { r.unsupported("attention_dropout"); }
    readRope(r, c, where);
    if (auto ok = r.finish(); !ok) { return ok.error(); }
    const auto bad = [&](std::string message) { return Error{ErrorCode::InvalidData, std::move(message), std::string(where)}; };
    if (explicitHead == 0 && c.hiddenSize % c.heads != 0) {
        return bad("hidden_size (" + std::to_string(c.hiddenSize) + ") is not a multiple of num_attention_heads (" + std::to_string(c.heads) + "); change one of them or give head_dim");
    }
    c.headDim = explicitHead != 0 ? explicitHead : c.hiddenSize / c.heads;
    if (c.headDim % 2 != 0) { return bad("The head dimension (" + std::to_string(c.headDim) + ") must be even for rotary positions; change num_attention_heads or head_dim"); }
    if (c.heads % c.kvHeads != 0) { return bad("num_attention_heads (" + std::to_string(c.heads) + ") is not a multiple of num_key_value_heads (" + std::to_string(c.kvHeads) + ")"); }
    return c;
}

Result<ModelConfig> readGpt2(const Json& json, std::string_view where) {
    Reader r(json, where);
    ModelConfig c;
    c.family = ModelFamily::Gpt2;
    c.vocabSize = r.integer("vocab_size", 2, kMaxVocab);
    c.hiddenSize = r.integer("n_embd", 2, kMaxHidden);
    c.layers = r.integer("n_layer", 1, kMaxLayers);
    c.heads = r.integer("n_head", 1, 1024);
    c.kvHeads = c.heads;
    c.maxPositions = r.integerOr("n_positions", 1024, 1, kMaxContext);
    (void)r.integerOr("n_ctx", c.maxPositions, 1, 1 << 20);
    c.intermediateSize = r.integerOr("n_inner", 4 * c.hiddenSize, 1, 8 * kMaxHidden);
    c.normEpsilon = r.numberOr("layer_norm_epsilon", 1e-5, 0, 1);
    c.initializerRange = r.numberOr("initializer_range", 0.02, 0, 10);
    c.tieEmbeddings = r.boolOr("tie_word_embeddings", true);
    r.must("activation_function", "gelu_new");
    r.must("scale_attn_weights", true);
    r.must("scale_attn_by_inverse_layer_idx", false);
    r.must("reorder_and_upcast_attn", false);
    r.must("add_cross_attention", false);
    for (const char* key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) {
        // transformers' own default is 0.1, so a missing key means dropout, which we do not have.
        if (r.numberOr(key, 0.1, 0, 1) != 0) {
            r.fail(Error{ErrorCode::Unsupported, "The model config asks for a feature that is not supported: dropout. Set \"" + std::string(key) + "\" to 0.0", std::string(where)});
        }
    }
    if (auto ok = r.finish(); !ok) { return ok.error(); }
    if (c.hiddenSize % c.heads != 0) {
        return Error{ErrorCode::InvalidData, "n_embd (" + std::to_string(c.hiddenSize) + ") is not a multiple of n_head (" + std::to_string(c.heads) + ")", std::string(where)};
    }
    c.headDim = c.hiddenSize / c.heads;
    return c;
}

}  // namespace

Result<ModelConfig> parseModelConfig(std::string_view text, std::string_view context) {
    const auto json = parseJson(text, {}, context);
    if (!json) { return json.error(); }
    const auto type = stringMember(*json, "model_type", context);
    if (!type) { return type.error(); }
    if (*type == "llama") { return readLlama(*json, context); }
    if (*type == "gpt2") { return readGpt2(*json, context); }
    return Error{ErrorCode::Unsupported, "The \"model_type\" \"" + type->substr(0, 40) + "\" is not supported; supported are llama and gpt2", std::string(context)};
}

}  // namespace sunloco::core
