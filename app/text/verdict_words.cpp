// SPDX-License-Identifier: Apache-2.0
#include "app/text/sentence.h"

#include <QCoreApplication>
#include <QLocale>

namespace sunloco::text {
namespace {

struct Verdict {
    Q_DECLARE_TR_FUNCTIONS(Verdict)
};

QString number(double value, rules::Unit unit)
{
    switch (unit) {
    case rules::Unit::Milliseconds: return formatDuration(static_cast<qint64>(value));
    case rules::Unit::Percent: return formatPercent(value);
    case rules::Unit::Bytes: return formatBytes(static_cast<qint64>(value));
    case rules::Unit::Watts: return formatPower(value);
    case rules::Unit::Celsius: return QLocale().toString(qRound(value)) % QChar(0x202f) % u"°C";
    case rules::Unit::Count:
    case rules::Unit::None: return QLocale().toString(qRound64(value));
    }
    return {};
}

QString unknownWhy(const std::string& detail)
{
    if (detail == "starting")
        return Verdict::tr("asked, no answer yet");
    if (detail == "no_source")
        return Verdict::tr("nothing here can tell");
    if (detail == "not_permitted")
        return Verdict::tr("not permitted to ask");
    if (detail == "stale")
        return Verdict::tr("the last value is too old");
    return Verdict::tr("no answer");
}

/// Words for the codes of app/rules/README.md whose number, if any, needs or takes none.
QString codeWords(const std::string& detail)
{
    static const struct { const char* code; const char* words; } table[] = {
        {"not_paused", QT_TRANSLATE_NOOP("Verdict", "not paused")},
        {"until", QT_TRANSLATE_NOOP("Verdict", "paused for a time")},
        {"until_resumed", QT_TRANSLATE_NOOP("Verdict", "until you resume")},
        {"run_now", QT_TRANSLATE_NOOP("Verdict", "you asked for it")},
        {"always", QT_TRANSLATE_NOOP("Verdict", "always")},
        {"rules", QT_TRANSLATE_NOOP("Verdict", "by the rules")},
        {"never", QT_TRANSLATE_NOOP("Verdict", "never")},
        {"all_devices_off", QT_TRANSLATE_NOOP("Verdict", "all devices are off")},
        {"ups_on_battery", QT_TRANSLATE_NOOP("Verdict", "UPS on battery")},
        {"mains", QT_TRANSLATE_NOOP("Verdict", "mains")},
        {"on_battery", QT_TRANSLATE_NOOP("Verdict", "on battery")},
        {"sleep_announced", QT_TRANSLATE_NOOP("Verdict", "about to sleep")},
        {"awake", QT_TRANSLATE_NOOP("Verdict", "awake")},
        {"locked", QT_TRANSLATE_NOOP("Verdict", "locked")},
        {"unlocked", QT_TRANSLATE_NOOP("Verdict", "unlocked")},
        {"metered", QT_TRANSLATE_NOOP("Verdict", "metered")},
        {"unmetered", QT_TRANSLATE_NOOP("Verdict", "not metered")},
        {"open", QT_TRANSLATE_NOOP("Verdict", "open")},
        {"closed", QT_TRANSLATE_NOOP("Verdict", "closed")},
        {"no_hour_chosen", QT_TRANSLATE_NOOP("Verdict", "no hour chosen")},
        {"no_rest_needed", QT_TRANSLATE_NOOP("Verdict", "no rest needed")},
        {"work", QT_TRANSLATE_NOOP("Verdict", "there is work")},
        {"no_work", QT_TRANSLATE_NOOP("Verdict", "no work")},
        {"held_by_minimum_time", QT_TRANSLATE_NOOP("Verdict", "waits for the minimum time")},
        {"idle_unknown", QT_TRANSLATE_NOOP("Verdict", "input unknown")},
    };
    for (const auto& row : table)
        if (detail == row.code)
            return Verdict::tr(row.words);
    return {};
}

}  // namespace

QString ruleName(rules::RuleId rule)
{
    switch (rule) {
    case rules::RuleId::UserPause: return Verdict::tr("Paused by you");
    case rules::RuleId::Mode: return Verdict::tr("Mode");
    case rules::RuleId::PowerSafety: return Verdict::tr("Power supply");
    case rules::RuleId::Sleep: return Verdict::tr("Sleep");
    case rules::RuleId::StartGrace: return Verdict::tr("Time since login");
    case rules::RuleId::SessionLock: return Verdict::tr("Screen lock");
    case rules::RuleId::UserIdle: return Verdict::tr("Keyboard and mouse");
    case rules::RuleId::MeteredNetwork: return Verdict::tr("Connection");
    case rules::RuleId::DiskFloor: return Verdict::tr("Free disk");
    case rules::RuleId::DiskQuota: return Verdict::tr("Disk used by SunLoCo");
    case rules::RuleId::Battery: return Verdict::tr("Mains or battery");
    case rules::RuleId::BatteryLevel: return Verdict::tr("Battery level");
    case rules::RuleId::Schedule: return Verdict::tr("Schedule");
    case rules::RuleId::MinimumTimes: return Verdict::tr("Minimum times");
    case rules::RuleId::Throttle: return Verdict::tr("Share of the device");
    case rules::RuleId::HasWork: return Verdict::tr("Work from the project");
    }
    return {};
}

QString verdictWord(const rules::Verdict& verdict)
{
    switch (verdict.kind) {
    case rules::VerdictKind::Allow: return Verdict::tr("Allows");
    case rules::VerdictKind::Deny: return verdict.overridden ? Verdict::tr("Would stop") : Verdict::tr("Stops");
    case rules::VerdictKind::Limit: return Verdict::tr("Limits");
    case rules::VerdictKind::Unknown: return Verdict::tr("Unknown");
    case rules::VerdictKind::Off: return Verdict::tr("Off");
    }
    return {};
}

QString verdictValue(const rules::Verdict& verdict)
{
    if (verdict.kind == rules::VerdictKind::Off)
        return {};
    if (verdict.kind == rules::VerdictKind::Unknown)
        return unknownWhy(verdict.detail);
    const QString value = verdict.value ? number(*verdict.value, verdict.unit) : QString();
    if (verdict.kind == rules::VerdictKind::Limit)
        return Verdict::tr("at %1").arg(value);
    if (verdict.rule == rules::RuleId::UserIdle && !value.isEmpty())
        return verdict.detail == "in_use" ? Verdict::tr("%1 ago", "how long ago").arg(value) : Verdict::tr("away %1").arg(value);
    // "mains" says more than the charge of a battery that is not in use.
    const QString words = codeWords(verdict.detail);
    return words.isEmpty() ? value : words;
}

QString verdictLimit(const rules::Verdict& verdict)
{
    return verdict.limit ? number(*verdict.limit, verdict.unit) : QString();
}

QString verdictNext(const rules::Verdict& verdict)
{
    if (!verdict.nextChange)
        return {};
    const QString moment = formatMoment(*verdict.nextChange);
    switch (verdict.nextKind) {
    case rules::NextKind::Fact: return moment;
    case rules::NextKind::Earliest: return Verdict::tr("%1 at the earliest").arg(moment);
    case rules::NextKind::Forecast: return Verdict::tr("about %1").arg(moment);
    case rules::NextKind::None: break;
    }
    return {};
}

QString verdictText(const rules::Verdict& verdict)
{
    const QString value = verdictValue(verdict);
    const QString word = verdictWord(verdict);
    if (value.isEmpty())
        return word;
    const QString limit = verdict.kind == rules::VerdictKind::Deny ? verdictLimit(verdict) : QString();
    return limit.isEmpty() ? Verdict::tr("%1: %2", "verdict: value").arg(word, value) : Verdict::tr("%1: %2, limit %3", "verdict: value, limit").arg(word, value, limit);
}

}  // namespace sunloco::text
