// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {
namespace {

/// Below this a notebook may switch off within minutes; nothing the user set allows training then.
constexpr double kCriticalPercent = 10;
/// Once stopped, the battery must hold a little more before it counts as safe again.
constexpr double kRecoverPercent = 2;

}  // namespace

/// Stops at once on the battery of an uninterruptible supply and on a nearly empty battery.
Verdict rulePowerSafety(const RuleContext& context) {
    const SensorSnapshot& now = context.snapshot;
    if (now.upsOnBattery.value == true) {
        return deny("ups_on_battery");
    }
    if (now.onBattery.value == true && now.batteryPercent.isKnown()) {
        const double limit = kCriticalPercent + (stoppedBefore(context) ? kRecoverPercent : 0);
        const Numbers numbers{now.batteryPercent.value, limit, Unit::Percent};
        return *now.batteryPercent.value < limit ? deny("battery_critical", numbers) : allow("battery_ok", numbers);
    }
    if (!now.onBattery.isKnown()) {
        // The battery rule below stops on this; a user who chose "always" has decided for a PC whose supply nobody can read.
        return unknown(now.onBattery, UnknownMeans::Go);
    }
    return allow("mains");
}

}  // namespace sunloco::rules
