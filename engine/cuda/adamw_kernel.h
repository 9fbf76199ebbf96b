// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/kernels.h"

#include <cuda_runtime_api.h>

namespace sunloco::cuda {

/// Clip and AdamW over device memory on a stream; `processors` is the number of multiprocessors of the device.
cudaError_t launchAdamw(float* w, const float* g, float* m, float* v, std::int64_t count, const model::AdamwStep& step, int processors, cudaStream_t stream);

}  // namespace sunloco::cuda
