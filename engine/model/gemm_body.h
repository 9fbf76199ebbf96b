// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Matrix products for one instruction set; included by kernels_body.h after attention_body.h, whose register-blocked product it drives.
/// The usual scheme (Goto and van de Geijn, doi 10.1145/1356052.1356053): the right operand is packed once into panels as wide as a register block,
/// rows of the left one run over all panels of a block. Each element of the result is the sum over the depth in rising order, whatever the blocks of
/// rows and columns are: the bits depend neither on the number of threads nor on how the work was cut.
#include "engine/model/attention_body.h"

namespace sunloco::model::SUNLOCO_ISA {
namespace {

constexpr std::int64_t kGemmChunkBlocks = 16;   ///< register blocks of a chunk of rows

/// Lane i of the two results of one exchange step: blocks of `width` lanes are swapped between two registers.
template <std::int64_t Width>
inline void exchange(Vec& a, Vec& b) {
    IntVec low, high;
    for (std::int64_t i = 0; i < kLanes; ++i) {
        const bool odd = i / Width % 2 == 1;
        low[i] = static_cast<std::int32_t>(odd ? kLanes + i - Width : i);
        high[i] = static_cast<std::int32_t>(odd ? kLanes + i : i + Width);
    }
    const Vec first = __builtin_shuffle(a, b, low), second = __builtin_shuffle(a, b, high);
    a = first;
    b = second;
}
template <std::int64_t Width>
inline void exchangeAll(Vec* rows) {
    if constexpr (Width < kLanes) {
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < kLanes; ++i)
            if (i / Width % 2 == 0) exchange<Width>(rows[i], rows[i + Width]);
        exchangeAll<2 * Width>(rows);
    }
}

/// Packs kLanes columns, each contiguous in depth, by turning squares of registers.
inline void packTurned(std::int64_t depth, const float* b, std::int64_t columnStep, float* panel) {
    std::int64_t k = 0;
    for (; k + kLanes <= depth; k += kLanes) {
        Vec square[kLanes];
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < kLanes; ++i) square[i] = load(b + i * columnStep + k);
        exchangeAll<1>(square);
#pragma GCC unroll 16
        for (std::int64_t i = 0; i < kLanes; ++i) store(panel + (k + i) * kPanel, square[i]);
    }
    for (; k < depth; ++k)
        for (std::int64_t i = 0; i < kLanes; ++i) panel[k * kPanel + i] = b[i * columnStep + k];
}

/// Packs `columns` columns (at most a panel) of b(k, j) = b[k * depthStep + j * columnStep]; what is missing to a whole panel is zero.
inline void packPanel(std::int64_t depth, std::int64_t columns, const float* b, std::int64_t depthStep, std::int64_t columnStep, float* panel) {
    if (columns == kPanel && columnStep == 1) {
        for (std::int64_t k = 0; k < depth; ++k) {
            store(panel + k * kPanel, load(b + k * depthStep));
            store(panel + k * kPanel + kLanes, load(b + k * depthStep + kLanes));
        }
        return;
    }
    if (columns == kPanel && depthStep == 1) {
        packTurned(depth, b, columnStep, panel);
        packTurned(depth, b + kLanes * columnStep, columnStep, panel + kLanes);
        return;
    }
    for (std::int64_t k = 0; k < depth; ++k) {
        std::int64_t j = 0;
        for (; j < columns; ++j) panel[k * kPanel + j] = b[k * depthStep + j * columnStep];
        for (; j < kPanel; ++j) panel[k * kPanel + j] = 0;
    }
}

void gemmPack(std::int64_t depth, std::int64_t columns, const float* b, std::int64_t depthStep, std::int64_t columnStep, std::int64_t firstPanel,
              std::int64_t lastPanel, float* packed) {
    for (std::int64_t p = firstPanel; p < lastPanel; ++p) {
        const std::int64_t j = p * kPanel, n = columns - j < kPanel ? columns - j : kPanel;
        packPanel(depth, n, b + j * columnStep, depthStep, columnStep, packed + p * kPanel * depth);
    }
}

/// Puts the rows of a left operand whose neighbours in depth lie far apart side by side, register block by register block.
inline void turnRows(std::int64_t rows, std::int64_t depth, const float* a, std::int64_t depthStep, float* out) {
    const std::int64_t whole = rows / kRows * kRows;
    for (std::int64_t k = 0; k < depth; ++k) {
        const float* from = a + k * depthStep;
        float* to = out + k * kRows;
        for (std::int64_t i = 0; i < whole; i += kRows) __builtin_memcpy(to + i * depth, from + i, kRows * sizeof(float));
        for (std::int64_t i = whole; i < rows; ++i) to[whole * depth + i - whole] = from[i];
    }
}

/// Products that are summed up before they join the element: it keeps fp32 sums over a great depth as exact as short ones.
constexpr std::int64_t kGemmSum = 128;

/// One register block: whole panels directly, columns that do not fill a panel by way of a tile that does.
inline void gemmBlock(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float* a, std::int64_t rowStep, std::int64_t depthStep,
                      const float* panel, float* c, std::int64_t stride, bool accumulate) {
    if (columns >= kPanel) {
        for (std::int64_t k = 0; k < depth; k += kGemmSum)
            product(rows, 1, depth - k < kGemmSum ? depth - k : kGemmSum, a + k * depthStep, rowStep, depthStep, panel + k * kPanel, 0, c, stride, accumulate || k > 0);
        return;
    }
    float tile[kRows * kPanel];
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < kPanel; ++j) tile[r * kPanel + j] = accumulate && j < columns ? c[r * stride + j] : 0.0f;
    for (std::int64_t k = 0; k < depth; k += kGemmSum)
        product(rows, 1, depth - k < kGemmSum ? depth - k : kGemmSum, a + k * depthStep, rowStep, depthStep, panel + k * kPanel, 0, tile, kPanel, true);
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < columns; ++j) c[r * stride + j] = tile[r * kPanel + j];
}

void gemmRows(std::int64_t rows, std::int64_t columns, std::int64_t depth, const float* a, std::int64_t rowStep, std::int64_t depthStep, const float* packed,
              float* c, std::int64_t stride, bool accumulate, float* scratch) {
    // A panel stays in the first cache while the rows of a chunk pass, the chunk in the second while the panels do.
    constexpr std::int64_t chunk = kGemmChunkBlocks * kRows;
    for (std::int64_t first = 0; first < rows; first += chunk) {
        const std::int64_t count = rows - first < chunk ? rows - first : chunk;
        const float* left = a + first * rowStep;
        const bool turned = depthStep != 1;
        if (turned) turnRows(count, depth, left, depthStep, scratch);
        for (std::int64_t j = 0; j < columns; j += kPanel)
            for (std::int64_t i = 0; i < count; i += kRows)
                gemmBlock(count - i < kRows ? count - i : kRows, columns - j, depth, turned ? scratch + i * depth : left + i * rowStep, turned ? 1 : rowStep,
                          turned ? kRows : 1, packed + j * depth, c + (first + i) * stride + j, stride, accumulate);
    }
}

std::int64_t gemmScratch() { return kGemmChunkBlocks * kRows * kGemmDepth; }

}  // namespace
}  // namespace sunloco::model::SUNLOCO_ISA
