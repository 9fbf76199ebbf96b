// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/verdict.h"
#include "ui/widgets/verdict_mark.h"

#include <QString>

namespace sunloco::ui {

/// How a verdict is shown: its mark, and the name of its group. Its words come from app/text.
[[nodiscard]] Mark markOf(const rules::Verdict& verdict);
[[nodiscard]] QString groupTitle(rules::RuleGroup group);

}  // namespace sunloco::ui
