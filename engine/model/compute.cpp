// SPDX-License-Identifier: Apache-2.0
#include "engine/model/compute.h"

#include "engine/model/parallel.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace sunloco::model {

namespace {

/// Floating point operations of one segment and thread: 10 to 30 ms on the cores that people have.
constexpr std::int64_t kSegmentFlops = 800'000'000;
/// Elements of one segment of the optimizer's passes.
constexpr std::int64_t kSegmentElements = std::int64_t{1} << 22;
/// Rows that one partial sum covers, whatever the number of threads.
constexpr std::int64_t kSumRows = 64;
constexpr std::int64_t kLossRows = 8;
constexpr std::int64_t kSquareBlock = 1 << 16;
/// Rows of a product that one thread takes at a time: a multiple of every register block (4, 6 and 12 rows).
constexpr std::int64_t kRowUnit = 48;
constexpr std::int64_t kFewRows = 4;

std::int64_t blocksOf(std::int64_t count, std::int64_t block) { return (count + block - 1) / block; }

}  // namespace

const char* workName(Work work) {
    switch (work) {
    case Work::Gemm: return "gemm";
    case Work::Attention: return "attention";
    case Work::Head: return "head_and_loss";
    case Work::Elementwise: return "norms_and_elementwise";
    case Work::Optimizer: return "optimizer";
    case Work::Data: return "data";
    }
    return "data";
}

bool Compute::enter(Work work, bool product) {
    if (m_abandoned || (m_onlyProducts && !product)) return false;
    if (m_gate->pass() == Pass::Abandon && !m_committed) {
        m_abandoned = true;
        return false;
    }
    ++m_segments;
    m_work = work;
    m_entered = std::chrono::steady_clock::now();
    return true;
}

void Compute::leave() {
    m_seconds[static_cast<std::size_t>(m_work)] += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_entered).count();
}

std::array<double, kWorkKinds> Compute::takeProfile() {
    std::array<double, kWorkKinds> taken{};
    std::swap(taken, m_seconds);
    return taken;
}

float* Compute::scratch(std::int64_t count) {
    if (m_scratch.size() < count) {
        m_scratch = FloatBuffer();
        auto grown = FloatBuffer::allocate(count);
        if (!grown) throw std::bad_alloc();  // caught where jobs and commands end
        m_scratch = std::move(*grown);
    }
    return m_scratch.data();
}

template <typename Body>
void Compute::rowsOf(std::int64_t rows, std::int64_t grain, Body body) {
    parallelFor(rows, grain, [&body](std::int64_t begin, std::int64_t end, int) { body(begin, end - begin); });
    leave();
}

void Compute::multiply(Work work, std::int64_t rows, std::int64_t columns, std::int64_t depth, Operand a, Operand b, Accumulate accumulate, float* c,
                       std::int64_t stride) {
    // With a handful of rows packing costs more than it saves.
    if (m_products == Products::Own && rows >= kFewRows) multiplyPacked(work, rows, columns, depth, a, b, accumulate, c, stride);
    else multiplyByLibrary(work, rows, columns, depth, a, b, accumulate, c, stride);
}

void Compute::multiplyPacked(Work work, std::int64_t rows, std::int64_t columns, std::int64_t depth, const Operand& a, const Operand& b,
                             Accumulate accumulate, float* c, std::int64_t stride) {
    const std::int64_t threads = threadCount(), panel = m_kernels.gemmPanel, each = m_kernels.gemmScratch();
    const std::int64_t aRow = a.layout == Layout::Plain ? a.stride : 1, aDepth = a.layout == Layout::Plain ? 1 : a.stride;
    const std::int64_t bDepth = b.layout == Layout::Plain ? b.stride : 1, bColumn = b.layout == Layout::Plain ? 1 : b.stride;
    const std::int64_t widest = blocksOf(std::min(columns, kGemmColumns), panel) * panel, deepest = std::min(depth, kGemmDepth);
    float* packed = scratch(widest * deepest + threads * each);
    float* space = packed + widest * deepest;
    // A segment is some rows against one packed block; the depth rises from block to block for each element, however many rows a segment has.
    const std::int64_t fitting = kSegmentFlops * threads / (2 * widest * deepest);
    const std::int64_t segmentRows = std::max<std::int64_t>(blocksOf(fitting, kRowUnit), threads) * kRowUnit;
    for (std::int64_t j = 0; j < columns; j += kGemmColumns) {
        const std::int64_t width = std::min(kGemmColumns, columns - j);
        for (std::int64_t k = 0; k < depth; k += kGemmDepth) {
            const std::int64_t deep = std::min(kGemmDepth, depth - k);
            const bool add = k > 0 || accumulate == Accumulate::Yes;
            for (std::int64_t i = 0; i < rows; i += segmentRows) {
                if (!enter(work, true)) return;
                if (i == 0)
                    parallelFor(blocksOf(width, panel), 4, [&](std::int64_t begin, std::int64_t end, int) {
                        m_kernels.gemmPack(deep, width, b.data + k * bDepth + j * bColumn, bDepth, bColumn, begin, end, packed);
                    });
                const std::int64_t here = std::min(segmentRows, rows - i);
                parallelFor(blocksOf(here, kRowUnit), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
                    const std::int64_t first = i + begin * kRowUnit, count = std::min(end * kRowUnit, here) - begin * kRowUnit;
                    m_kernels.gemmRows(count, width, deep, a.data + first * aRow + k * aDepth, aRow, aDepth, packed, c + first * stride + j, stride, add,
                                       space + thread * each);
                });
                leave();
            }
        }
    }
}

