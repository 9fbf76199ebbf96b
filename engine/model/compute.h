// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/aligned_buffer.h"
#include "engine/model/bf16.h"
#include "engine/model/gate.h"
#include "engine/model/gemm.h"
#include "engine/model/kernels.h"

#include <array>
#include <chrono>
#include <vector>

namespace sunloco::model {

/// Where the time of a step goes (`bench --profile`).
enum class Work { Gemm, Attention, Head, Elementwise, Optimizer, Data };
inline constexpr int kWorkKinds = 6;
const char* workName(Work work);

/// Issues the work of a step in bounded segments on LibTorch's threads, asking the gate before each. Once the gate says Abandon, every further call
/// does nothing until restart(), so that the code of a model needs no checks of its own.
///
/// Results do not depend on the number of threads in the kernels here: sums over rows are taken over fixed blocks and added in order.
/// (The library's matrix products may differ in the last bit between thread counts.)
class Compute {
public:
    /// Whose matrix products: LibTorch's, or those of gemm_body.h.
    enum class Products { Library, Own };
    /// Which are the faster ones (tests/bench/README.md).
    static Products bestProducts(Isa isa) { return isa == Isa::Avx2 ? Products::Own : Products::Library; }

    Compute(const Kernels& kernels, Gate& gate) : m_kernels(kernels), m_gate(&gate), m_products(bestProducts(kernels.isa)) {}


    void restart() { m_abandoned = false; }
    /// From here to the end of the scope the work is carried through whatever the gate says (it may still be held up): the optimizer's phase.
    class Committed {
    public:
        explicit Committed(Compute& compute) : m_compute(compute) { m_compute.m_committed = true; }
        ~Committed() { m_compute.m_committed = false; }
        Committed(const Committed&) = delete;
        Committed& operator=(const Committed&) = delete;

    private:
        Compute& m_compute;
    };
    /// Everything but the matrix products does nothing: how long a step would take at the least (bench). The numbers mean nothing then.
    void setOnlyProducts(bool only) { m_onlyProducts = only; }
    void setProducts(Products products) { m_products = products; }
    void setGate(Gate& gate) { m_gate = &gate; }
    [[nodiscard]] bool abandoned() const { return m_abandoned; }
    [[nodiscard]] const Kernels& kernels() const { return m_kernels; }

    /// c[rows, columns] (+)= a b, by setProducts(); own products give the same bits with any number of threads.
    void multiply(Work work, std::int64_t rows, std::int64_t columns, std::int64_t depth, Operand a, Operand b, Accumulate accumulate, float* c,
                  std::int64_t stride);
    void rmsNorm(const float* x, const float* delta, float* sum, const float* w, float* y, float* rstd, std::int64_t rows, std::int64_t width, float epsilon);
    void rmsNormBackward(const float* dy, const float* x, const float* w, const float* rstd, float* dx, Accumulate accumulate, float* dw,
                         std::int64_t rows, std::int64_t width);
    void layerNorm(const float* x, const float* delta, float* sum, const float* w, const float* b, float* y, float* stats, std::int64_t rows,
                   std::int64_t width, float epsilon);
    void layerNormBackward(const float* dy, const float* x, const float* w, const float* stats, float* dx, Accumulate accumulate, float* dw, float* db,
                           std::int64_t rows, std::int64_t width);
    /// cos and sin are tables of [positions, headDim / 2]; row r has position r % positions.
    void rope(float* x, std::int64_t stride, std::int64_t heads, std::int64_t headDim, const float* cosines, const float* sines, float direction,
              std::int64_t rows, std::int64_t positions);
    void swiglu(const float* gateUp, float* out, std::int64_t rows, std::int64_t width);
    void swigluBackward(float* gateUp, const float* dout, std::int64_t rows, std::int64_t width);
    void gelu(const float* x, float* y, std::int64_t count);
    void geluBackward(const float* x, float* d, std::int64_t count);
    void addRows(float* y, std::int64_t stride, const float* bias, std::int64_t rows, std::int64_t width);
    void addColumnSums(const float* x, std::int64_t stride, float* sums, std::int64_t rows, std::int64_t width);
    /// Sum of the losses in nats; see Kernels::crossEntropy.
    double crossEntropy(float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab, float scale);
    double crossEntropyLoss(const float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab);
    /// q, k, v, out of `batch` sequences that follow one another; logSum is [batch, heads, tokens].
    void attention(const AttentionShape& shape, std::int64_t batch, const float* q, const float* k, const float* v, float* out, float* logSum);
    void attentionBackward(const AttentionShape& shape, std::int64_t batch, const float* q, const float* k, const float* v, const float* out,
                           const float* logSum, const float* dout, float* dq, float* dk, float* dv);
    /// x[row] = table[ids[row]] (+ positions[row % period]).
    void embed(const float* table, const std::int32_t* ids, const float* positions, std::int64_t period, float* x, std::int64_t rows, std::int64_t width);
    /// table[ids[row]] += dx[row], and positions[row % period] += dx[row] when there are some. On one thread, in order.
    void embedBackward(const float* dx, const std::int32_t* ids, float* table, float* positions, std::int64_t period, std::int64_t rows, std::int64_t width);
    double sumOfSquares(const float* x, std::int64_t count);
    void adamw(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamwStep& step);
    /// See bf16.h; `firstIndex` of x[0] in the arena.
    void roundToBf16(const float* x, float* out, std::int64_t count);
    void roundStochastically(float* x, std::int64_t count, std::int64_t firstIndex, const RoundingKey& key);
    void zero(float* x, std::int64_t count);

    /// Seconds spent per kind of work since the last call.
    std::array<double, kWorkKinds> takeProfile();
    [[nodiscard]] std::int64_t segments() const { return m_segments; }

private:
    /// `product`: a matrix product, the only kind of work that setOnlyProducts() leaves.
    bool enter(Work work, bool product = false);
    void leave();
    void multiplyPacked(Work work, std::int64_t rows, std::int64_t columns, std::int64_t depth, const Operand& a, const Operand& b, Accumulate accumulate,
                        float* c, std::int64_t stride);
    void multiplyByLibrary(Work work, std::int64_t rows, std::int64_t columns, std::int64_t depth, const Operand& a, const Operand& b,
                           Accumulate accumulate, float* c, std::int64_t stride);
    float* scratch(std::int64_t count);
    template <typename Body>
    void rowsOf(std::int64_t rows, std::int64_t grain, Body body);
    /// Calls body(kvHead, first row of the sequence, scratch of this thread) for every sequence and kv head, in segments of bounded work;
    /// `flopsPerPair` = operations per pair of positions and head dimension.
    template <typename Body>
    void forEachAttentionUnit(const AttentionShape& shape, std::int64_t batch, std::int64_t flopsPerPair, Body body);

    const Kernels& m_kernels;
    Gate* m_gate;
    bool m_abandoned = false;
    bool m_committed = false;
    bool m_onlyProducts = false;
    Products m_products;
    FloatBuffer m_scratch;
    std::array<double, kWorkKinds> m_seconds{};
    Work m_work = Work::Data;
    std::chrono::steady_clock::time_point m_entered;
    std::int64_t m_segments = 0;
};

}  // namespace sunloco::model
