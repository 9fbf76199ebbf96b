// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/kernels.h"

#include <cstdint>
#include <string>

namespace sunloco::train {

/// What the CUDA module (engine/cuda, libsunloco_cuda.so) gives to the program that loads it. Plain C types: the module is built by another compiler
/// pass and loaded at run time, only after the driver was found.
struct CudaModule {
    static constexpr std::int32_t kVersion = 1;
    std::int32_t version;
    /// Clip and AdamW over a device arena, on the default stream; 0 or a cudaError_t.
    int (*adamw)(float* w, const float* g, float* m, float* v, std::int64_t count, const model::AdamwStep* step);
    /// The same over host memory (copied there and back), for selftest.
    int (*adamwHost)(float* w, const float* g, float* m, float* v, std::int64_t count, const model::AdamwStep* step);
    int (*deviceCount)(int* count);
    /// Name, memory and compute capability (major * 10 + minor) of a device.
    int (*deviceInfo)(int device, char* name, int nameSize, std::uint64_t* memoryBytes, int* capability);
    const char* (*errorText)(int error);
};
/// Name of the module's only exported function: `const CudaModule* sunlocoCudaModule()`.
inline constexpr const char* kCudaEntry = "sunlocoCudaModule";

struct CudaStatus {
    bool usable = false;
    std::string text;  ///< what was found, or why it cannot be used and what to do
    const CudaModule* module = nullptr;
};

/// Looks for the driver, then for the module beside this program (or in ../lib/sunloco), then for a device. Loads each at most once.
const CudaStatus& probeCuda();

}  // namespace sunloco::train
