// SPDX-License-Identifier: Apache-2.0
// NVML with two cards that draw what the environment says. FAKE_NVML_INIT: the code that nvmlInit_v2 answers; FAKE_NVML_ENERGY_MJ: card 0's counter;
// FAKE_NVML_POWER_MW: card 0's and 1's power; FAKE_NVML_OPEN_FILE: a file that says how often the library is open.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kOk = 0;
constexpr int kInvalid = 2;
constexpr int kNotSupported = 3;
constexpr int kNotFound = 6;

int opened = 0;
int cards[2] = {0, 1};

long long fromEnvironment(const char* name, long long otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::atoll(text) : otherwise;
}

void noteOpened() {
    if (const char* path = std::getenv("FAKE_NVML_OPEN_FILE")) {
        if (std::FILE* file = std::fopen(path, "w")) {
            std::fprintf(file, "%d", opened);
            std::fclose(file);
        }
    }
}

int copy(char* to, unsigned size, const char* text) {
    std::snprintf(to, size, "%s", text);
    return kOk;
}

int indexOf(void* device) { return *static_cast<int*>(device); }

}  // namespace

extern "C" {
int nvmlInit_v2();
int nvmlShutdown();
int nvmlDeviceGetCount_v2(unsigned* count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device);
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device);
int nvmlDeviceGetUUID(void* device, char* text, unsigned size);
int nvmlDeviceGetName(void* device, char* text, unsigned size);
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* totalFreeUsed);
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor);
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts);
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules);
int nvmlSystemGetDriverVersion(char* text, unsigned size);
}

int nvmlInit_v2() {
    const int code = static_cast<int>(fromEnvironment("FAKE_NVML_INIT", 0));
    if (code == kOk) {
        ++opened;
        noteOpened();
    }
    return code;
}
int nvmlShutdown() {
    --opened;
    noteOpened();
    return kOk;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = 2;
    return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    if (index > 1) {
        return kInvalid;
    }
    *device = &cards[index];
    return kOk;
}
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    for (int& card : cards) {
        if (std::strcmp(uuid, card == 0 ? "GPU-zero" : "GPU-one") == 0) {
            *device = &card;
            return kOk;
        }
    }
    return kNotFound;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) { return copy(text, size, indexOf(device) == 0 ? "GPU-zero" : "GPU-one"); }
int nvmlDeviceGetName(void* device, char* text, unsigned size) { return copy(text, size, indexOf(device) == 0 ? "Fake RTX 4090" : "Fake GTX 1060"); }
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* totalFreeUsed) {
    totalFreeUsed[0] = (indexOf(device) == 0 ? 24ULL : 6ULL) << 30;
    totalFreeUsed[1] = totalFreeUsed[0];
    totalFreeUsed[2] = 0;
    return kOk;
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
    *major = indexOf(device) == 0 ? 8 : 6;
    *minor = indexOf(device) == 0 ? 9 : 1;
    return kOk;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
    const long long power = fromEnvironment("FAKE_NVML_POWER_MW", -1);
    *milliwatts = static_cast<unsigned>(power);
    return power < 0 ? kNotSupported : kOk;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
    const long long energy = fromEnvironment("FAKE_NVML_ENERGY_MJ", -1);
    *millijoules = static_cast<unsigned long long>(energy);
    return energy < 0 || indexOf(device) != 0 ? kNotSupported : kOk;  // the older card has no counter
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) { return copy(text, size, "580.65.06"); }
