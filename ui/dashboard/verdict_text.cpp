// SPDX-License-Identifier: Apache-2.0
#include "ui/dashboard/verdict_text.h"

#include "app/text/sentence.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

namespace sunloco::ui {
namespace {

struct Why {
    Q_DECLARE_TR_FUNCTIONS(Why)
};

QString number(double value, rules::Unit unit)
{
    const QLocale locale;
    const QChar space(0x202f);
    switch (unit) {
    case rules::Unit::Milliseconds: return text::formatDuration(static_cast<qint64>(value));
    case rules::Unit::Percent: return locale.toString(qRound(value)) % space % u'%';
    case rules::Unit::Bytes: return text::formatBytes(static_cast<qint64>(value));
    case rules::Unit::Watts: return text::formatPower(value);
    case rules::Unit::Celsius: return locale.toString(qRound(value)) % space % u"°C";
    case rules::Unit::Count:
    case rules::Unit::None: return locale.toString(qRound64(value));
    }
    return {};
}

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

QString valueCell(const rules::Verdict& verdict)
{
    if (verdict.kind == rules::VerdictKind::Unknown)
        return Why::tr("unknown");
    return verdict.value ? number(*verdict.value, verdict.unit) : QString();
}

QString limitCell(const rules::Verdict& verdict)
{
    return verdict.limit ? number(*verdict.limit, verdict.unit) : QString();
}

QString momentText(qint64 utc)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(utc);
    const QLocale locale;
    const QString clock = locale.toString(time.time(), QLocale::ShortFormat);
    if (time.date() == QDate::currentDate())
        return clock;
    if (qAbs(QDate::currentDate().daysTo(time.date())) < 7)
        return locale.dayName(time.date().dayOfWeek(), QLocale::ShortFormat) % u' ' % clock;
    return locale.toString(time.date(), Why::tr("d MMM", "date format: day and short month"));
}

QString sinceCell(const rules::Verdict& verdict)
{
    return verdict.since > 0 ? momentText(verdict.since) : QString();
}

QString nextCell(const rules::Verdict& verdict)
{
    if (!verdict.nextChange)
        return {};
    const QString moment = momentText(*verdict.nextChange);
    switch (verdict.nextKind) {
    case rules::NextKind::Fact: return moment;
    case rules::NextKind::Earliest: return Why::tr("%1 at the earliest").arg(moment);
    case rules::NextKind::Forecast: return Why::tr("about %1").arg(moment);
    case rules::NextKind::None: return {};
    }
    return {};
}

}  // namespace sunloco::ui
