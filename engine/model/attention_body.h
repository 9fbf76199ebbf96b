// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Causal attention for one instruction set; included by kernels_body.h. Row blocks of the score matrix stay in the cache, products are done by a
/// small register-blocked kernel on packed panels, and the way back recomputes the probabilities from the kept log-sum (flash attention's idea,
/// arXiv 2205.14135, with whole rows instead of tiles, since a row of scores fits a CPU's cache).
#include "engine/model/kernels.h"
#include "engine/model/vec.h"

namespace sunloco::model::SUNLOCO_ISA {
namespace {

constexpr std::int64_t kPanel = 2 * kLanes;  ///< columns of a packed panel
constexpr std::int64_t kRows = SUNLOCO_ROWS;   ///< rows of a register block
constexpr std::int64_t kBlock = 48;            ///< query rows worked on together

inline std::int64_t roundUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

/// c[rows, kPanel] (+)= a * panel over k; a(i, k) is a[i * rowStep + k * depthStep].
template <std::int64_t Rows>
inline void registerBlock(std::int64_t depth, const float* a, std::int64_t rowStep, std::int64_t depthStep, const float* panel, float* c,
                          std::int64_t stride, bool accumulate) {
    Vec left[Rows] = {}, right[Rows] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
        const Vec p0 = load(panel + k * kPanel), p1 = load(panel + k * kPanel + kLanes);
        const float* column = a + k * depthStep;
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < Rows; ++i) {
            const float x = column[i * rowStep];
            left[i] += x * p0;
            right[i] += x * p1;
        }
    }
    for (std::int64_t i = 0; i < Rows; ++i) {
        store(c + i * stride, accumulate ? load(c + i * stride) + left[i] : left[i]);
        store(c + i * stride + kLanes, accumulate ? load(c + i * stride + kLanes) + right[i] : right[i]);
    }
}

template <std::int64_t Rows>
inline void restOfRows(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t rowStep, std::int64_t depthStep, const float* panel,
                       float* c, std::int64_t stride, bool accumulate) {
    if constexpr (Rows > 0) {
        if (rows == Rows) registerBlock<Rows>(depth, a, rowStep, depthStep, panel, c, stride, accumulate);
        else restOfRows<Rows - 1>(rows, depth, a, rowStep, depthStep, panel, c, stride, accumulate);
    }
}

/// c[rows, panels * kPanel] (+)= a * packed.
inline void product(std::int64_t rows, std::int64_t panels, std::int64_t depth, const float* a, std::int64_t rowStep, std::int64_t depthStep,
                    const float* packed, std::int64_t panelStep, float* c, std::int64_t stride, bool accumulate) {
    for (std::int64_t p = 0; p < panels; ++p) {
        std::int64_t i = 0;
        for (; i + kRows <= rows; i += kRows)
            registerBlock<kRows>(depth, a + i * rowStep, rowStep, depthStep, packed + p * panelStep, c + i * stride + p * kPanel, stride, accumulate);
        restOfRows<kRows - 1>(rows - i, depth, a + i * rowStep, rowStep, depthStep, packed + p * panelStep, c + i * stride + p * kPanel, stride,
                              accumulate);
    }
}

/// Packs rows [depth, columns] into panels of [depthPadded, kPanel], zeros outside.
inline void packRows(const float* source, std::int64_t stride, std::int64_t depth, std::int64_t depthPadded, std::int64_t columns, float* packed) {
    for (std::int64_t first = 0; first < columns; first += kPanel) {
        const std::int64_t width = columns - first < kPanel ? columns - first : kPanel;
        for (std::int64_t k = 0; k < depthPadded; ++k, packed += kPanel) {
            const float* row = source + k * stride + first;
            const bool inside = k < depth;
            if (inside && width == kPanel) {
                store(packed, load(row));
                store(packed + kLanes, load(row + kLanes));
            } else {
                for (std::int64_t j = 0; j < kPanel; ++j) packed[j] = inside && j < width ? row[j] : 0.0f;
            }
        }
    }
}

/// Packs the transpose: element (k, column) is source[column * stride + k]; panels of [depth, kPanel].
inline void packColumns(const float* source, std::int64_t stride, std::int64_t depth, std::int64_t columns, float* packed) {
    for (std::int64_t first = 0; first < columns; first += kPanel, packed += depth * kPanel) {
        for (std::int64_t j = 0; j < kPanel; ++j) {
            const float* column = source + (first + j) * stride;
            if (first + j < columns)
                for (std::int64_t k = 0; k < depth; ++k) packed[k * kPanel + j] = column[k];
            else
                for (std::int64_t k = 0; k < depth; ++k) packed[k * kPanel + j] = 0.0f;
        }
    }
}

