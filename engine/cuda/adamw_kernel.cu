// SPDX-License-Identifier: Apache-2.0
// Clip and AdamW over an arena in one pass. The arithmetic is engine/model/adamw_element.h, which the CPU kernels use too.
#include "engine/cuda/adamw_kernel.h"
#include "engine/model/adamw_element.h"

namespace sunloco::cuda {

namespace {

constexpr int kThreads = 256;

__global__ void adamwKernel(float* __restrict__ w, const float* __restrict__ g, float* __restrict__ m, float* __restrict__ v, std::int64_t count,
                            model::AdamwStep step) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        float weight = w[i], first = m[i], second = v[i];
        model::adamwElement(weight, g[i], first, second, step, [](float x) { return sqrtf(x); });
        w[i] = weight;
        m[i] = first;
        v[i] = second;
    }
}

}  // namespace

cudaError_t launchAdamw(float* w, const float* g, float* m, float* v, std::int64_t count, const model::AdamwStep& step, int processors, cudaStream_t stream) {
    if (count <= 0) return cudaSuccess;
    const std::int64_t blocks = (count + kThreads - 1) / kThreads, most = static_cast<std::int64_t>(processors) * 8;
    adamwKernel<<<static_cast<unsigned>(blocks < most ? blocks : most), kThreads, 0, stream>>>(w, g, m, v, count, step);
    return cudaGetLastError();
}

}  // namespace sunloco::cuda
