// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/verdict_text.h"

#include <QCoreApplication>

namespace sunloco::ui {
namespace {
struct Why {
    Q_DECLARE_TR_FUNCTIONS(Why)
};
}  // namespace

Mark markOf(const rules::Verdict& verdict)
{
    switch (verdict.kind) {
    case rules::VerdictKind::Allow: return Mark::Allows;
    case rules::VerdictKind::Deny: return verdict.stops ? Mark::Stops : Mark::Off;
    case rules::VerdictKind::Limit: return Mark::Limits;
    case rules::VerdictKind::Unknown: return Mark::Unknown;
    case rules::VerdictKind::Off: return Mark::Off;
    }
    return Mark::Unknown;
}

QString groupTitle(rules::RuleGroup group)
{
    switch (group) {
    case rules::RuleGroup::Pause: return Why::tr("Your pause");
    case rules::RuleGroup::Safety: return Why::tr("Safety");
    case rules::RuleGroup::SleepLock: return Why::tr("Sleep and lock");
    case rules::RuleGroup::InUse: return Why::tr("In use");
    case rules::RuleGroup::NetworkDisk: return Why::tr("Network and disk");
    case rules::RuleGroup::Energy: return Why::tr("Energy");
    case rules::RuleGroup::Work: return Why::tr("Project has work");
    }
    return {};
}

}  // namespace sunloco::ui