/// Sizes of the pieces of scratch memory, in floats.
struct Plan {
    std::int64_t tokens, dim, scores;  ///< padded T, padded head size, row stride of the score block
    explicit Plan(const AttentionShape& s)
        : tokens(roundUp(s.tokens, kPanel)), dim(roundUp(s.headDim, kPanel)), scores(tokens + kLanes) {}
    [[nodiscard]] std::int64_t packed() const { return tokens * dim; }
    [[nodiscard]] std::int64_t block() const { return kBlock * scores; }
    [[nodiscard]] std::int64_t rows() const { return kBlock * dim; }
    [[nodiscard]] std::int64_t total() const { return 5 * packed() + 2 * block() + 3 * rows(); }
};

std::int64_t attentionScratch(const AttentionShape& shape) { return Plan(shape).total(); }

void attention(const AttentionShape& shape, std::int64_t kvHead, const float* q, const float* k, const float* v, float* out, float* logSum,
               float* scratch) {
    const Plan plan(shape);
    const std::int64_t T = shape.tokens, dim = shape.headDim, group = shape.heads / shape.kvHeads;
    const float scale = 1.0f / squareRoot(static_cast<float>(dim));
    float* keys = scratch;                  // K^T: [dim, T] panels
    float* values = keys + plan.packed();   // V: [T padded, dim] panels
    float* scores = values + plan.packed();
    float* mixed = scores + plan.block();
    packColumns(k + kvHead * dim, shape.stride, dim, T, keys);
    packRows(v + kvHead * dim, shape.stride, T, plan.tokens, dim, values);
    for (std::int64_t head = kvHead * group; head < (kvHead + 1) * group; ++head) {
        for (std::int64_t first = 0; first < T; first += kBlock) {
            const std::int64_t rows = T - first < kBlock ? T - first : kBlock;
            const std::int64_t seen = roundUp(first + rows, kPanel);  // columns that some row of the block may look at
            product(rows, seen / kPanel, dim, q + first * shape.stride + head * dim, shape.stride, 1, keys, dim * kPanel, scores, plan.scores, false);
            float inverse[kBlock];
            for (std::int64_t i = 0; i < rows; ++i) {
                float* row = scores + i * plan.scores;
                for (std::int64_t j = first + i + 1; j < seen; ++j) row[j] = -3.4e38f;
                Vec top = load(row);
                for (std::int64_t j = kLanes; j < seen; j += kLanes) top = maximum(top, load(row + j));
                const float highest = maxLane(top) * scale;
                Vec sums{};
                for (std::int64_t j = 0; j < seen; j += kLanes) {
                    const Vec e = exponential(load(row + j) * scale - highest);
                    store(row + j, e);
                    sums += e;
                }
                for (std::int64_t j = first + i + 1; j < seen; ++j) row[j] = 0;
                const float sum = sumLanes(sums);
                inverse[i] = 1.0f / sum;
                logSum[head * T + first + i] = highest + __builtin_logf(sum);
            }
            product(rows, plan.dim / kPanel, seen, scores, plan.scores, 1, values, plan.tokens * kPanel, mixed, plan.dim, false);
            for (std::int64_t i = 0; i < rows; ++i)
                sweep(dim, [&](auto part, std::int64_t j) {
                    part.put(out + (first + i) * shape.outStride + head * dim + j, part.get(mixed + i * plan.dim + j) * inverse[i]);
                });
        }
    }
}

