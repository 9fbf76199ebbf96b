// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording_agent.h"

#include "app/rules/rules_engine.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>

namespace sunloco::testing {
namespace {

constexpr qint64 kMinute = 60'000;
constexpr qint64 kHour = 60 * kMinute;
constexpr qint64 kDay = 24 * kHour;

QByteArray envelope(const agent::ContributionRow& row)
{
    const QJsonObject payload{{QStringLiteral("contribution_id"), row.contributionId}, {QStringLiteral("round"), row.round},
                              {QStringLiteral("steps"), row.steps}, {QStringLiteral("tokens"), row.tokens},
                              {QStringLiteral("accepted_at"), row.finishedAt.value_or(0)}};
    const QJsonObject outer{{QStringLiteral("payloadType"), QStringLiteral("application/vnd.sunloco.receipt+json")},
                            {QStringLiteral("payload"), QString::fromLatin1(QJsonDocument(payload).toJson(QJsonDocument::Compact).toBase64())}};
    return QJsonDocument(outer).toJson(QJsonDocument::Compact);
}

std::string toStd(const QString& text)
{
    return text.toStdString();
}

agent::Answer answerFor(const core::Result<void>& result)
{
    if (result)
        return {};
    return {false, QStringLiteral("invalid"), QString::fromStdString(result.error().message)};
}

}  // namespace

RecordingAgent::RecordingAgent()
{
    offer = {QStringLiteral("https://meadow.example/#root=9f2c61d0"), QStringLiteral("9f2c61d0aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa4be1"),
             QStringLiteral("Meadow 14M"), QStringLiteral("An open language model of the King James Bible. Weights are published after every round."),
             QStringLiteral("King James Bible, package bible-kjv-text of Debian"), QStringLiteral("Public domain outside the United Kingdom"),
             14'200'000, 620'000'000, 410'000'000, 14'600'000, 14'900'000, 61'000'000, true, false};
}

void RecordingAgent::fill(agent::State state)
{
    const qint64 at = QDateTime::currentMSecsSinceEpoch();
    now = {};
    now.takenAt = at;
    now.state = state;
    using Code = agent::Reason::Code;
    switch (state) {
    case agent::State::NoProject: now.reason.code = Code::NoProject; return;
    case agent::State::Waiting: now.reason.code = Code::WaitingForWork; break;
    case agent::State::PausedByRule: now.reason.code = Code::RuleStops; break;
    case agent::State::PausedByUser: now.reason.code = Code::PausedByUser; break;
    case agent::State::Training: now.reason.code = Code::TrainingByRules; break;
    case agent::State::Uploading: now.reason.code = Code::Uploading; break;
    case agent::State::NeedsAttention: now.reason.code = Code::DiskFull; break;
    }
    now.reason.since = at - 17 * kMinute;
    if (state == agent::State::PausedByUser) {
        now.pausedUntil = at + 42 * kMinute;
        now.reason.nextChange = now.pausedUntil;
    }
    const bool training = state == agent::State::Training;
    agent::DeviceSnapshot cpu;
    cpu.id = QStringLiteral("cpu");
    cpu.name = QStringLiteral("AMD Ryzen 7 5800X 8-Core Processor");
    cpu.state = state;
    cpu.round = 5041;
    cpu.step = 224;
    cpu.steps = 350;
    cpu.threads = 7;
    if (training) {
        cpu.tokensPerSecond = 9600.4;
        cpu.watts = 76.2;
        cpu.loss = 3.1872;
    }
    now.devices = {cpu};
    agent::ProjectSnapshot project;
    project.id = QString(64, u'9');
    project.name = offer.name;
    project.description = offer.description;
    project.url = QStringLiteral("https://meadow.example");
    project.round = 5041;
    project.deadline = at + 12 * kMinute;
    project.heldOutLoss = 2.576;
    project.acceptedRounds = 612;
    project.sentRounds = 617;
    project.tokensAccepted = 6'020'000'000;
    project.joinedAt = at - 56 * kDay;
    project.reachable = true;
    project.baseHash = QString(64, u'a');
    now.projects = {project};
    if (state == agent::State::Uploading)
        now.transfers = {{QStringLiteral("round 5,040, part 3 of 4"), true, 24'000'000, 38'000'000, 2'300'000, std::nullopt}};
    now.wattHoursToday = 168.4;
    fillVerdicts(state, at);
    fillRounds(at);
    log = {QStringLiteral("12:46:03 round 5,039 accepted, weight 1.00"), QStringLiteral("12:46:04 lease 5,040: 350 steps from example 1,203,200"),
           QStringLiteral("12:59:40 upload of round 5,040: 4 parts, 14.6 MB, 6.1 s"), QStringLiteral("12:59:41 receipt 91c5 3be7 stored"),
           QStringLiteral("13:02:12 training: step 100 of 350, 9,612 tokens/s")};
}

void RecordingAgent::fillVerdicts(agent::State state, qint64 at)
{
    // The real rules over numbers of a plausible moment.
    rules::SensorSnapshot sensors;
    const bool inUse = state == agent::State::PausedByRule;
    sensors.userIdleMs = rules::Reading<std::int64_t>::known(inUse ? 40'000 : 76 * kMinute);
    sensors.sessionLocked = rules::Reading<bool>::known(false);
    sensors.sleepPending = rules::Reading<bool>::known(false);
    sensors.awakeMs = rules::Reading<std::int64_t>::known(5 * kHour);
    sensors.onBattery = rules::Reading<bool>::known(false);
    sensors.batteryPercent = rules::Reading<double>::unknown(rules::UnknownReason::NoSource);
    sensors.upsOnBattery = rules::Reading<bool>::known(false);
    sensors.meteredNetwork = rules::Reading<bool>::unknown(rules::UnknownReason::NoAnswer);
    sensors.freeDiskBytes = rules::Reading<std::int64_t>::known(212'000'000'000);
    sensors.usedDiskBytes = rules::Reading<std::int64_t>::known(1'400'000'000);
    sensors.workAvailable = rules::Reading<bool>::known(state != agent::State::Waiting);
    rules::Inputs inputs;
    inputs.snapshot = sensors;
    inputs.settings = m_settings;
    inputs.devices = {"cpu"};
    if (state == agent::State::PausedByUser)
        inputs.userOverride = {rules::UserOverride::Kind::Pause, at - 18 * kMinute, at + 42 * kMinute};
    // Decided a while ago and again now, so that "since" has a past.
    const rules::Decision before = rules::evaluate(inputs, at - 17 * kMinute);
    now.decision = rules::evaluate(inputs, at, &before);
    now.reason.verdict = now.decision.deciding;
    if (!now.reason.nextChange && now.decision.nextChange)
        now.reason.nextChange = *now.decision.nextChange;
}

void RecordingAgent::fillRounds(qint64 at)
{
    rows.clear();
    receipts.clear();
    const auto add = [this](qint64 round, std::optional<qint64> finished, qint64 steps, const QString& state, std::optional<double> weight) {
        agent::ContributionRow row;
        row.leaseId = QStringLiteral("lease-%1").arg(round);
        row.contributionId = QStringLiteral("c-%1").arg(round);
        row.round = round;
        row.finishedAt = finished;
        row.steps = steps;
        row.stepsWanted = 350;
        row.tokens = steps * 32'768;
        row.state = state;
        row.weight = weight;
        if (state == u"merged" || state == u"rejected") {
            const QByteArray bytes = envelope(row);
            receipts.insert(row.leaseId, bytes);
            row.receiptDigest = QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
        }
        rows.append(row);
    };
    add(5041, std::nullopt, 224, QStringLiteral("training"), std::nullopt);
    add(5040, at - 13 * kMinute, 236, QStringLiteral("committed"), std::nullopt);
    add(5039, at - 26 * kMinute, 350, QStringLiteral("merged"), 1.0);
    add(5038, at - 46 * kMinute, 350, QStringLiteral("merged"), 1.0);
    add(5036, at - 100 * kMinute, 127, QStringLiteral("merged"), 0.36);
    for (qint64 round = 5035; round >= 5032; --round)
        add(round, at - (5042 - round) * 20 * kMinute, 350, QStringLiteral("merged"), 1.0);
    add(4981, at - kDay, 350, QStringLiteral("rejected"), std::nullopt);
    rows.back().problem = QStringLiteral("4 min after the round closed");

    loss.clear();
    for (qint64 round = 0; round <= 5040; round += 40) {
        agent::LossPoint point;
        point.round = round;
        point.closedAt = at - (5041 - round) * 13 * kMinute;
        point.contributors = 24;
        point.tokens = 163'000'000;
        if (round != 2000)
            point.heldOutLoss = 2.55 + 1.9 / (1.0 + static_cast<double>(round) / 500.0) - 0.17;
        loss.append(point);
    }
    loss.append({5039, 2.577, at - 20 * kMinute, 24, 244'000'000});
    now.projects.front().joinedAt = at - 30 * kDay;

    dayTotals.clear();
    const qint64 today = at / kDay * kDay;
    const int roundsOf[] = {5, 9, 0, 7, 8, 12, 3, 0, 0, 6, 10, 11, 9, 2};
    for (int day = 0; day < 14; ++day)
        dayTotals.append({today - day * kDay, roundsOf[day] * 11'468'800LL, roundsOf[day], roundsOf[day] * 21.0, true});
    buckets.clear();
    const qint64 midnight = QDateTime::currentDateTime().date().startOfDay().toMSecsSinceEpoch();
    for (qint64 start = midnight; start < at; start += 15 * kMinute) {
        const qint64 quarter = (start - midnight) / (15 * kMinute);
        if (quarter % 23 < 15)
            buckets.append({start, quarter % 23 > 8 ? 18.5 : 0.0, true});
    }
}

QVector<agent::EnergyBucketRow> RecordingAgent::energy(qint64 fromUtc, qint64 toUtc) const
{
    QVector<agent::EnergyBucketRow> found;
    for (const agent::EnergyBucketRow& bucket : buckets)
        if (bucket.startUtc >= fromUtc && bucket.startUtc < toUtc)
            found.append(bucket);
    return found;
}

void RecordingAgent::inspect(const QString& link, agent::OfferCallback done)
{
    calls.append(u"inspect " + link);
    agent::ProjectOffer answer = offer;
    answer.link = link;
    done(inspectAnswer, inspectAnswer.ok ? answer : agent::ProjectOffer());
}

void RecordingAgent::join(const QString& link, const QString& invite, agent::AnswerCallback done)
{
    calls.append(u"join " + link + (invite.isEmpty() ? QString() : u' ' + invite));
    done(joinAnswer);
}

agent::Answer RecordingAgent::leave(const QString& projectId)
{
    calls.append(u"leave " + projectId);
    return {};
}

void RecordingAgent::pause(agent::PauseKind kind, int minutes)
{
    switch (kind) {
    case agent::PauseKind::Minutes: calls.append(QStringLiteral("pause %1").arg(minutes)); break;
    case agent::PauseKind::UntilTomorrow: calls.append(QStringLiteral("pause tomorrow")); break;
    case agent::PauseKind::Forever: calls.append(QStringLiteral("pause forever")); break;
    }
}

void RecordingAgent::resume()
{
    calls.append(QStringLiteral("resume"));
}

void RecordingAgent::runNow(int minutes)
{
    calls.append(QStringLiteral("runNow %1").arg(minutes));
}

agent::Answer RecordingAgent::setMode(const QString& mode, const QString& deviceId)
{
    calls.append(u"setMode " + mode + u' ' + deviceId);
    return {};
}

agent::Answer RecordingAgent::setSetting(const QString& key, const QString& value)
{
    calls.append(u"set " + key + u' ' + value);
    const agent::Answer answer = answerFor(key == u"preset" ? rules::applyPreset(m_settings, toStd(value)) : m_settings.setText(toStd(key), toStd(value)));
    if (answer.ok)
        Q_EMIT settingsChanged(key);
    return answer;
}

void RecordingAgent::resetSetting(const QString& key)
{
    calls.append(u"reset " + key);
    (void)m_settings.reset(toStd(key));
    Q_EMIT settingsChanged(key);
}

void RecordingAgent::retryNow()
{
    calls.append(QStringLiteral("retryNow"));
}

void RecordingAgent::quit()
{
    calls.append(QStringLiteral("quit"));
    if (finishAtOnce)
        Q_EMIT finished();
}

}  // namespace sunloco::testing
