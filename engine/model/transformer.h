// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/compute.h"
#include "engine/model/rope_table.h"
#include "engine/model/weight_map.h"

#include <memory>

namespace sunloco::model {

/// Token ids of B sequences of T + 1 tokens each, row-major; inputs are the first T, targets the last T.
struct Batch {
    const std::int32_t* tokens = nullptr;
    std::int64_t sequences = 0;  ///< B
    std::int64_t length = 0;     ///< T
    [[nodiscard]] std::int64_t targets() const { return sequences * length; }
};

/// What of the way forward is kept for the way back. The bits are the same; recomputing costs about a third more time and saves most of the memory.
enum class Activations { Stored, Recomputed };

/// A Llama or GPT-2 language model over a flat fp32 arena: forward and backward written out by hand, no autograd tape.
///
/// Shapes in comments: B sequences, T tokens, N = B * T rows, d hidden, H query heads, G key/value heads, h head size, f MLP width, V vocabulary.
/// One object belongs to one thread at a time. Workspace grows to the largest batch seen.
class Transformer {
public:
    static core::Result<std::unique_ptr<Transformer>> create(const core::ModelConfig& config);

    [[nodiscard]] const core::ModelConfig& config() const { return m_config; }
    [[nodiscard]] const core::TensorLayout& layout() const { return m_layout; }
    [[nodiscard]] const WeightMap& map() const { return m_map; }
    [[nodiscard]] const RopeTable& rope() const { return m_rope; }

    /// Checks lengths and token ids, and makes room. Everything below needs it for its batch first.
    core::Result<void> prepare(const Batch& batch, bool training);

    /// Mean loss of the batch in nats per token; gradients of `share` times that mean are written to (or added to) `grads`.
    /// The value means nothing when compute.abandoned().
    double gradients(Compute& compute, const Batch& batch, const float* weights, float* grads, Accumulate accumulate, double share);

    /// Sum of the losses of all targets.
    double lossSum(Compute& compute, const Batch& batch, const float* weights);

    /// Logits of the first sequence, [T, V].
    void logits(Compute& compute, const Batch& batch, const float* weights, float* out);

    /// Holds for the training batches prepared from here on.
    void setActivations(Activations activations);

    /// Gives the workspace back; prepare() takes it again.
    void releaseWorkspace();

    /// Bytes of workspace that a training batch of this shape needs (without parameters, gradients and moments).
    [[nodiscard]] std::int64_t workspaceBytes(std::int64_t sequences, std::int64_t length, Activations activations) const;

private:
    explicit Transformer(const core::ModelConfig& config) : m_config(config) {}

    /// What the way back needs of one layer; views into m_memory. When activations are recomputed all layers share everything but `input`.
    struct LayerActivations {
        float* input;     // [N, d] residual stream at the layer's entry
        float* normed1;   // [N, d]
        float* stats1;    // [N] or [N, 2]
        float* qkv;       // [N, (H + 2G) h]
        float* attended;  // [N, H h]
        float* logSum;    // [B, H, T]
        float* middle;    // [N, d] after attention
        float* normed2;   // [N, d]
        float* stats2;
        float* up;        // [N, 2f] (Llama: gate, up) or [N, f]
        float* hidden;    // [N, f]
    };

    [[nodiscard]] std::int64_t layerFloats(std::int64_t rows) const;
    [[nodiscard]] std::int64_t keptFloats(std::int64_t rows, std::int64_t layers, Activations activations) const;
    [[nodiscard]] std::int64_t sharedFloats(std::int64_t rows, std::int64_t chunk) const;
    [[nodiscard]] std::int64_t chunkRows(std::int64_t rows) const;
    [[nodiscard]] AttentionShape attentionShape(std::int64_t length) const;
    [[nodiscard]] std::int64_t upWidth() const { return m_map.layers.front().up.out; }
    [[nodiscard]] std::int64_t qkvWidth() const { return m_map.layers.front().qkv.out; }

    void forward(Compute& compute, const Batch& batch, const float* weights);
    void layerForward(Compute& compute, const LayerRef& layer, LayerActivations& a, const float* weights);
    void layerBackward(Compute& compute, const LayerRef& layer, LayerActivations& a, const float* weights, float* grads, Accumulate accumulate);
    void norm(Compute& compute, const NormRef& ref, const float* x, const float* delta, float* sum, float* y, float* stats, const float* weights);
    void normBackward(Compute& compute, const NormRef& ref, const float* dy, const float* x, const float* stats, Accumulate accumulate,
                      const float* weights, float* grads);
    void linear(Compute& compute, const LinearRef& ref, const float* x, float* y, const float* weights);
    /// dx = dy W (or W^T); dW and dbias are written or added.
    void linearBackward(Compute& compute, const LinearRef& ref, const float* x, const float* dy, float* dx, const float* weights, float* grads,
                        Accumulate accumulate);

    core::ModelConfig m_config;
    core::TensorLayout m_layout;
    WeightMap m_map;
    RopeTable m_rope;
    std::int64_t m_ropePositions = 0;

    FloatBuffer m_memory;
    std::vector<std::int32_t> m_inputs, m_targets;  // [N]
    std::int64_t m_rows = 0, m_sequences = 0, m_length = 0;
    bool m_training = false;
    Activations m_activations = Activations::Stored;
    std::vector<LayerActivations> m_layers;  // one per layer when training, else a single one that all layers share
    float* m_final = nullptr;        // [N, d] residual stream after the last layer
    float* m_finalNormed = nullptr;  // [N, d]
    float* m_finalStats = nullptr;
    float* m_delta = nullptr;        // [N, d] output of a block before it joins the residual; on the way back the gradient of a norm's output
    float* m_stream = nullptr;       // [N, d] gradient of the residual stream
    float* m_wide = nullptr;         // [N, max(f, (H + 2G) h)]
    float* m_attendedGrad = nullptr; // [N, H h]
    float* m_logits = nullptr;       // [chunk, V]
};

}  // namespace sunloco::model
