// SPDX-License-Identifier: Apache-2.0
#include "engine/train/devices.h"

#include "engine/model/kernels.h"
#include "engine/train/courtesy.h"
#include "engine/train/cuda_module.h"

namespace sunloco::train {

std::vector<core::DeviceInfo> listDevices() { return {{"cpu", processorName(), physicalMemoryBytes()}}; }

core::Result<void> checkDevice(std::string_view device) {
    if (device == "cpu") return {};
    if (device.starts_with("cuda:")) {
        const CudaStatus status = probeCuda();
        return core::Error{core::ErrorCode::Unsupported,
                           status.usable ? "the GPU answers (" + status.text + "), but this version trains on the processor only; use the device cpu"
                                         : "the GPU cannot be used: " + status.text,
                           std::string(device)};
    }
    return core::Error{core::ErrorCode::InvalidArgument, "there is no such device; known are cpu and cuda:N", std::string(device)};
}

std::string buildText() {
    return "sunloco-worker " SUNLOCO_VERSION ", LibTorch " SUNLOCO_LIBTORCH_VERSION ", " + std::string(model::isaName(model::bestKernels().isa));
}

}  // namespace sunloco::train
