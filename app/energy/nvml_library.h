// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sunloco::energy {

/// What NVML says about a card.
struct NvmlCard {
    std::string uuid;              ///< "GPU-…"
    std::string name;
    std::int64_t memoryBytes = 0;
    int computeCapability = 0;     ///< 89 = 8.9; 0 = not told
};

/// NVIDIA's management library, loaded at run time, never linked: without a driver everything answers an error that says why.
/// An open session keeps a notebook's card awake, so it is opened by need and closed with close().
class NvmlLibrary {
public:
    /// `library`: the file name given to the loader; tests give a path.
    explicit NvmlLibrary(std::string library = "libnvidia-ml.so.1");
    ~NvmlLibrary();
    NvmlLibrary(const NvmlLibrary&) = delete;
    NvmlLibrary& operator=(const NvmlLibrary&) = delete;

    /// Loads and initialises by need. Errors: NotFound (no driver), PermissionDenied, DeviceLost, Unsupported (the driver was updated: restart the PC).
    core::Result<void> open();
    /// Ends the session; the card may sleep.
    void close();
    [[nodiscard]] bool isOpen() const { return m_open; }

    core::Result<std::vector<NvmlCard>> cards();
    core::Result<std::string> driverVersion();
    /// Board power in watts (a mean over one second on cards of the Ampere generation and newer). Unsupported where the card has no meter.
    core::Result<double> watts(const std::string& uuid);
    /// The card's energy counter in mJ since the driver was loaded; Unsupported before the Volta generation.
    core::Result<std::uint64_t> milliJoules(const std::string& uuid);

private:
    struct Functions;
    core::Result<void*> handle(const std::string& uuid);
    [[nodiscard]] core::Error error(int code, const char* doing) const;

    std::string m_library;
    std::unique_ptr<Functions> m_functions;
    bool m_open = false;
};

/// Does every NVIDIA card of this PC sleep (PCI runtime power state "suspended")? Then nobody should open NVML just to look.
bool allNvidiaCardsSleep(const std::string& pciFolder = "/sys/bus/pci/devices");

}  // namespace sunloco::energy