// S = scale Q K^T, P = softmax(S), O = P V:  dV = P^T dO,  dP = dO V^T,  dS = P (dP - rowsum(dO O)) scale,  dQ = dS K,  dK = dS^T Q.
void attentionBackward(const AttentionShape& shape, std::int64_t kvHead, const float* q, const float* k, const float* v, const float* out,
                       const float* logSum, const float* dout, float* dq, float* dk, float* dv, float* scratch) {
    const Plan plan(shape);
    const std::int64_t T = shape.tokens, dim = shape.headDim, group = shape.heads / shape.kvHeads;
    const float scale = 1.0f / squareRoot(static_cast<float>(dim));
    float* keysDown = scratch;                        // K^T: [dim, T] panels
    float* keysUp = keysDown + plan.packed();         // K: [T padded, dim] panels
    float* valuesDown = keysUp + plan.packed();       // V^T: [dim, T] panels
    float* keyGrad = valuesDown + plan.packed();      // [T padded, dim padded]
    float* valueGrad = keyGrad + plan.packed();
    float* probabilities = valueGrad + plan.packed();
    float* slopes = probabilities + plan.block();
    float* queryGrad = slopes + plan.block();
    float* packedQ = queryGrad + plan.rows();
    float* packedOut = packedQ + plan.rows();
    packColumns(k + kvHead * dim, shape.stride, dim, T, keysDown);
    packRows(k + kvHead * dim, shape.stride, T, plan.tokens, dim, keysUp);
    packColumns(v + kvHead * dim, shape.stride, dim, T, valuesDown);
    for (std::int64_t j = 0; j < 2 * plan.packed(); j += kLanes) store(keyGrad + j, Vec{});
    for (std::int64_t head = kvHead * group; head < (kvHead + 1) * group; ++head) {
        for (std::int64_t first = 0; first < T; first += kBlock) {
            const std::int64_t rows = T - first < kBlock ? T - first : kBlock;
            const std::int64_t seen = roundUp(first + rows, kPanel);
            const float* qRows = q + first * shape.stride + head * dim;
            const float* doutRows = dout + first * shape.outStride + head * dim;
            product(rows, seen / kPanel, dim, qRows, shape.stride, 1, keysDown, dim * kPanel, probabilities, plan.scores, false);
            product(rows, seen / kPanel, dim, doutRows, shape.outStride, 1, valuesDown, dim * kPanel, slopes, plan.scores, false);
            for (std::int64_t i = 0; i < rows; ++i) {
                const float* o = out + (first + i) * shape.outStride + head * dim;
                const float* g = doutRows + i * shape.outStride;
                Vec dots{};
                sweep(dim, [&](auto part, std::int64_t j) { dots += part.get(o + j) * part.get(g + j); });
                const float dot = sumLanes(dots), kept = logSum[head * T + first + i];
                float* p = probabilities + i * plan.scores;
                float* s = slopes + i * plan.scores;
                for (std::int64_t j = 0; j < seen; j += kLanes) {
                    const Vec e = exponential(load(p + j) * scale - kept);
                    store(p + j, e);
                    store(s + j, e * scale * (load(s + j) - dot));
                }
                for (std::int64_t j = first + i + 1; j < seen; ++j) p[j] = s[j] = 0;
            }
            product(rows, plan.dim / kPanel, seen, slopes, plan.scores, 1, keysUp, plan.tokens * kPanel, queryGrad, plan.dim, false);
            for (std::int64_t i = 0; i < rows; ++i)
                sweep(dim, [&](auto part, std::int64_t j) {
                    part.put(dq + (first + i) * shape.stride + head * dim + j, part.get(queryGrad + i * plan.dim + j));
                });
            packRows(qRows, shape.stride, rows, rows, dim, packedQ);
            packRows(doutRows, shape.outStride, rows, rows, dim, packedOut);
            product(seen, plan.dim / kPanel, rows, slopes, 1, plan.scores, packedQ, rows * kPanel, keyGrad, plan.dim, true);
            product(seen, plan.dim / kPanel, rows, probabilities, 1, plan.scores, packedOut, rows * kPanel, valueGrad, plan.dim, true);
        }
    }
    for (std::int64_t t = 0; t < T; ++t)
        sweep(dim, [&](auto part, std::int64_t j) {
            part.put(dk + t * shape.stride + kvHead * dim + j, part.get(keyGrad + t * plan.dim + j));
            part.put(dv + t * shape.stride + kvHead * dim + j, part.get(valueGrad + t * plan.dim + j));
        });
}

void attentionStep(const float* q, const float* keys, const float* values, std::int64_t stride, std::int64_t count, std::int64_t headDim, float* out,
                   float* scores) {
    const float scale = 1.0f / squareRoot(static_cast<float>(headDim));
    float highest = -3.4e38f;
    for (std::int64_t t = 0; t < count; ++t) {
        Vec dots{};
        sweep(headDim, [&](auto part, std::int64_t j) { dots += part.get(q + j) * part.get(keys + t * stride + j); });
        scores[t] = sumLanes(dots) * scale;
        highest = scores[t] > highest ? scores[t] : highest;
    }
    Vec sums{};
    sweep(count, [&](auto part, std::int64_t t) {
        const Vec e = exponential(part.get(scores + t, -3.4e38f) - highest);
        part.put(scores + t, e);
        sums += e;
    });
    const float inverse = 1.0f / sumLanes(sums);
    sweep(headDim, [&](auto part, std::int64_t j) {
        Vec mixed{};
        for (std::int64_t t = 0; t < count; ++t) mixed += scores[t] * part.get(values + t * stride + j);
        part.put(out + j, mixed * inverse);
    });
}

}  // namespace
}  // namespace sunloco::model::SUNLOCO_ISA