void Compute::multiplyByLibrary(Work work, std::int64_t rows, std::int64_t columns, std::int64_t depth, const Operand& a, const Operand& b,
                                Accumulate accumulate, float* c, std::int64_t stride) {
    const std::int64_t budget = kSegmentFlops * threadCount();
    std::int64_t pieceRows = rows, pieceColumns = columns, pieceDepth = depth;
    // Halve the longest side until a piece fits: long thin pieces would lose the library's speed.
    while (2 * pieceRows * pieceColumns * pieceDepth > budget && std::max({pieceRows, pieceColumns, pieceDepth}) > 128) {
        std::int64_t& longest = pieceColumns >= pieceRows && pieceColumns >= pieceDepth ? pieceColumns : pieceRows >= pieceDepth ? pieceRows : pieceDepth;
        longest = blocksOf(longest, 2 * 64) * 64;
    }
    for (std::int64_t k = 0; k < depth; k += pieceDepth)
        for (std::int64_t i = 0; i < rows; i += pieceRows)
            for (std::int64_t j = 0; j < columns; j += pieceColumns) {
                if (!enter(work, true)) return;
                Operand left = a, right = b;
                left.data += a.layout == Layout::Plain ? i * a.stride + k : k * a.stride + i;
                right.data += b.layout == Layout::Plain ? k * b.stride + j : j * b.stride + k;
                model::multiply(std::min(pieceRows, rows - i), std::min(pieceColumns, columns - j), std::min(pieceDepth, depth - k), left, right,
                                k > 0 ? Accumulate::Yes : accumulate, c + i * stride + j, stride);
                leave();
            }
}

void Compute::rmsNorm(const float* x, const float* delta, float* sum, const float* w, float* y, float* rstd, std::int64_t rows, std::int64_t width,
                      float epsilon) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(rows, 64, [&](std::int64_t r, std::int64_t n) {
        m_kernels.rmsNorm(x + r * width, delta == nullptr ? nullptr : delta + r * width, sum + r * width, w, y + r * width, rstd + r, n, width, epsilon);
    });
}

void Compute::rmsNormBackward(const float* dy, const float* x, const float* w, const float* rstd, float* dx, Accumulate accumulate, float* dw,
                              std::int64_t rows, std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    const std::int64_t blocks = blocksOf(rows, kSumRows);
    float* partial = scratch(blocks * width);
    parallelFor(blocks, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t r = block * kSumRows, at = r * width;
            float* sums = partial + block * width;
            std::fill(sums, sums + width, 0.0f);
            m_kernels.rmsNormBackward(dy + at, x + at, w, rstd + r, dx + at, accumulate == Accumulate::Yes, sums, std::min(kSumRows, rows - r), width);
        }
    });
    for (std::int64_t block = 0; block < blocks; ++block) m_kernels.add(dw, partial + block * width, width);
    leave();
}

void Compute::layerNorm(const float* x, const float* delta, float* sum, const float* w, const float* b, float* y, float* stats, std::int64_t rows,
                        std::int64_t width, float epsilon) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(rows, 64, [&](std::int64_t r, std::int64_t n) {
        m_kernels.layerNorm(x + r * width, delta == nullptr ? nullptr : delta + r * width, sum + r * width, w, b, y + r * width, stats + 2 * r, n, width,
                            epsilon);
    });
}

void Compute::layerNormBackward(const float* dy, const float* x, const float* w, const float* stats, float* dx, Accumulate accumulate, float* dw,
                                float* db, std::int64_t rows, std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    const std::int64_t blocks = blocksOf(rows, kSumRows);
    float* partial = scratch(2 * blocks * width);
    parallelFor(blocks, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t r = block * kSumRows, at = r * width;
            float* sums = partial + 2 * block * width;
            std::fill(sums, sums + 2 * width, 0.0f);
            m_kernels.layerNormBackward(dy + at, x + at, w, stats + 2 * r, dx + at, accumulate == Accumulate::Yes, sums, sums + width,
                                        std::min(kSumRows, rows - r), width);
        }
    });
    for (std::int64_t block = 0; block < blocks; ++block) {
        m_kernels.add(dw, partial + 2 * block * width, width);
        m_kernels.add(db, partial + (2 * block + 1) * width, width);
    }
    leave();
}

