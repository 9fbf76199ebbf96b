// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

/// Numbers with units as people read them, in the person's number format; a thin no-break space stands before the unit.
namespace sunloco::text {

[[nodiscard]] QString formatBytes(qint64 bytes);          ///< "38 MB", "1.4 GB" (powers of ten)
[[nodiscard]] QString formatPower(double watts);          ///< "236 W", "1.6 kW"
[[nodiscard]] QString formatEnergy(double wattHours);     ///< "0.66 kWh", "4.9 Wh"
[[nodiscard]] QString formatDuration(qint64 ms);          ///< "40 s", "16 min", "1 h 16 min", "3 days"
[[nodiscard]] QString formatPercent(double percent);      ///< "64 %"
/// Clock time today, weekday and time within a week, else day and month. `utc` in milliseconds.
[[nodiscard]] QString formatMoment(qint64 utc);

}  // namespace sunloco::text
