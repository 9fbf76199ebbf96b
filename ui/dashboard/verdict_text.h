// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/verdict.h"
#include "ui/widgets/verdict_mark.h"

#include <QString>

namespace sunloco::ui {

/// The cells of the Why table and the short list on Now: parts of a verdict. Whole sentences come from app/text.
[[nodiscard]] Mark markOf(const rules::Verdict& verdict);
[[nodiscard]] QString groupTitle(rules::RuleGroup group);
/// "40 s", "78 %", "212 GB", "open"; a dash-free "unknown" when there is no value, empty when the rule has none.
[[nodiscard]] QString valueCell(const rules::Verdict& verdict);
[[nodiscard]] QString limitCell(const rules::Verdict& verdict);
[[nodiscard]] QString sinceCell(const rules::Verdict& verdict);
[[nodiscard]] QString nextCell(const rules::Verdict& verdict);
/// Clock time today, day and month before that.
[[nodiscard]] QString momentText(qint64 utc);

}  // namespace sunloco::ui
