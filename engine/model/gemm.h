// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace sunloco::model {

enum class Layout {
    Plain,       ///< element (i, j) at i * stride + j
    Transposed,  ///< element (i, j) at j * stride + i
};

/// A matrix in memory as an operand of a product.
struct Operand {
    const float* data = nullptr;
    std::int64_t stride = 0;
    Layout layout = Layout::Plain;
};

enum class Accumulate { No, Yes };

/// c[rows, columns] (+)= a[rows, depth] * b[depth, columns]; c row-major with `stride`. One call of the library's at::mm or at::addmm on views.
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, Operand a, Operand b, Accumulate accumulate, float* c, std::int64_t stride);

}  // namespace sunloco::model
