// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/transformer.h"

namespace sunloco::model {

/// Runs a model one token at a time, keeping keys and values of the tokens before.
class Decoder {
public:
    /// `weights` (an arena in the layout of `config`) outlives the decoder. `capacity` is the longest text in tokens.
    static core::Result<std::unique_ptr<Decoder>> create(const core::ModelConfig& config, const float* weights, std::int64_t capacity, const Kernels& kernels);

    /// Appends a token and returns the logits [V] of the next one; they stay valid until the next call.
    core::Result<std::span<const float>> accept(std::int32_t token);

    [[nodiscard]] std::int64_t length() const { return m_length; }
    [[nodiscard]] std::int64_t capacity() const { return m_capacity; }

private:
    Decoder(const core::ModelConfig& config, const float* weights, std::int64_t capacity, const Kernels& kernels)
        : m_config(config), m_weights(weights), m_capacity(capacity), m_kernels(kernels) {}
    void linear(const LinearRef& ref, const float* x, float* y) const;
    void norm(const NormRef& ref, const float* x, float* y) const;
    void attend(std::size_t layer);

    core::ModelConfig m_config;
    WeightMap m_map;
    RopeTable m_rope;
    const float* m_weights;
    std::int64_t m_capacity;
    const Kernels& m_kernels;
    std::int64_t m_length = 0;
    FloatBuffer m_cache;  // per layer: keys [capacity, G h], values [capacity, G h]
    std::vector<float> m_stream, m_normed, m_qkv, m_attended, m_delta, m_up, m_hidden, m_scores, m_logits;
};

}  // namespace sunloco::model