void Compute::rope(float* x, std::int64_t stride, std::int64_t heads, std::int64_t headDim, const float* cosines, const float* sines, float direction,
                   std::int64_t rows, std::int64_t positions) {
    if (!enter(Work::Elementwise)) return;
    const std::int64_t half = headDim / 2;
    rowsOf(rows, 64, [&](std::int64_t begin, std::int64_t n) {
        for (std::int64_t r = begin; r < begin + n;) {
            const std::int64_t position = r % positions, run = std::min(begin + n - r, positions - position);
            m_kernels.rope(x + r * stride, stride, heads, headDim, cosines + position * half, sines + position * half, direction, run);
            r += run;
        }
    });
}

void Compute::swiglu(const float* gateUp, float* out, std::int64_t rows, std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(rows, 16, [&](std::int64_t r, std::int64_t n) { m_kernels.swiglu(gateUp + r * 2 * width, out + r * width, n, width); });
}

void Compute::swigluBackward(float* gateUp, const float* dout, std::int64_t rows, std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(rows, 16, [&](std::int64_t r, std::int64_t n) { m_kernels.swigluBackward(gateUp + r * 2 * width, dout + r * width, n, width); });
}

void Compute::gelu(const float* x, float* y, std::int64_t count) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(blocksOf(count, 1024), 8, [&](std::int64_t b, std::int64_t n) {
        m_kernels.gelu(x + b * 1024, y + b * 1024, std::min(n * 1024, count - b * 1024));
    });
}

void Compute::geluBackward(const float* x, float* d, std::int64_t count) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(blocksOf(count, 1024), 8, [&](std::int64_t b, std::int64_t n) {
        m_kernels.geluBackward(x + b * 1024, d + b * 1024, std::min(n * 1024, count - b * 1024));
    });
}

void Compute::addRows(float* y, std::int64_t stride, const float* bias, std::int64_t rows, std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(rows, 64, [&](std::int64_t r, std::int64_t n) { m_kernels.addRows(y + r * stride, stride, bias, n, width); });
}

void Compute::addColumnSums(const float* x, std::int64_t stride, float* sums, std::int64_t rows, std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    const std::int64_t blocks = blocksOf(rows, kSumRows);
    float* partial = scratch(blocks * width);
    parallelFor(blocks, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            float* part = partial + block * width;
            std::fill(part, part + width, 0.0f);
            m_kernels.addColumnSums(x + block * kSumRows * stride, stride, part, std::min(kSumRows, rows - block * kSumRows), width);
        }
    });
    for (std::int64_t block = 0; block < blocks; ++block) m_kernels.add(sums, partial + block * width, width);
    leave();
}

double Compute::crossEntropy(float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab, float scale) {
    if (!enter(Work::Head)) return 0;
    std::vector<double> losses(static_cast<std::size_t>(blocksOf(rows, kLossRows)));
    parallelFor(static_cast<std::int64_t>(losses.size()), 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t r = block * kLossRows;
            losses[static_cast<std::size_t>(block)] = m_kernels.crossEntropy(logits + r * vocab, targets + r, std::min(kLossRows, rows - r), vocab, scale);
        }
    });
    double total = 0;
    for (const double loss : losses) total += loss;
    leave();
    return total;
}

double Compute::crossEntropyLoss(const float* logits, const std::int32_t* targets, std::int64_t rows, std::int64_t vocab) {
    if (!enter(Work::Head)) return 0;
    std::vector<double> losses(static_cast<std::size_t>(blocksOf(rows, kLossRows)));
    parallelFor(static_cast<std::int64_t>(losses.size()), 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t r = block * kLossRows;
            losses[static_cast<std::size_t>(block)] = m_kernels.crossEntropyLoss(logits + r * vocab, targets + r, std::min(kLossRows, rows - r), vocab);
        }
    });
    double total = 0;
    for (const double loss : losses) total += loss;
    leave();
    return total;
}

template <typename Body>
void Compute::forEachAttentionUnit(const AttentionShape& shape, std::int64_t batch, std::int64_t flopsPerPair, Body body) {
    const std::int64_t units = batch * shape.kvHeads, each = m_kernels.attentionScratch(shape);
    const std::int64_t flops = shape.heads / shape.kvHeads * shape.tokens * shape.tokens * shape.headDim * flopsPerPair;
    const std::int64_t piece = std::max<std::int64_t>(threadCount(), kSegmentFlops * threadCount() / 2 / std::max<std::int64_t>(flops, 1));
    for (std::int64_t first = 0; first < units; first += piece) {
        if (!enter(Work::Attention)) return;
        float* space = scratch(each * threadCount());
        parallelFor(std::min(piece, units - first), 1, [&](std::int64_t begin, std::int64_t end, int thread) {
            for (std::int64_t unit = first + begin; unit < first + end; ++unit) {
                body(unit % shape.kvHeads, unit / shape.kvHeads * shape.tokens, space + thread * each);
            }
        });
        leave();
    }
}

