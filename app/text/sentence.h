// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"
#include "app/text/format.h"

#include <QString>

/// The one place where sentences for people are made: tray, window, command line and log take them from here.
namespace sunloco::text {

/// What, why (number and limit), and the next event. `reason` and `next` may be empty.
struct Sentence {
    QString title;
    QString reason;
    QString next;
};

[[nodiscard]] Sentence describe(const agent::Snapshot& now);

/// Title and reason in at most 127 characters, for the tray's tooltip; the second reason goes first, then the forecast, never the number.
[[nodiscard]] QString tooltip(const agent::Snapshot& now);

/// "Keyboard and mouse".
[[nodiscard]] QString ruleName(rules::RuleId rule);
/// "Allows: away 1 h 16 min".
[[nodiscard]] QString verdictText(const rules::Verdict& verdict);
/// "Allows", "Stops", "Limits", "Unknown", "Off".
[[nodiscard]] QString verdictWord(const rules::Verdict& verdict);
/// The value alone, in words where it is no number: "40 s ago", "mains", "open", "unknown: no answer". Empty where the word says it all.
[[nodiscard]] QString verdictValue(const rules::Verdict& verdict);
/// The limit it is compared with, empty without one.
[[nodiscard]] QString verdictLimit(const rules::Verdict& verdict);
/// "13:30", "11:57 at the earliest", "about 16:40"; empty when nothing is foreseen.
[[nodiscard]] QString verdictNext(const rules::Verdict& verdict);

}  // namespace sunloco::text
