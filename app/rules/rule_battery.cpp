// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// Runs on mains only, unless the user allows the battery. A dock too weak to charge counts as battery (app/platform sees to it).
Verdict ruleBattery(const RuleContext& context) {
    if (context.settings.isOn(keys::kRunOnBattery)) {
        return off("not_used");
    }
    const Reading<bool>& onBattery = context.snapshot.onBattery;
    if (!onBattery.isKnown()) {
        return unknown(onBattery, UnknownMeans::Stop);
    }
    const Numbers numbers{context.snapshot.batteryPercent.value, std::nullopt, Unit::Percent};
    return *onBattery.value ? deny("on_battery", numbers) : allow("mains", numbers);
}

}  // namespace sunloco::rules
