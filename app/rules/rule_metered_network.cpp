// SPDX-License-Identifier: Apache-2.0
#include "app/rules/rule_support.h"
#include "app/rules/rule_table.h"

namespace sunloco::rules {

/// Uploads wait on a network where data costs money. Training goes on.
Verdict ruleMeteredNetwork(const RuleContext& context) {
    const std::string choice = context.settings.choice(keys::kMeteredUploads);
    if (choice == "upload") {
        return off("not_used");
    }
    const Reading<bool>& metered = context.snapshot.meteredNetwork;
    if (!metered.isKnown()) {
        // Many PCs have nobody who could tell; the default uploads there and says that it is not known, "wait_unknown" does not.
        return unknown(metered, choice == "wait_unknown" ? UnknownMeans::Stop : UnknownMeans::Go);
    }
    return *metered.value ? deny("metered") : allow("unmetered");
}

}  // namespace sunloco::rules
