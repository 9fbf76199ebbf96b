// SPDX-License-Identifier: Apache-2.0
#include "engine/train/cuda_module.h"

#include <dlfcn.h>

#include <filesystem>

namespace sunloco::train {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDriver = "libcuda.so.1";
constexpr const char* kModule = "libsunloco_cuda.so";
constexpr int kNeededDriver = 13000;  ///< cuDriverGetVersion of CUDA 13.0
constexpr int kOldestCapability = 75;

/// No value, or why the driver cannot be used.
std::string driverProblem() {
    void* driver = dlopen(kDriver, RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) return "no NVIDIA driver was found (libcuda.so.1); install the driver of your distribution and restart";
    using Init = int (*)(unsigned);
    using Version = int (*)(int*);
    const auto init = reinterpret_cast<Init>(dlsym(driver, "cuInit"));
    const auto version = reinterpret_cast<Version>(dlsym(driver, "cuDriverGetVersion"));
    if (init == nullptr || version == nullptr) return "the NVIDIA driver is damaged (libcuda.so.1 lacks its functions); install it again";
    if (const int error = init(0); error != 0)
        return "the NVIDIA driver does not start (error " + std::to_string(error) + "): no card, or the kernel module is missing or of another version; restart after an update";
    int number = 0;
    if (version(&number) != 0 || number < kNeededDriver)
        return "the NVIDIA driver is too old (CUDA " + std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10) + "); CUDA 13.0 needs driver 580 or newer";
    return {};
}

CudaStatus probe() {
    CudaStatus status;
    status.text = driverProblem();
    if (!status.text.empty()) return status;
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    void* library = nullptr;
    for (const fs::path& path : {folder / kModule, folder / "../lib" / kModule, folder / "../lib/sunloco" / kModule})
        if (library == nullptr && fs::exists(path, ignored)) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        status.text = "the driver is there, but this build has no CUDA module (" + std::string(kModule) + "); build with a CUDA toolkit installed";
        return status;
    }
    const auto entry = reinterpret_cast<const CudaModule* (*)()>(dlsym(library, kCudaEntry));
    const CudaModule* module = entry != nullptr ? entry() : nullptr;
    if (module == nullptr || module->version != CudaModule::kVersion) {
        status.text = std::string(kModule) + " belongs to another version of this program; install both from one package";
        return status;
    }
    int count = 0;
    if (const int error = module->deviceCount(&count); error != 0 || count == 0) {
        status.text = error != 0 ? std::string("the driver answers: ") + module->errorText(error) : std::string("there is no CUDA device");
        return status;
    }
    char name[256] = {};
    std::uint64_t memory = 0;
    int capability = 0;
    if (const int error = module->deviceInfo(0, name, sizeof name, &memory, &capability); error != 0) {
        status.text = std::string("the device does not answer: ") + module->errorText(error);
        return status;
    }
    status.text = std::string(name) + ", " + std::to_string(memory >> 20) + " MiB, compute capability " + std::to_string(capability / 10) + "." +
                  std::to_string(capability % 10);
    if (capability < kOldestCapability) {
        status.text += "; CUDA 13 needs 7.5 or newer";
        return status;
    }
    status.usable = true;
    status.module = module;
    return status;
}

}  // namespace

const CudaStatus& probeCuda() {
    static const CudaStatus status = probe();
    return status;
}

}  // namespace sunloco::train
