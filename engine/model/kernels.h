// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace sunloco::model {

/// Instruction sets that the kernels are compiled for; chosen at run time.
enum class Isa { Generic, Avx2, Avx512 };

/// What one AdamW step needs besides the arenas. Meaning: torch.optim.AdamW.
struct AdamwStep {
    float gradScale = 1;     ///< clip factor, multiplied into every gradient
    float oneMinusBeta1 = 0.1f;
    float beta2 = 0.95f;
    float oneMinusBeta2 = 0.05f;
    float decay = 1;         ///< 1 - lr * weight decay
    float stepSize = 0;      ///< lr / (1 - beta1^t)
    float invSqrtCorrection2 = 1;  ///< 1 / sqrt(1 - beta2^t)
    float epsilon = 1e-8f;
};

/// Shape of one attention call. q, k, v are rows of one buffer with `stride` floats per token, as are their gradients.
struct AttentionShape {
    std::int64_t tokens = 0;   ///< T
    std::int64_t heads = 0;    ///< query heads H
    std::int64_t kvHeads = 0;  ///< key and value heads; H is a multiple
    std::int64_t headDim = 0;
    std::int64_t stride = 0;     ///< floats from one token's q (k, v) to the next
    std::int64_t outStride = 0;  ///< the same for the output
};

/// The fused elementwise kernels, one table per instruction set. All work on a range of rows (or elements) of one thread, keep fp32, and give
/// the same bits however the rows are divided. `rows` x `width` matrices are row-major and dense unless a stride is named.
struct Kernels {
    Isa isa;

    /// y = x / rms(x) * w with rms over a row; rstd[row] is kept for the way back. With `delta`, x is first replaced: sum = x + delta.
    void (*rmsNorm)(const float* x, const float* delta, float* sum, const float* w, float* y, float* rstd, std::int64_t rows, std::int64_t width,
                    float epsilon);
    /// dx += (or =) gradient; dw[width] += gradient of the rows given.
    void (*rmsNormBackward)(const float* dy, const float* x, const float* w, const float* rstd, float* dx, bool add, float* dw, std::int64_t rows,
                            std::int64_t width);
    /// The same for LayerNorm with bias; stats[2 * row] is the mean, stats[2 * row + 1] is 1 / standard deviation.
    void (*layerNorm)(const float* x, const float* delta, float* sum, const float* w, const float* b, float* y, float* stats, std::int64_t rows,
                      std::int64_t width, float epsilon);
    void (*layerNormBackward)(const float* dy, const float* x, const float* w, const float* stats, float* dx, bool add, float* dw, float* db,
                              std::int64_t rows, std::int64_t width);

    /// Rotates `heads` heads of each row in place (rotate-half form); `direction` -1 undoes it. cos and sin are [rows, headDim / 2] tables of
    /// the rows' positions.
    void (*rope)(float* x, std::int64_t stride, std::int64_t heads, std::int64_t headDim, const float* cosines, const float* sines, float direction,
                 std::int64_t rows);
    /// out = silu(gate) * up; gate is at gateUp[row * 2 * width], up follows it.
    void (*swiglu)(const float* gateUp, float* out, std::int64_t rows, std::int64_t width);
    /// Replaces gateUp by its gradient.
    void (*swigluBackward)(float* gateUp, const float* dout, std::int64_t rows, std::int64_t width);
    /// GPT-2's gelu_new (tanh form). Backward: d *= gelu'(x), in place.
    void (*gelu)(const float* x, float* y, std::int64_t count);
    void (*geluBackward)(const float* x, float* d, std::int64_t count);

    /// Softmax cross-entropy of rows of logits; the logits are replaced by their gradient times `scale`. Returns the sum of the losses (nats).
    double (*crossEntropy)(float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab, float scale);
    /// Matrix products c (+)= a b by blocks of at most kGemmDepth x kGemmColumns: gemmPack packs panels [firstPanel, lastPanel) of
    /// b(k, j) = b[k * depthStep + j * columnStep] (panels of `gemmPanel` columns, `packed` has room for whole panels), gemmRows multiplies rows of
    /// a(i, k) = a[i * rowStep + k * depthStep], where one of the two steps is 1, with all of them. `scratch` has gemmScratch() floats.
    std::int64_t gemmPanel;
    void (*gemmPack)(std::int64_t depth, std::int64_t columns, const float* b, std::int64_t depthStep, std::int64_t columnStep, std::int64_t firstPanel,
                     std::int64_t lastPanel, float* packed);
    void (*gemmRows)(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float* a, std::int64_t rowStep, std::int64_t depthStep,
                     const float* packed, float* c, std::int64_t stride, bool accumulate, float* scratch);
    std::int64_t (*gemmScratch)();

    /// The loss alone; the logits stay.
    double (*crossEntropyLoss)(const float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab);

    void (*addRows)(float* y, std::int64_t stride, const float* bias, std::int64_t rows, std::int64_t width);
    /// sums[width] += column sums.
    void (*addColumnSums)(const float* x, std::int64_t stride, float* sums, std::int64_t rows, std::int64_t width);
    void (*add)(float* y, const float* x, std::int64_t count);
    double (*sumOfSquares)(const float* x, std::int64_t count);
    void (*adamw)(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamwStep& step);

    /// Causal attention of one sequence and one key/value head (with the query heads that share it). `scratch` has attentionScratch() floats.
    void (*attention)(const AttentionShape& shape, std::int64_t kvHead, const float* q, const float* k, const float* v, float* out, float* logSum,
                      float* scratch);
    /// Recomputes the probabilities from logSum; writes dq, dk, dv.
    void (*attentionBackward)(const AttentionShape& shape, std::int64_t kvHead, const float* q, const float* k, const float* v, const float* out,
                              const float* logSum, const float* dout, float* dq, float* dk, float* dv, float* scratch);
    std::int64_t (*attentionScratch)(const AttentionShape& shape);
    /// One query head against `count` kept keys and values, rows of `stride` floats; out[headDim]; `scores` has room for count floats.
    void (*attentionStep)(const float* q, const float* keys, const float* values, std::int64_t stride, std::int64_t count, std::int64_t headDim, float* out,
                          float* scores);
};

/// Depth of one block of a matrix product, columns of one block: what gemmPack() and gemmRows() are given at most.
inline constexpr std::int64_t kGemmDepth = 384, kGemmColumns = 1024;

/// The table for one set, or nullptr when this processor or build lacks it.
const Kernels* kernelsFor(Isa isa);
/// The widest set that this processor has.
const Kernels& bestKernels();
const char* isaName(Isa isa);

}  // namespace sunloco::model