void Compute::attention(const AttentionShape& shape, std::int64_t batch, const float* q, const float* k, const float* v, float* out, float* logSum) {
    forEachAttentionUnit(shape, batch, 2, [&](std::int64_t head, std::int64_t row, float* space) {
        const std::int64_t at = row * shape.stride;
        m_kernels.attention(shape, head, q + at, k + at, v + at, out + row * shape.outStride, logSum + row * shape.heads, space);
    });
}

void Compute::attentionBackward(const AttentionShape& shape, std::int64_t batch, const float* q, const float* k, const float* v, const float* out,
                                const float* logSum, const float* dout, float* dq, float* dk, float* dv) {
    forEachAttentionUnit(shape, batch, 5, [&](std::int64_t head, std::int64_t row, float* space) {
        const std::int64_t at = row * shape.stride;
        m_kernels.attentionBackward(shape, head, q + at, k + at, v + at, out + row * shape.outStride, logSum + row * shape.heads,
                                    dout + row * shape.outStride, dq + at, dk + at, dv + at, space);
    });
}

void Compute::embed(const float* table, const std::int32_t* ids, const float* positions, std::int64_t period, float* x, std::int64_t rows,
                    std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    rowsOf(rows, 64, [&](std::int64_t begin, std::int64_t n) {
        for (std::int64_t r = begin; r < begin + n; ++r) {
            std::memcpy(x + r * width, table + ids[r] * width, static_cast<std::size_t>(width) * sizeof(float));
            if (positions != nullptr) m_kernels.add(x + r * width, positions + r % period * width, width);
        }
    });
}

void Compute::embedBackward(const float* dx, const std::int32_t* ids, float* table, float* positions, std::int64_t period, std::int64_t rows,
                            std::int64_t width) {
    if (!enter(Work::Elementwise)) return;
    for (std::int64_t r = 0; r < rows; ++r) {
        m_kernels.add(table + ids[r] * width, dx + r * width, width);
        if (positions != nullptr) m_kernels.add(positions + r % period * width, dx + r * width, width);
    }
    leave();
}

double Compute::sumOfSquares(const float* x, std::int64_t count) {
    double total = 0;
    for (std::int64_t first = 0; first < count; first += kSegmentElements) {
        if (!enter(Work::Optimizer)) return 0;
        const std::int64_t here = std::min(kSegmentElements, count - first);
        std::vector<double> parts(static_cast<std::size_t>(blocksOf(here, kSquareBlock)));
        parallelFor(static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t b = begin; b < end; ++b)
                parts[static_cast<std::size_t>(b)] =
                    m_kernels.sumOfSquares(x + first + b * kSquareBlock, std::min<std::int64_t>(kSquareBlock, here - b * kSquareBlock));
        });
        for (const double part : parts) total += part;
        leave();
    }
    return total;
}

void Compute::adamw(float* w, const float* g, float* m, float* v, std::int64_t count, const AdamwStep& step) {
    for (std::int64_t first = 0; first < count; first += kSegmentElements) {
        if (!enter(Work::Optimizer)) return;
        const std::int64_t here = std::min(kSegmentElements, count - first);
        rowsOf(blocksOf(here, 4096), 4, [&](std::int64_t b, std::int64_t n) {
            const std::int64_t at = first + b * 4096;
            m_kernels.adamw(w + at, g + at, m + at, v + at, std::min(n * 4096, first + here - at), step);
        });
    }
}

void Compute::roundToBf16(const float* x, float* out, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += kSegmentElements) {
        if (!enter(Work::Optimizer)) return;
        rowsOf(std::min(kSegmentElements, count - first), 4096, [&](std::int64_t at, std::int64_t n) { model::roundToBf16(x + first + at, out + first + at, n); });
    }
}

void Compute::roundStochastically(float* x, std::int64_t count, std::int64_t firstIndex, const RoundingKey& key) {
    for (std::int64_t first = 0; first < count; first += kSegmentElements) {
        if (!enter(Work::Optimizer)) return;
        rowsOf(std::min(kSegmentElements, count - first), 4096,
               [&](std::int64_t at, std::int64_t n) { model::roundStochastically(x + first + at, n, firstIndex + first + at, key); });
    }
}

void Compute::zero(float* x, std::int64_t count) {
    if (count == 0 || !enter(Work::Elementwise)) return;
    std::memset(x, 0, static_cast<std::size_t>(count) * sizeof(float));
    leave();
}

}  // namespace sunloco::model
