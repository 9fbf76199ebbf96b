// SPDX-License-Identifier: Apache-2.0
#include "engine/model/transformer.h"

#include <algorithm>

namespace sunloco::model {

namespace {

/// Rows of logits held at once: 256 measured best for the cache, and it bounds memory for large vocabularies.
constexpr std::int64_t kLogitRows = 256;
/// Every piece of the workspace starts on a cache line.
constexpr std::int64_t kAlign = 16;

std::int64_t aligned(std::int64_t floats) { return (floats + kAlign - 1) / kAlign * kAlign; }

}  // namespace

core::Result<std::unique_ptr<Transformer>> Transformer::create(const core::ModelConfig& config) {
    std::unique_ptr<Transformer> model(new Transformer(config));
    model->m_layout = core::makeLayout(config);
    auto map = mapWeights(config, model->m_layout);
    if (!map) return map.error();
    model->m_map = std::move(*map);
    return model;
}

std::int64_t Transformer::layerFloats(std::int64_t rows) const {
    const std::int64_t d = m_config.hiddenSize;
    return 4 * aligned(rows * d) + 2 * aligned(2 * rows) + aligned(rows * qkvWidth()) + aligned(rows * m_config.heads * m_config.headDim) +
           aligned(rows * m_config.heads) + aligned(rows * upWidth()) + aligned(rows * m_config.intermediateSize);
}

std::int64_t Transformer::chunkRows(std::int64_t rows) const { return std::min(rows, kLogitRows); }

std::int64_t Transformer::sharedFloats(std::int64_t rows, std::int64_t chunk) const {
    const std::int64_t d = m_config.hiddenSize;
    return 4 * aligned(rows * d) + aligned(2 * rows) + aligned(rows * std::max(m_config.intermediateSize, qkvWidth())) +
           aligned(rows * m_config.heads * m_config.headDim) + aligned(chunk * m_config.vocabSize);
}

std::int64_t Transformer::keptFloats(std::int64_t rows, std::int64_t layers, Activations activations) const {
    if (activations == Activations::Stored) return layers * layerFloats(rows);
    return (layers - 1) * aligned(rows * m_config.hiddenSize) + layerFloats(rows);
}

std::int64_t Transformer::workspaceBytes(std::int64_t sequences, std::int64_t length, Activations activations) const {
    const std::int64_t rows = sequences * length;
    return (keptFloats(rows, m_config.layers, activations) + sharedFloats(rows, chunkRows(rows))) * static_cast<std::int64_t>(sizeof(float));
}

void Transformer::setActivations(Activations activations) {
    if (m_activations == activations) return;
    m_activations = activations;
    releaseWorkspace();
}

core::Result<void> Transformer::prepare(const Batch& batch, bool training) {
    if (batch.sequences < 1 || batch.length < 1)
        return core::Error{core::ErrorCode::InvalidArgument, "a batch needs at least one sequence of one token", {}};
    if (m_config.family == core::ModelFamily::Gpt2 && batch.length > m_config.maxPositions)
        return core::Error{core::ErrorCode::InvalidArgument,
                           "sequences of " + std::to_string(batch.length) + " tokens are longer than the model's " + std::to_string(m_config.maxPositions) +
                               " positions",
                           "n_positions"};
    const std::int64_t rows = batch.targets();
    m_inputs.resize(static_cast<std::size_t>(rows));
    m_targets.resize(static_cast<std::size_t>(rows));
    for (std::int64_t b = 0; b < batch.sequences; ++b) {
        const std::int32_t* row = batch.tokens + b * (batch.length + 1);
        for (std::int64_t t = 0; t <= batch.length; ++t)
            if (row[t] < 0 || row[t] >= m_config.vocabSize)
                return core::Error{core::ErrorCode::InvalidData, "token id " + std::to_string(row[t]) + " is outside the vocabulary of " +
                                                                     std::to_string(m_config.vocabSize), "tokens"};
        std::copy(row, row + batch.length, m_inputs.begin() + b * batch.length);
        std::copy(row + 1, row + batch.length + 1, m_targets.begin() + b * batch.length);
    }
    if (m_config.family == core::ModelFamily::Llama && m_ropePositions < batch.length) {
        m_rope = makeRopeTable(m_config, batch.length);
        m_ropePositions = batch.length;
    }
    if (m_sequences == batch.sequences && m_length == batch.length && m_training == training) return {};

    m_layers.clear();
    m_sequences = m_length = 0;
    const std::int64_t kept = training ? m_config.layers : 1;
    const std::int64_t needed = keptFloats(rows, kept, m_activations) + sharedFloats(rows, chunkRows(rows));
    if (m_memory.size() < needed) {
        m_memory = FloatBuffer();
        auto memory = FloatBuffer::allocate(needed);
        if (!memory) return memory.error();
        m_memory = std::move(*memory);
    }
    float* next = m_memory.data();
    const auto take = [&next](std::int64_t floats) {
        float* here = next;
        next += aligned(floats);
        return here;
    };
    const std::int64_t d = m_config.hiddenSize, attended = m_config.heads * m_config.headDim;
    for (std::int64_t i = 0; i < kept; ++i) {
        if (i > 0 && m_activations == Activations::Recomputed) {
            m_layers.push_back(m_layers.front());
            m_layers.back().input = take(rows * d);
            continue;
        }
        LayerActivations a{};
        a.input = take(rows * d);
        a.normed1 = take(rows * d);
        a.stats1 = take(2 * rows);
        a.qkv = take(rows * qkvWidth());
        a.attended = take(rows * attended);
        a.logSum = take(rows * m_config.heads);
        a.middle = take(rows * d);
        a.normed2 = take(rows * d);
        a.stats2 = take(2 * rows);
        a.up = take(rows * upWidth());
        a.hidden = take(rows * m_config.intermediateSize);
        m_layers.push_back(a);
    }
    m_final = take(rows * d);
    m_finalNormed = take(rows * d);
    m_finalStats = take(2 * rows);
    m_delta = take(rows * d);
    m_stream = take(rows * d);
    m_wide = take(rows * std::max(m_config.intermediateSize, qkvWidth()));
    m_attendedGrad = take(rows * attended);
    m_logits = take(chunkRows(rows) * m_config.vocabSize);
    m_rows = rows;
    m_sequences = batch.sequences;
    m_length = batch.length;
    m_training = training;
    return {};
}

void Transformer::releaseWorkspace() {
    m_memory = FloatBuffer();
    m_layers.clear();
    m_rows = m_sequences = m_length = 0;
}

AttentionShape Transformer::attentionShape(std::int64_t length) const {
    return {length, m_config.heads, m_config.kvHeads, m_config.headDim, qkvWidth(), m_config.heads * m_config.headDim};
}

void Transformer::norm(Compute& compute, const NormRef& ref, const float* x, const float* delta, float* sum, float* y, float* stats, const float* weights) {
    const float epsilon = static_cast<float>(m_config.normEpsilon);
    if (ref.bias < 0) compute.rmsNorm(x, delta, sum, weights + ref.weight, y, stats, m_rows, m_config.hiddenSize, epsilon);
    else compute.layerNorm(x, delta, sum, weights + ref.weight, weights + ref.bias, y, stats, m_rows, m_config.hiddenSize, epsilon);
}

void Transformer::normBackward(Compute& compute, const NormRef& ref, const float* dy, const float* x, const float* stats, Accumulate accumulate,
                               const float* weights, float* grads) {
    const std::int64_t d = m_config.hiddenSize;
    if (ref.bias < 0) compute.rmsNormBackward(dy, x, weights + ref.weight, stats, m_stream, accumulate, grads + ref.weight, m_rows, d);
    else
        compute.layerNormBackward(dy, x, weights + ref.weight, stats, m_stream, accumulate, grads + ref.weight, grads + ref.bias, m_rows, d);
}

void Transformer::linear(Compute& compute, const LinearRef& ref, const float* x, float* y, const float* weights) {
    const Operand weight{weights + ref.weight, ref.inputMajor ? ref.out : ref.in, ref.inputMajor ? Layout::Plain : Layout::Transposed};
    compute.multiply(Work::Gemm, m_rows, ref.out, ref.in, {x, ref.in, Layout::Plain}, weight, Accumulate::No, y, ref.out);
    if (ref.bias >= 0) compute.addRows(y, ref.out, weights + ref.bias, m_rows, ref.out);
}

void Transformer::linearBackward(Compute& compute, const LinearRef& ref, const float* x, const float* dy, float* dx, const float* weights, float* grads,
                                 Accumulate accumulate) {
    const Operand weight{weights + ref.weight, ref.inputMajor ? ref.out : ref.in, ref.inputMajor ? Layout::Transposed : Layout::Plain};
    compute.multiply(Work::Gemm, m_rows, ref.in, ref.out, {dy, ref.out, Layout::Plain}, weight, Accumulate::No, dx, ref.in);
    const Operand plainX{x, ref.in, Layout::Plain}, plainDy{dy, ref.out, Layout::Plain};
    const Operand turnedX{x, ref.in, Layout::Transposed}, turnedDy{dy, ref.out, Layout::Transposed};
    if (ref.inputMajor) compute.multiply(Work::Gemm, ref.in, ref.out, m_rows, turnedX, plainDy, accumulate, grads + ref.weight, ref.out);
    else compute.multiply(Work::Gemm, ref.out, ref.in, m_rows, turnedDy, plainX, accumulate, grads + ref.weight, ref.in);
    if (ref.bias >= 0) compute.addColumnSums(dy, ref.out, grads + ref.bias, m_rows, ref.out);
}

void Transformer::layerForward(Compute& compute, const LayerRef& layer, LayerActivations& a, const float* weights) {
    const std::int64_t h = m_config.headDim, H = m_config.heads, G = m_config.kvHeads, width = qkvWidth();
    linear(compute, layer.qkv, a.normed1, a.qkv, weights);
    if (m_config.family == core::ModelFamily::Llama)  // queries and keys lie side by side: one pass rotates both
        compute.rope(a.qkv, width, H + G, h, m_rope.cosines.data(), m_rope.sines.data(), 1.0f, m_rows, m_length);
    compute.attention(attentionShape(m_length), m_sequences, a.qkv, a.qkv + H * h, a.qkv + (H + G) * h, a.attended, a.logSum);
    linear(compute, layer.output, a.attended, m_delta, weights);
    norm(compute, layer.mlpNorm, a.input, m_delta, a.middle, a.normed2, a.stats2, weights);
    linear(compute, layer.up, a.normed2, a.up, weights);
    if (m_config.family == core::ModelFamily::Llama) compute.swiglu(a.up, a.hidden, m_rows, m_config.intermediateSize);
    else compute.gelu(a.up, a.hidden, m_rows * m_config.intermediateSize);
    linear(compute, layer.down, a.hidden, m_delta, weights);
}

void Transformer::forward(Compute& compute, const Batch& batch, const float* weights) {
    const std::int64_t d = m_config.hiddenSize;
    const float* positions = m_map.positions >= 0 ? weights + m_map.positions : nullptr;
    compute.embed(weights + m_map.tokens, m_inputs.data(), positions, batch.length, m_layers.front().input, m_rows, d);
    for (std::size_t i = 0; i < m_map.layers.size(); ++i) {
        LayerActivations& a = m_layers[m_training ? i : 0];
        const LayerRef& layer = m_map.layers[i];
        if (i == 0) {
            norm(compute, layer.attentionNorm, a.input, nullptr, a.input, a.normed1, a.stats1, weights);
        } else {  // the previous MLP's output joins the residual stream in the same pass
            const LayerActivations& before = m_layers[m_training ? i - 1 : 0];
            norm(compute, layer.attentionNorm, before.middle, m_delta, a.input, a.normed1, a.stats1, weights);
        }
        layerForward(compute, layer, a, weights);
    }
    norm(compute, m_map.finalNorm, m_layers.back().middle, m_delta, m_final, m_finalNormed, m_finalStats, weights);
}

void Transformer::layerBackward(Compute& compute, const LayerRef& layer, LayerActivations& a, const float* weights, float* grads, Accumulate accumulate) {
    const std::int64_t h = m_config.headDim, H = m_config.heads, G = m_config.kvHeads, width = qkvWidth(), f = m_config.intermediateSize;
    linearBackward(compute, layer.down, a.hidden, m_stream, m_wide, weights, grads, accumulate);
    const float* upGrad = nullptr;
    if (m_config.family == core::ModelFamily::Llama) {
        compute.swigluBackward(a.up, m_wide, m_rows, f);
        upGrad = a.up;
    } else {
        compute.geluBackward(a.up, m_wide, m_rows * f);
        upGrad = m_wide;
    }
    linearBackward(compute, layer.up, a.normed2, upGrad, m_delta, weights, grads, accumulate);
    normBackward(compute, layer.mlpNorm, m_delta, a.middle, a.stats2, Accumulate::Yes, weights, grads);
    linearBackward(compute, layer.output, a.attended, m_stream, m_attendedGrad, weights, grads, accumulate);
    compute.attentionBackward(attentionShape(m_length), m_sequences, a.qkv, a.qkv + H * h, a.qkv + (H + G) * h, a.attended, a.logSum, m_attendedGrad,
                              m_wide, m_wide + H * h, m_wide + (H + G) * h);
    if (m_config.family == core::ModelFamily::Llama)
        compute.rope(m_wide, width, H + G, h, m_rope.cosines.data(), m_rope.sines.data(), -1.0f, m_rows, m_length);
    linearBackward(compute, layer.qkv, a.normed1, m_wide, m_delta, weights, grads, accumulate);
    normBackward(compute, layer.attentionNorm, m_delta, a.input, a.stats1, Accumulate::Yes, weights, grads);
}

double Transformer::gradients(Compute& compute, const Batch& batch, const float* weights, float* grads, Accumulate accumulate, double share) {
    const std::int64_t d = m_config.hiddenSize, V = m_config.vocabSize, N = m_rows;
    if (accumulate == Accumulate::No) {
        // Products overwrite their gradient; what is summed from pieces starts at zero.
        const auto zeroNorm = [&](const NormRef& ref) {
            compute.zero(grads + ref.weight, d);
            if (ref.bias >= 0) compute.zero(grads + ref.bias, d);
        };
        for (const LayerRef& layer : m_map.layers) {
            zeroNorm(layer.attentionNorm);
            zeroNorm(layer.mlpNorm);
            for (const LinearRef* ref : {&layer.qkv, &layer.output, &layer.up, &layer.down})
                if (ref->bias >= 0) compute.zero(grads + ref->bias, ref->out);
        }
        zeroNorm(m_map.finalNorm);
        if (m_map.head != m_map.tokens) compute.zero(grads + m_map.tokens, V * d);
        if (m_map.positions >= 0) compute.zero(grads + m_map.positions, m_config.maxPositions * d);
    }
    forward(compute, batch, weights);

    // Head and loss in chunks of rows: the logits become their own gradient and never exist as a whole.
    const Operand head{weights + m_map.head, d, Layout::Plain};
    const Operand headTurned{weights + m_map.head, d, Layout::Transposed};
    const float scale = static_cast<float>(share / static_cast<double>(N));
    double loss = 0;
    for (std::int64_t r = 0; r < N; r += kLogitRows) {
        const std::int64_t n = std::min(kLogitRows, N - r);
        compute.multiply(Work::Head, n, V, d, {m_finalNormed + r * d, d, Layout::Plain}, headTurned, Accumulate::No, m_logits, V);
        loss += compute.crossEntropy(m_logits, m_targets.data() + r, n, V, scale);
        compute.multiply(Work::Head, n, d, V, {m_logits, V, Layout::Plain}, head, Accumulate::No, m_delta + r * d, d);
        compute.multiply(Work::Head, V, d, n, {m_logits, V, Layout::Transposed}, {m_finalNormed + r * d, d, Layout::Plain},
                         r > 0 ? Accumulate::Yes : accumulate, grads + m_map.head, d);
    }
    normBackward(compute, m_map.finalNorm, m_delta, m_final, m_finalStats, Accumulate::No, weights, grads);
    for (std::size_t i = m_map.layers.size(); i-- > 0;) {
        // The last layer's activations are still there; the others' are made again from the layer's input.
        if (m_activations == Activations::Recomputed && i + 1 < m_map.layers.size()) {
            LayerActivations& a = m_layers[i];
            norm(compute, m_map.layers[i].attentionNorm, a.input, nullptr, a.input, a.normed1, a.stats1, weights);
            layerForward(compute, m_map.layers[i], a, weights);
        }
        layerBackward(compute, m_map.layers[i], m_layers[i], weights, grads, accumulate);
    }
    float* positions = m_map.positions >= 0 ? grads + m_map.positions : nullptr;
    compute.embedBackward(m_stream, m_inputs.data(), grads + m_map.tokens, positions, batch.length, N, d);
    return loss / static_cast<double>(N);
}

double Transformer::lossSum(Compute& compute, const Batch& batch, const float* weights) {
    const std::int64_t d = m_config.hiddenSize, V = m_config.vocabSize;
    forward(compute, batch, weights);
    double loss = 0;
    for (std::int64_t r = 0; r < m_rows; r += kLogitRows) {
        const std::int64_t n = std::min(kLogitRows, m_rows - r);
        compute.multiply(Work::Head, n, V, d, {m_finalNormed + r * d, d, Layout::Plain}, {weights + m_map.head, d, Layout::Transposed}, Accumulate::No,
                         m_logits, V);
        loss += compute.crossEntropyLoss(m_logits, m_targets.data() + r, n, V);
    }
    return loss;
}

void Transformer::logits(Compute& compute, const Batch& batch, const float* weights, float* out) {
    const std::int64_t d = m_config.hiddenSize, V = m_config.vocabSize;
    forward(compute, batch, weights);
    compute.multiply(Work::Head, batch.length, V, d, {m_finalNormed, d, Layout::Plain}, {weights + m_map.head, d, Layout::Transposed}, Accumulate::No, out, V);
}

}  // namespace sunloco::model
