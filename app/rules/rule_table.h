// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/rules_engine.h"

#include <span>

namespace sunloco::rules {

/// What a rule may stop.
enum class Governs { Run, Upload };
/// What the mode "always" and "run now" do to a rule that stops.
enum class OverrideBy { Stands, Yields };

struct RuleEntry {
    RuleId id;
    std::string_view code;
    RuleGroup group;
    Governs governs;
    OverrideBy overridden;
    Verdict (*evaluate)(const RuleContext&);
};

/// rule_list.h as a table, in order of precedence; index = static_cast<int>(RuleId).
std::span<const RuleEntry> ruleTable();

// Each rule_<code>.cpp defines one of these. It fills kind, numbers, detail and what it knows about since and next change;
// the engine fills `rule`, and `since` where the rule left it 0.
#define SUNLOCO_RULE(Name, code, group, governs, override) Verdict rule##Name(const RuleContext& context);
#include "app/rules/rule_list.h"
#undef SUNLOCO_RULE

}  // namespace sunloco::rules
