// SPDX-License-Identifier: Apache-2.0
// The table of functions that sunloco-worker gets when it loads libsunloco_cuda.so (engine/train/cuda_module.h). Statically linked CUDA runtime, no LibTorch.
#include "engine/cuda/adamw_kernel.h"
#include "engine/train/cuda_module.h"

#include <cstdio>

namespace sunloco::cuda {

namespace {

/// Device memory of one call, given back at its end.
class DeviceArena {
public:
    explicit DeviceArena(std::int64_t count) : m_bytes(static_cast<std::size_t>(count) * sizeof(float)) { m_error = cudaMalloc(&m_memory, m_bytes); }
    ~DeviceArena() { cudaFree(m_memory); }
    DeviceArena(const DeviceArena&) = delete;
    DeviceArena& operator=(const DeviceArena&) = delete;
    void upload(const float* host) { keep(cudaMemcpy(m_memory, host, m_bytes, cudaMemcpyHostToDevice)); }
    void download(float* host) { keep(cudaMemcpy(host, m_memory, m_bytes, cudaMemcpyDeviceToHost)); }
    [[nodiscard]] float* data() const { return static_cast<float*>(m_memory); }
    [[nodiscard]] cudaError_t error() const { return m_error; }

private:
    void keep(cudaError_t error) {
        if (m_error == cudaSuccess) m_error = error;
    }
    std::size_t m_bytes;
    void* m_memory = nullptr;
    cudaError_t m_error = cudaSuccess;
};

int adamw(float* w, const float* g, float* m, float* v, std::int64_t count, const model::AdamwStep* step) {
    int device = 0, processors = 0;
    if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
    if (const cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device); error != cudaSuccess) return error;
    return launchAdamw(w, g, m, v, count, *step, processors, nullptr);
}

int adamwHost(float* w, const float* g, float* m, float* v, std::int64_t count, const model::AdamwStep* step) {
    DeviceArena weights(count), gradients(count), first(count), second(count);
    weights.upload(w);
    gradients.upload(g);
    first.upload(m);
    second.upload(v);
    for (const DeviceArena* arena : {&weights, &gradients, &first, &second})
        if (arena->error() != cudaSuccess) return arena->error();
    if (const int error = adamw(weights.data(), gradients.data(), first.data(), second.data(), count, step); error != cudaSuccess) return error;
    weights.download(w);
    first.download(m);
    second.download(v);
    for (const DeviceArena* arena : {&weights, &first, &second})
        if (arena->error() != cudaSuccess) return arena->error();
    return cudaSuccess;
}

int deviceCount(int* count) { return cudaGetDeviceCount(count); }

int deviceInfo(int device, char* name, int nameSize, std::uint64_t* memoryBytes, int* capability) {
    cudaDeviceProp properties{};
    if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess) return error;
    std::snprintf(name, static_cast<std::size_t>(nameSize), "%s", properties.name);
    *memoryBytes = properties.totalGlobalMem;
    *capability = properties.major * 10 + properties.minor;
    return cudaSuccess;
}

const char* errorText(int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); }

constexpr train::CudaModule kModule{train::CudaModule::kVersion, adamw, adamwHost, deviceCount, deviceInfo, errorText};

}  // namespace

}  // namespace sunloco::cuda

extern "C" __attribute__((visibility("default"))) const sunloco::train::CudaModule* sunlocoCudaModule() { return &sunloco::cuda::kModule; }
