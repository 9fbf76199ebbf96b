// SPDX-License-Identifier: Apache-2.0
#include "engine/model/gemm.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm_cpu_dispatch.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm_cpu_dispatch.h>

namespace sunloco::model {

namespace {

at::Tensor view(float* data, std::int64_t rows, std::int64_t columns, std::int64_t stride, Layout layout) {
    const std::int64_t sizes[] = {rows, columns};
    const std::int64_t plain[] = {stride, 1};
    const std::int64_t transposed[] = {1, stride};
    return at::from_blob(data, sizes, layout == Layout::Plain ? at::IntArrayRef(plain) : at::IntArrayRef(transposed), at::TensorOptions(at::kFloat));
}

at::Tensor view(const Operand& x, std::int64_t rows, std::int64_t columns) {
    return view(const_cast<float*>(x.data), rows, columns, x.stride, x.layout);  // only read: from_blob has no const form
}

}  // namespace

void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, Operand a, Operand b, Accumulate accumulate, float* c, std::int64_t stride) {
    at::Tensor result = view(c, rows, columns, stride, Layout::Plain);
    const at::Tensor left = view(a, rows, depth), right = view(b, depth, columns);
    // The backend's functions directly: no dispatcher, no autograd.
    if (accumulate == Accumulate::Yes) at::cpu::addmm_out(result, result, left, right, 1, 1);
    else at::cpu::mm_out(result, left, right);
}

}  // namespace sunloco::model
