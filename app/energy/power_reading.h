// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace sunloco::energy {

/// Where a number of watts comes from.
enum class PowerSource {
    Nvml,      ///< the card's own meter (whole board)
    Rapl,      ///< the processor package's energy counter, our part by processor time
    Battery,   ///< the battery's discharge (whole PC), our part by processor time
    Estimate,  ///< processor time times the processor's rated power
};

/// Own draw of SunLoCo's workers, at the component (not at the wall).
struct PowerReading {
    double watts = 0;
    PowerSource source = PowerSource::Estimate;
    bool isEstimate = true;  ///< no meter stands behind this number, or one that measures far more than us
};

/// Share of the wall's power that a PC's supply hands on, for "at the wall" figures; typical of a supply at part load.
inline constexpr double kSupplyEfficiency = 0.88;

/// "nvml", "rapl", "battery", "estimate"
std::string_view powerSourceName(PowerSource source);

}  // namespace sunloco::energy
