// SPDX-License-Identifier: Apache-2.0
#include "app/energy/nvml_library.h"

#include "app/platform/kernel_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>

namespace sunloco::energy {
namespace {

// From NVML's interface (its header is not needed to build).
constexpr int kSuccess = 0;
constexpr int kNotSupported = 3;
constexpr int kNoPermission = 4;
constexpr int kNotFound = 6;
constexpr int kDriverNotLoaded = 9;
constexpr int kGpuIsLost = 15;
constexpr int kLibraryVersionMismatch = 18;

struct Memory {
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};

using Device = void*;

}  // namespace

struct NvmlLibrary::Functions {
    void* library = nullptr;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*deviceCount)(unsigned*) = nullptr;
    int (*handleByIndex)(unsigned, Device*) = nullptr;
    int (*handleByUuid)(const char*, Device*) = nullptr;
    int (*uuid)(Device, char*, unsigned) = nullptr;
    int (*name)(Device, char*, unsigned) = nullptr;
    int (*memory)(Device, Memory*) = nullptr;
    int (*computeCapability)(Device, int*, int*) = nullptr;
    int (*power)(Device, unsigned*) = nullptr;
    int (*energy)(Device, unsigned long long*) = nullptr;
    int (*driver)(char*, unsigned) = nullptr;

    ~Functions() {
        if (library != nullptr) {
            ::dlclose(library);
        }
    }
    template <typename F>
    void find(F& function, const char* symbol) {
        function = reinterpret_cast<F>(::dlsym(library, symbol));
    }
};

NvmlLibrary::NvmlLibrary(std::string library) : m_library(std::move(library)) {}

NvmlLibrary::~NvmlLibrary() { close(); }

core::Error NvmlLibrary::error(int code, const char* doing) const {
    using core::ErrorCode;
    switch (code) {
    case kNotSupported: return {ErrorCode::Unsupported, std::string("the card cannot ") + doing, m_library};
    case kNoPermission: return {ErrorCode::PermissionDenied, std::string("the driver does not let this user ") + doing, m_library};
    case kNotFound: return {ErrorCode::NotFound, std::string("the driver does not find the card to ") + doing, m_library};
    case kDriverNotLoaded: return {ErrorCode::NotFound, "the NVIDIA driver is not loaded", m_library};
    case kGpuIsLost: return {ErrorCode::DeviceLost, "the card no longer answers; restart the PC", m_library};
    case kLibraryVersionMismatch:
        return {ErrorCode::Unsupported, "the NVIDIA driver was updated while the PC was running; restart the PC", m_library};
    default: return {ErrorCode::Io, std::string("NVML error ") + std::to_string(code) + " in the attempt to " + doing, m_library};
    }
}

