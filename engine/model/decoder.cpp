// SPDX-License-Identifier: Apache-2.0
#include "engine/model/decoder.h"

#include "engine/model/parallel.h"

#include <algorithm>

namespace sunloco::model {

core::Result<std::unique_ptr<Decoder>> Decoder::create(const core::ModelConfig& config, const float* weights, std::int64_t capacity, const Kernels& kernels) {
    if (capacity < 1 || capacity > config.maxPositions)
        return core::Error{core::ErrorCode::InvalidArgument, "a text of " + std::to_string(capacity) + " tokens does not fit the model's " +
                                                                 std::to_string(config.maxPositions) + " positions", {}};
    std::unique_ptr<Decoder> decoder(new Decoder(config, weights, capacity, kernels));
    auto map = mapWeights(config, core::makeLayout(config));
    if (!map) return map.error();
    decoder->m_map = std::move(*map);
    if (config.family == core::ModelFamily::Llama) decoder->m_rope = makeRopeTable(config, capacity);
    auto cache = FloatBuffer::allocate(config.layers * 2 * capacity * config.kvHeads * config.headDim);
    if (!cache) return cache.error();
    decoder->m_cache = std::move(*cache);
    const auto room = [](std::vector<float>& buffer, std::int64_t count) { buffer.resize(static_cast<std::size_t>(count)); };
    room(decoder->m_stream, config.hiddenSize);
    room(decoder->m_normed, config.hiddenSize);
    room(decoder->m_delta, config.hiddenSize);
    room(decoder->m_qkv, decoder->m_map.layers.front().qkv.out);
    room(decoder->m_attended, config.heads * config.headDim);
    room(decoder->m_up, decoder->m_map.layers.front().up.out);
    room(decoder->m_hidden, config.intermediateSize);
    room(decoder->m_scores, config.heads * capacity);
    room(decoder->m_logits, config.vocabSize);
    return decoder;
}

void Decoder::linear(const LinearRef& ref, const float* x, float* y) const {
    const Operand weight{m_weights + ref.weight, ref.inputMajor ? ref.out : ref.in, ref.inputMajor ? Layout::Plain : Layout::Transposed};
    multiply(1, ref.out, ref.in, {x, ref.in, Layout::Plain}, weight, Accumulate::No, y, ref.out);
    if (ref.bias >= 0) m_kernels.add(y, m_weights + ref.bias, ref.out);
}

void Decoder::norm(const NormRef& ref, const float* x, float* y) const {
    const float epsilon = static_cast<float>(m_config.normEpsilon);
    float stats[2];
    if (ref.bias < 0) m_kernels.rmsNorm(x, nullptr, nullptr, m_weights + ref.weight, y, stats, 1, m_config.hiddenSize, epsilon);
    else m_kernels.layerNorm(x, nullptr, nullptr, m_weights + ref.weight, m_weights + ref.bias, y, stats, 1, m_config.hiddenSize, epsilon);
}

void Decoder::attend(std::size_t layer) {
    const std::int64_t h = m_config.headDim, H = m_config.heads, G = m_config.kvHeads, row = G * h;
    float* keys = m_cache.data() + static_cast<std::int64_t>(layer) * 2 * m_capacity * row;
    float* values = keys + m_capacity * row;
    if (m_config.family == core::ModelFamily::Llama) {
        const std::int64_t at = m_length * h / 2;
        m_kernels.rope(m_qkv.data(), 0, H + G, h, m_rope.cosines.data() + at, m_rope.sines.data() + at, 1.0f, 1);
    }
    std::copy_n(m_qkv.data() + H * h, row, keys + m_length * row);
    std::copy_n(m_qkv.data() + (H + G) * h, row, values + m_length * row);
    parallelFor(H, 4, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t head = begin; head < end; ++head) {
            const std::int64_t shared = head / (H / G) * h;
            m_kernels.attentionStep(m_qkv.data() + head * h, keys + shared, values + shared, row, m_length + 1, h, m_attended.data() + head * h,
                                    m_scores.data() + head * m_capacity);
        }
    });
}

core::Result<std::span<const float>> Decoder::accept(std::int32_t token) {
    if (m_length >= m_capacity) return core::Error{core::ErrorCode::LimitExceeded, "the text is as long as the model can hold", {}};
    if (token < 0 || token >= m_config.vocabSize)
        return core::Error{core::ErrorCode::InvalidArgument, "token id " + std::to_string(token) + " is outside the vocabulary", {}};
    const std::int64_t d = m_config.hiddenSize;
    std::copy_n(m_weights + m_map.tokens + token * d, d, m_stream.data());
    if (m_map.positions >= 0) m_kernels.add(m_stream.data(), m_weights + m_map.positions + m_length * d, d);
    for (std::size_t i = 0; i < m_map.layers.size(); ++i) {
        const LayerRef& layer = m_map.layers[i];
        norm(layer.attentionNorm, m_stream.data(), m_normed.data());
        linear(layer.qkv, m_normed.data(), m_qkv.data());
        attend(i);
        linear(layer.output, m_attended.data(), m_delta.data());
        m_kernels.add(m_stream.data(), m_delta.data(), d);
        norm(layer.mlpNorm, m_stream.data(), m_normed.data());
        linear(layer.up, m_normed.data(), m_up.data());
        if (m_config.family == core::ModelFamily::Llama) m_kernels.swiglu(m_up.data(), m_hidden.data(), 1, m_config.intermediateSize);
        else m_kernels.gelu(m_up.data(), m_hidden.data(), m_config.intermediateSize);
        linear(layer.down, m_hidden.data(), m_delta.data());
        m_kernels.add(m_stream.data(), m_delta.data(), d);
    }
    norm(m_map.finalNorm, m_stream.data(), m_normed.data());
    multiply(1, m_config.vocabSize, d, {m_normed.data(), d, Layout::Plain}, {m_weights + m_map.head, d, Layout::Transposed}, Accumulate::No, m_logits.data(),
             m_config.vocabSize);
    ++m_length;
    return std::span<const float>(m_logits);
}

}  // namespace sunloco::model
