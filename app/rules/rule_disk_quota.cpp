// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// Keeps SunLoCo's own folder within what the user gave it.
Verdict ruleDiskQuota(const RuleContext& context) {
    const auto quota = static_cast<double>(context.settings.number(keys::kDiskQuotaGib)) * kGib;
    if (quota <= 0) {
        return off("not_used");
    }
    const Reading<std::int64_t>& used = context.snapshot.usedDiskBytes;
    if (!used.isKnown()) {
        return unknown(used, UnknownMeans::Stop, {std::nullopt, quota, Unit::Bytes});
    }
    const Numbers numbers{static_cast<double>(*used.value), quota, Unit::Bytes};
    return *numbers.value > quota ? deny("quota_used_up", numbers) : allow("within_quota", numbers);
}

}  // namespace sunloco::rules