core::Result<void> NvmlLibrary::open() {
    if (m_open) {
        return {};
    }
    if (!m_functions) {
        auto functions = std::make_unique<Functions>();
        functions->library = ::dlopen(m_library.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (functions->library == nullptr) {
            return core::Error{core::ErrorCode::NotFound, "there is no NVIDIA driver on this PC", m_library};
        }
        functions->find(functions->init, "nvmlInit_v2");
        functions->find(functions->shutdown, "nvmlShutdown");
        functions->find(functions->deviceCount, "nvmlDeviceGetCount_v2");
        functions->find(functions->handleByIndex, "nvmlDeviceGetHandleByIndex_v2");
        functions->find(functions->handleByUuid, "nvmlDeviceGetHandleByUUID");
        functions->find(functions->uuid, "nvmlDeviceGetUUID");
        functions->find(functions->name, "nvmlDeviceGetName");
        functions->find(functions->memory, "nvmlDeviceGetMemoryInfo");
        functions->find(functions->computeCapability, "nvmlDeviceGetCudaComputeCapability");
        functions->find(functions->power, "nvmlDeviceGetPowerUsage");
        functions->find(functions->energy, "nvmlDeviceGetTotalEnergyConsumption");
        functions->find(functions->driver, "nvmlSystemGetDriverVersion");
        if (functions->init == nullptr || functions->shutdown == nullptr || functions->deviceCount == nullptr || functions->handleByIndex == nullptr ||
            functions->handleByUuid == nullptr || functions->uuid == nullptr) {
            return core::Error{core::ErrorCode::Unsupported, "the NVIDIA driver is too old: its library lacks basic functions", m_library};
        }
        m_functions = std::move(functions);
    }
    if (const int code = m_functions->init(); code != kSuccess) {
        return error(code, "open the library");
    }
    m_open = true;
    return {};
}

void NvmlLibrary::close() {
    if (m_open) {
        m_functions->shutdown();
        m_open = false;
    }
}

core::Result<std::vector<NvmlCard>> NvmlLibrary::cards() {
    if (auto opened = open(); !opened) {
        return std::move(opened).error();
    }
    unsigned count = 0;
    if (const int code = m_functions->deviceCount(&count); code != kSuccess) {
        return error(code, "count the cards");
    }
    std::vector<NvmlCard> found;
    for (unsigned index = 0; index < count; ++index) {
        Device device = nullptr;
        std::array<char, 96> text{};
        if (m_functions->handleByIndex(index, &device) != kSuccess ||
            m_functions->uuid(device, text.data(), static_cast<unsigned>(text.size())) != kSuccess) {
            continue;  // a card that is lost or not ours; the others still count
        }
        NvmlCard card;
        card.uuid = text.data();
        text.fill('\0');
        if (m_functions->name != nullptr && m_functions->name(device, text.data(), static_cast<unsigned>(text.size())) == kSuccess) {
            card.name = text.data();
        }
        Memory memory{};
        if (m_functions->memory != nullptr && m_functions->memory(device, &memory) == kSuccess) {
            card.memoryBytes = static_cast<std::int64_t>(memory.total);
        }
        int major = 0;
        int minor = 0;
        if (m_functions->computeCapability != nullptr && m_functions->computeCapability(device, &major, &minor) == kSuccess) {
            card.computeCapability = major * 10 + minor;
        }
        found.push_back(std::move(card));
    }
    return found;
}

core::Result<std::string> NvmlLibrary::driverVersion() {
    if (auto opened = open(); !opened) {
        return std::move(opened).error();
    }
    std::array<char, 96> text{};
    const int code = m_functions->driver != nullptr ? m_functions->driver(text.data(), static_cast<unsigned>(text.size())) : kNotSupported;
    if (code != kSuccess) {
        return error(code, "tell the driver's version");
    }
    return std::string(text.data());
}

core::Result<void*> NvmlLibrary::handle(const std::string& uuid) {
    if (auto opened = open(); !opened) {
        return std::move(opened).error();
    }
    Device device = nullptr;
    if (const int code = m_functions->handleByUuid(uuid.c_str(), &device); code != kSuccess) {
        return error(code, "find the card");
    }
    return device;
}

core::Result<double> NvmlLibrary::watts(const std::string& uuid) {
    auto device = handle(uuid);
    if (!device) {
        return std::move(device).error();
    }
    unsigned milliwatts = 0;
    const int code = m_functions->power != nullptr ? m_functions->power(*device, &milliwatts) : kNotSupported;
    if (code != kSuccess) {
        return error(code, "tell its power");
    }
    return milliwatts / 1000.0;
}

core::Result<std::uint64_t> NvmlLibrary::milliJoules(const std::string& uuid) {
    auto device = handle(uuid);
    if (!device) {
        return std::move(device).error();
    }
    unsigned long long energy = 0;
    const int code = m_functions->energy != nullptr ? m_functions->energy(*device, &energy) : kNotSupported;
    if (code != kSuccess) {
        return error(code, "tell its energy");
    }
    return std::uint64_t{energy};
}

bool allNvidiaCardsSleep(const std::string& pciFolder) {
    std::error_code failed;
    std::filesystem::directory_iterator entries(pciFolder, failed);
    if (failed) {
        return false;
    }
    bool any = false;
    for (const auto& entry : entries) {
        // Class 0x03….: display controllers; a card's sound device says nothing about the card.
        if (!platform::readKernelFile(entry.path() / "vendor").starts_with("0x10de") || !platform::readKernelFile(entry.path() / "class").starts_with("0x03")) {
            continue;
        }
        any = true;
        if (!platform::readKernelFile(entry.path() / "power" / "runtime_status").starts_with("suspended")) {
            return false;
        }
    }
    return any;
}

}  // namespace sunloco::energy
