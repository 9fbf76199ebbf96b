// SPDX-License-Identifier: Apache-2.0
#include "app/text/sentence.h"

#include <QCoreApplication>
#include <QLocale>

namespace sunloco::text {
namespace {

struct Sentences {
    Q_DECLARE_TR_FUNCTIONS(Sentences)
};

// What Windows shows of a tooltip; the same everywhere, so that nobody reads half a number.
constexpr qsizetype kTooltipLength = 127;

/// "Starts at 13:30 at the earliest."
QString startsAt(const std::optional<qint64>& moment, rules::NextKind kind)
{
    if (!moment)
        return {};
    const QString time = formatMoment(*moment);
    switch (kind) {
    case rules::NextKind::Fact: return Sentences::tr("Starts at %1.").arg(time);
    case rules::NextKind::Forecast: return Sentences::tr("Starts at about %1.").arg(time);
    case rules::NextKind::Earliest:
    case rules::NextKind::None: return Sentences::tr("Starts at %1 at the earliest.").arg(time);
    }
    return {};
}

/// The other reasons that stop too, counted, so that nobody waits for one of them in vain.
QString alsoStops(const rules::Decision& decision)
{
    int others = -1;   // the deciding one does not count
    for (const rules::Verdict& verdict : decision.verdicts)
        others += verdict.stops && verdict.rule != rules::RuleId::MeteredNetwork ? 1 : 0;
    return others > 0 ? Sentences::tr("%n other rules stop it too.", nullptr, others) : QString();
}

QString join(const QString& a, const QString& b)
{
    return a.isEmpty() ? b : b.isEmpty() ? a : QString(a % u' ' % b);
}

Sentence userIdle(const agent::Snapshot& now, const rules::Verdict& v)
{
    Sentence s;
    const bool waits = now.state == agent::State::Waiting;
    s.title = waits ? Sentences::tr("Waiting for you to leave the PC") : Sentences::tr("Paused by a rule: you are using the PC");
    if (v.kind == rules::VerdictKind::Unknown) {
        s.title = Sentences::tr("Paused by a rule: input cannot be seen");
        s.reason = Sentences::tr("Whether you use the PC is unknown (%1), and unknown counts as in use.").arg(verdictValue(v));
        return s;
    }
    if (v.value && v.limit)
        s.reason = Sentences::tr("Last input %1 ago, %2 of quiet needed.").arg(formatDuration(static_cast<qint64>(*v.value)), verdictLimit(v));
    return s;
}

Sentence unknownRule(const rules::Verdict& v)
{
    return {Sentences::tr("Paused by a rule: %1 unknown").arg(ruleName(v.rule)),
            Sentences::tr("%1: %2. Unknown never counts as “go”.").arg(ruleName(v.rule), verdictValue(v)), {}};
}

/// Title and reason of a rule that stops.
Sentence ruleSentence(const agent::Snapshot& now, const rules::Verdict& v)
{
    const QString value = v.value ? verdictValue(v) : QString();
    const QString limit = verdictLimit(v);
    if (v.rule == rules::RuleId::UserIdle)
        return userIdle(now, v);
    if (v.kind == rules::VerdictKind::Unknown)
        return unknownRule(v);
    switch (v.rule) {
    case rules::RuleId::UserPause: return {Sentences::tr("Paused by you"), {}, {}};
    case rules::RuleId::Mode:
        if (v.detail == "all_devices_off")
            return {Sentences::tr("Paused by a rule: all devices are off"), Sentences::tr("You have switched every device off in the settings."), {}};
        return {Sentences::tr("Paused by a rule: the mode is “never”"), Sentences::tr("You have chosen in the settings that nothing is trained."), {}};
    case rules::RuleId::PowerSafety:
        if (v.detail == "ups_on_battery")
            return {Sentences::tr("Paused by a rule: power has failed"), Sentences::tr("The UPS runs on its battery."), {}};
        return {Sentences::tr("Paused by a rule: the battery is nearly empty"), Sentences::tr("The battery has %1, %2 are needed.").arg(value, limit), {}};
    case rules::RuleId::Sleep: return {Sentences::tr("Paused by a rule: the PC is going to sleep"), Sentences::tr("The work is saved and goes on after waking up."), {}};
    case rules::RuleId::StartGrace:
        return {Sentences::tr("Waiting for the PC to settle"), Sentences::tr("Awake for %1, %2 are left to you after a login or sleep.").arg(value, limit), {}};
    case rules::RuleId::SessionLock: return {Sentences::tr("Waiting for the screen lock"), Sentences::tr("You have chosen to train only while the screen is locked."), {}};
    case rules::RuleId::MeteredNetwork: return {Sentences::tr("Paused by a rule: the network is metered"), Sentences::tr("Finished work waits on the disk."), {}};
    case rules::RuleId::DiskFloor:
        return {Sentences::tr("Paused by a rule: little disk space"), Sentences::tr("%1 are free, %2 are to stay free.").arg(value, limit), {}};
    case rules::RuleId::DiskQuota:
        return {Sentences::tr("Paused by a rule: disk limit reached"), Sentences::tr("SunLoCo uses %1 of the %2 that you allow.").arg(value, limit), {}};
    case rules::RuleId::Battery: return {Sentences::tr("Paused by a rule: the PC runs on battery"), Sentences::tr("You have chosen to train only on mains power."), {}};
    case rules::RuleId::BatteryLevel:
        return {Sentences::tr("Paused by a rule: the battery is low"), Sentences::tr("The battery has %1, %2 are needed.").arg(value, limit), {}};
    case rules::RuleId::Schedule:
        if (v.detail == "no_hour_chosen")
            return {Sentences::tr("Paused by a rule: no hour is chosen"), Sentences::tr("The week in the settings has no hour in which it may run."), {}};
        return {Sentences::tr("Paused by a rule: outside the chosen hours"), Sentences::tr("The week in the settings keeps this hour free."), {}};
    case rules::RuleId::MinimumTimes:
        return {Sentences::tr("Waiting: a short rest"), Sentences::tr("Rested for %1 of %2 after a stop by power or disk.").arg(value, limit), {}};
    case rules::RuleId::Throttle: return {Sentences::tr("Training slowly"), {}, {}};
    case rules::RuleId::HasWork: return {Sentences::tr("Waiting for work"), Sentences::tr("The project has nothing to train at this moment."), {}};
    case rules::RuleId::UserIdle: break;
    }
    return {Sentences::tr("Paused by a rule: %1").arg(ruleName(v.rule)), verdictText(v), {}};
}

Sentence trainingByRules(const agent::Snapshot& now)
{
    Sentence s;
    const rules::Verdict* idle = now.decision.find(rules::RuleId::UserIdle);
    if (idle && idle->kind == rules::VerdictKind::Limit) {
        s.title = Sentences::tr("Training gently while you use the PC");
        s.reason = Sentences::tr("The device works %1 of the time.").arg(formatPercent(now.decision.throttlePercent));
    } else {
        s.title = Sentences::tr("Training while you are away");
        if (idle && idle->value && idle->limit)
            s.reason = Sentences::tr("You have been away %1, %2 are needed.").arg(formatDuration(static_cast<qint64>(*idle->value)), verdictLimit(*idle));
        if (now.decision.throttlePercent < 100)
            s.reason = join(s.reason, Sentences::tr("The device works %1 of the time.").arg(formatPercent(now.decision.throttlePercent)));
    }
    if (now.decision.nextChange)
        s.next = Sentences::tr("Runs until %1, or until you touch the PC.").arg(formatMoment(*now.decision.nextChange));
    else
        s.next = Sentences::tr("Runs until you touch the PC.");
    return s;
}

Sentence paused(const agent::Snapshot& now)
{
    Sentence s{Sentences::tr("Paused by you"), {}, Sentences::tr("Goes on when you resume.")};
    if (now.pausedUntil) {
        s.reason = Sentences::tr("%1 are left.").arg(formatDuration(*now.pausedUntil - now.takenAt));
        s.next = Sentences::tr("Goes on at %1.").arg(formatMoment(*now.pausedUntil));
    }
    return s;
}

Sentence uploading(const agent::Snapshot& now)
{
    Sentence s;
    s.title = now.reason.detail.isEmpty() ? Sentences::tr("Uploading") : Sentences::tr("Uploading round %1").arg(now.reason.detail);
    for (const agent::TransferSnapshot& transfer : now.transfers) {
        if (!transfer.upload || transfer.bytesTotal <= 0)
            continue;
        s.reason = Sentences::tr("%1 of %2 are sent.").arg(formatBytes(transfer.bytesDone), formatBytes(transfer.bytesTotal));
        if (transfer.bytesPerSecond > 0)
            s.next = Sentences::tr("Done in about %1.").arg(formatDuration(qRound64(1000.0 * static_cast<double>(transfer.bytesTotal - transfer.bytesDone) / transfer.bytesPerSecond)));
        break;
    }
    return s;
}

/// Errors come as parts of sentences ("the disk is full"): a capital letter and a full stop make them one.
QString asSentence(const QString& detail)
{
    if (detail.isEmpty())
        return detail;
    QString text = detail.at(0).toUpper() % QStringView(detail).mid(1);
    if (!text.endsWith(u'.') && !text.endsWith(u'?') && !text.endsWith(u'!') && !text.endsWith(QChar(0x3002)))
        text += u'.';
    return text;
}

Sentence needsYou(const QString& what, const QString& reason)
{
    return {Sentences::tr("Needs you: %1").arg(what), asSentence(reason), {}};
}

QString triesAgain(const agent::Reason& reason)
{
    return reason.nextChange ? Sentences::tr("Tries again at %1.").arg(formatMoment(*reason.nextChange)) : QString();
}

}  // namespace

Sentence describe(const agent::Snapshot& now)
{
    using Code = agent::Reason::Code;
    const agent::Reason& reason = now.reason;
    Sentence s;
    switch (reason.code) {
    case Code::NoProject:
        return {Sentences::tr("No project yet"), Sentences::tr("This PC does not train anything."), Sentences::tr("Join a project with the link that it gives you.")};
    case Code::TrainingByRules: return trainingByRules(now);
    case Code::TrainingAlways:
        return {Sentences::tr("Training (always)"), Sentences::tr("You have chosen the mode “always”; safety, disk and network limits still hold."), Sentences::tr("Runs until you change the mode.")};
    case Code::TrainingAsked:
        return {Sentences::tr("Training (you asked)"), Sentences::tr("“Run now” stands above the rules; safety, disk and network limits still hold."),
                reason.nextChange ? Sentences::tr("Runs until %1.").arg(formatMoment(*reason.nextChange)) : Sentences::tr("Runs until you stop it.")};
    case Code::PausedByUser: return paused(now);
    case Code::RuleStops: {
        const rules::Verdict verdict = reason.verdict.value_or(now.decision.deciding);
        s = ruleSentence(now, verdict);
        s.reason = join(s.reason, alsoStops(now.decision));
        const std::optional<qint64> next = now.decision.nextChange ? std::optional<qint64>(*now.decision.nextChange) : reason.nextChange;
        s.next = startsAt(next, now.decision.nextChange ? now.decision.nextKind : rules::NextKind::Earliest);
        return s;
    }
    case Code::WaitingForWork:
        s = {Sentences::tr("Waiting for work"), Sentences::tr("The project has nothing to train at this moment."), {}};
        if (reason.nextChange)
            s.next = Sentences::tr("Asks again at %1.").arg(formatMoment(*reason.nextChange));
        return s;
    case Code::WaitingForServer:
        s = {Sentences::tr("Waiting for the server"), reason.detail.isEmpty() ? Sentences::tr("The project's server does not answer.") : asSentence(reason.detail), triesAgain(reason)};
        if (reason.since)
            s.reason = join(s.reason, Sentences::tr("Since %1.").arg(formatMoment(*reason.since)));
        return s;
    case Code::Uploading: return uploading(now);
    case Code::StartingUp: return {Sentences::tr("Starting"), Sentences::tr("The model and the text are being prepared."), {}};
    case Code::WorkerFailed: s = needsYou(Sentences::tr("the trainer stopped"), reason.detail); break;
    case Code::ServerRefused: s = needsYou(Sentences::tr("the project refuses this PC"), reason.detail); break;
    case Code::DiskFull:
        s = needsYou(Sentences::tr("the disk is full"), reason.detail.isEmpty() ? Sentences::tr("Nothing can be saved. Free some space on the disk of the data folder.") : reason.detail);
        break;
    case Code::ProjectChanged: s = needsYou(Sentences::tr("the project has changed"), reason.detail); break;
    case Code::UpdateNeeded:
        s = needsYou(Sentences::tr("a newer SunLoCo is needed"), reason.detail.isEmpty() ? Sentences::tr("The project speaks a newer language than this version. Install the update.") : reason.detail);
        break;
    }
    s.next = triesAgain(reason);
    return s;
}

QString tooltip(const agent::Snapshot& now)
{
    const Sentence s = describe(now);
    const QString reason = s.reason;
    // A full stop followed by a blank, or the full-width one: after it comes the second reason.
    qsizetype firstEnd = reason.indexOf(QStringLiteral(". "));
    if (firstEnd < 0)
        firstEnd = reason.indexOf(QChar(0x3002));
    const QString first = firstEnd < 0 ? reason : reason.left(firstEnd + 1);
    for (const QString& body : {join(reason, s.next), join(first, s.next), first}) {
        const QString text = body.isEmpty() ? s.title : QString(s.title % u'\n' % body);
        if (text.size() <= kTooltipLength)
            return text;
    }
    const QString text = s.title % u'\n' % first;
    const qsizetype space = text.lastIndexOf(u' ', kTooltipLength - 1);
    return text.left(space > kTooltipLength / 2 ? space : kTooltipLength - 1) % QChar(0x2026);
}

}  // namespace sunloco::text
