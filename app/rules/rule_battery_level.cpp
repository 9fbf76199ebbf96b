// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {
namespace {

/// Once stopped, the level must rise this much above the limit before it starts again.
constexpr double kRecoverPercent = 3;
/// This far below the limit the minimum running time no longer holds.
constexpr double kFirmPercent = 5;

}  // namespace

/// How far training may drain the battery, where the user allows the battery at all.
Verdict ruleBatteryLevel(const RuleContext& context) {
    if (!context.settings.isOn(keys::kRunOnBattery)) {
        return off("not_used");
    }
    const SensorSnapshot& now = context.snapshot;
    const auto minimum = static_cast<double>(context.settings.number(keys::kBatteryMinPercent));
    if (!now.onBattery.isKnown()) {
        return unknown(now.onBattery, UnknownMeans::Stop, {std::nullopt, minimum, Unit::Percent});
    }
    if (!*now.onBattery.value) {
        return allow("mains", {now.batteryPercent.value, minimum, Unit::Percent});
    }
    if (!now.batteryPercent.isKnown()) {
        return unknown(now.batteryPercent, UnknownMeans::Stop, {std::nullopt, minimum, Unit::Percent});
    }
    const double limit = minimum + (stoppedBefore(context) ? kRecoverPercent : 0);
    const Numbers numbers{now.batteryPercent.value, limit, Unit::Percent};
    if (*now.batteryPercent.value >= limit) {
        return allow("battery_ok", numbers);
    }
    Verdict verdict = deny("battery_low", numbers);
    verdict.mayWait = *now.batteryPercent.value > minimum - kFirmPercent;
    return verdict;
}

}  // namespace sunloco::rules
