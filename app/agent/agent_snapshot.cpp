// SPDX-License-Identifier: Apache-2.0
// What a front end sees of the agent.
#include "app/agent/agent.h"

#include "app/platform/local_time_zone.h"

#include <QDateTime>

#include <algorithm>

namespace sunloco::agent {
namespace {

QString text(const std::string& s) { return QString::fromStdString(s); }

/// Start of the local day that holds a moment.
core::UtcMs dayStart(core::UtcMs at) { return QDateTime::fromMSecsSinceEpoch(at).date().startOfDay().toMSecsSinceEpoch(); }

Reason::Code codeOf(SessionTrouble::Kind kind) {
    switch (kind) {
    case SessionTrouble::Kind::ServerRefused: return Reason::Code::ServerRefused;
    case SessionTrouble::Kind::ProjectChanged: return Reason::Code::ProjectChanged;
    case SessionTrouble::Kind::UpdateNeeded: return Reason::Code::UpdateNeeded;
    case SessionTrouble::Kind::DiskFull: return Reason::Code::DiskFull;
    case SessionTrouble::Kind::None:
    case SessionTrouble::Kind::Passing: break;
    }
    return Reason::Code::WaitingForServer;
}

}  // namespace

PresentFacts Agent::facts() const {
    PresentFacts facts;
    facts.decision = &m_decision;
    facts.hasProject = !m_sessions.empty() || !m_closedDoors.empty();
    facts.modeAlways = m_settings.settings().mode() == rules::Mode::Always;
    if (m_override.until) facts.overrideEnds = *m_override.until;
    for (const auto& device : m_devices) {
        const DeviceRunner& runner = *device->runner;
        if (runner.isComputing()) facts.computing = true;
        else if (runner.job() && runner.hasProcess()) facts.preparing = true;
        if (runner.needsAttention() && !facts.grave) {
            facts.grave = PresentFacts::Trouble{Reason::Code::WorkerFailed, runner.problem(), std::nullopt, std::nullopt};
            if (const auto next = runner.nextStart()) facts.grave->nextTry = *next;
        }
    }
    for (const auto& session : m_sessions) {
        if (session->isPreparing()) facts.preparing = true;
        if (session->isDelivering()) {
            facts.delivering = true;
            for (const WorkUnit* unit : session->units()) {
                if (unit->state == UnitState::Creating || unit->state == UnitState::Uploading || unit->state == UnitState::Committing) facts.deliveredRound = QString::number(unit->round);
            }
        }
        const SessionTrouble& trouble = session->trouble();
        if (const auto at = session->askedAgainAt(); at && (!facts.asksAgainAt || *at < *facts.asksAgainAt)) facts.asksAgainAt = *at;
        if (trouble.kind == SessionTrouble::Kind::None) continue;
        PresentFacts::Trouble told{codeOf(trouble.kind), text(trouble.text), trouble.since, std::nullopt};
        if (const auto next = session->nextTry()) told.nextTry = *next;
        if (trouble.kind == SessionTrouble::Kind::Passing) facts.passing = told;
        else facts.grave = told;
    }
    if (!m_closedDoors.empty() && !facts.passing) facts.passing = PresentFacts::Trouble{Reason::Code::WaitingForServer, m_closedDoors.begin()->second, std::nullopt, std::nullopt};
    if (m_storageTrouble) facts.grave = PresentFacts::Trouble{Reason::Code::DiskFull, text(m_storageTrouble->text()), std::nullopt, std::nullopt};
    // An upload that cannot reach the server is waiting, not uploading.
    if (facts.passing && facts.delivering) {
        const bool anyReachable = std::any_of(m_sessions.begin(), m_sessions.end(), [](const auto& session) { return session->isDelivering() && session->reachable(); });
        if (!anyReachable) facts.delivering = false;
    }
    return facts;
}

DeviceSnapshot Agent::deviceSnapshot(const Device& device) const {
    const DeviceRunner& runner = *device.runner;
    DeviceSnapshot out;
    out.id = device.info.id;
    out.name = device.info.name;
    out.mode = m_settings.settings().deviceMode(out.id.toStdString());
    out.threads = runner.threads();
    out.state = m_snapshot.state == State::Training ? State::Waiting : m_snapshot.state;
    if (runner.isComputing()) out.state = State::Training;
    if (runner.job()) {
        if (const ProjectSession* session = sessionOf(runner.job()->leaseId)) {
            const WorkUnit& unit = *session->unit(runner.job()->leaseId);
            out.round = unit.round;
            out.steps = unit.steps;
            out.step = unit.stepsDone;
        }
    }
    if (const auto& progress = runner.progress()) {
        out.step = progress->step;
        out.steps = progress->steps;
        if (progress->step > 0) out.loss = progress->loss;
        if (runner.isComputing() && progress->tokensPerSecond > 0) out.tokensPerSecond = progress->tokensPerSecond;
    }
    if (runner.isComputing()) {
        if (const auto reading = m_energy.watts(out.id.toStdString())) {
            out.watts = reading->watts;
            out.wattsIsEstimate = reading->isEstimate;
        }
    }
    return out;
}

ProjectSnapshot Agent::projectSnapshot(const ProjectSession& session) const {
    const ProjectRow& row = session.row();
    ProjectSnapshot out;
    out.id = text(row.id);
    out.name = text(row.name);
    out.description = text(row.description);
    out.url = text(row.url);
    out.deviceId = text(row.deviceId);
    out.joinedAt = row.joinedAt;
    out.reachable = session.reachable();
    out.baseHash = text(row.baseHash);
    out.problem = text(session.trouble().text);
    out.heldOutLoss = session.heldOutLoss();
    if (session.trust() != nullptr && session.trust()->rounds()) {
        out.round = session.trust()->rounds()->round;
        out.deadline = session.trust()->rounds()->deadline;
    }
    if (const auto totals = m_journal->totals(row.id)) {
        out.acceptedRounds = totals->merged;
        out.sentRounds = totals->sent;
        out.tokensAccepted = totals->tokensMerged;
    }
    return out;
}

const Snapshot& Agent::snapshot() const {
    if (m_stale) rebuildSnapshot();
    return m_snapshot;
}

void Agent::rebuildSnapshot() const {
    m_stale = false;
    const Reason::Code before = m_snapshot.reason.code;
    Snapshot& out = m_snapshot;
    out.takenAt = m_clock.utcNow();
    out.decision = m_decision;
    Present present = presentState(facts());
    out.state = present.state;
    if (!m_reasonSince || before != present.reason.code) m_reasonSince = out.takenAt;
    if (!present.reason.since) present.reason.since = m_reasonSince;
    out.reason = std::move(present.reason);
    out.pausedUntil.reset();
    if (m_override.isPause(out.takenAt) && m_override.until) out.pausedUntil = *m_override.until;
    out.devices.clear();
    for (const auto& device : m_devices) out.devices.push_back(deviceSnapshot(*device));
    out.projects.clear();
    for (const auto& session : m_sessions) out.projects.push_back(projectSnapshot(*session));
    out.transfers.clear();
    for (const transfer::TransferProgress& progress : m_transfers->progress()) {
        constexpr std::uint64_t kWorthShowing = 64 * 1024;
        if (progress.bytesTotal < kWorthShowing) continue;
        TransferSnapshot shown;
        shown.what = QString::fromStdString(progress.url).section(u'/', 3);
        shown.upload = progress.upload;
        shown.bytesDone = static_cast<qint64>(progress.bytesDone);
        shown.bytesTotal = static_cast<qint64>(progress.bytesTotal);
        shown.bytesPerSecond = progress.bytesPerSecond;
        out.transfers.push_back(shown);
    }
    out.wattHoursToday = 0;
    out.energyIsEstimate = false;
    for (const EnergyRow& row : m_energy.buckets(dayStart(out.takenAt), out.takenAt + 1)) {
        out.wattHoursToday += row.wattHours;
        out.energyIsEstimate = out.energyIsEstimate || row.isEstimate;
    }
}

QVector<ContributionRow> Agent::contributions(int limit) const {
    QVector<ContributionRow> rows;
    const auto units = m_journal->recentUnits(limit);
    if (!units) return rows;
    for (const WorkUnit& stored : *units) {
        const ProjectSession* session = sessionOf(stored.leaseId);
        const WorkUnit& unit = session != nullptr ? *session->unit(stored.leaseId) : stored;
        ContributionRow row;
        row.leaseId = text(unit.leaseId);
        row.contributionId = text(unit.contributionId);
        row.round = unit.round;
        if (unit.finishedAt) row.finishedAt = *unit.finishedAt;
        row.steps = unit.stepsDone;
        row.stepsWanted = unit.steps;
        row.tokens = unit.tokens;
        row.state = QString::fromUtf8(stateName(unit.state).data());
        row.weight = unit.weight;
        row.receiptDigest = text(unit.receiptDigest);
        row.problem = text(unit.problem);
        rows.push_back(row);
    }
    return rows;
}

QVector<DayTotals> Agent::days(int count) const {
    QVector<DayTotals> out;
    const QDate today = QDateTime::fromMSecsSinceEpoch(m_clock.utcNow()).date();
    const core::UtcMs from = today.addDays(1 - count).startOfDay().toMSecsSinceEpoch();
    std::map<core::UtcMs, DayTotals> byDay;
    for (int i = 1 - count; i <= 0; ++i) {
        const core::UtcMs start = today.addDays(i).startOfDay().toMSecsSinceEpoch();
        byDay[start].dayStartUtc = start;
        byDay[start].energyIsEstimate = false;
    }
    if (const auto rows = m_journal->days(from, dayStart)) {
        for (const DayRow& row : *rows) {
            byDay[row.dayStart].dayStartUtc = row.dayStart;
            byDay[row.dayStart].tokens = row.tokens;
            byDay[row.dayStart].rounds = row.rounds;
        }
    }
    for (const EnergyRow& row : m_energy.buckets(from, m_clock.utcNow() + 1)) {
        DayTotals& day = byDay[dayStart(row.start)];
        day.dayStartUtc = dayStart(row.start);
        day.wattHours += row.wattHours;
        day.energyIsEstimate = day.energyIsEstimate || row.isEstimate;
    }
    for (const auto& [start, day] : byDay) out.push_back(day);
    return out;
}

QVector<LossPoint> Agent::lossHistory(const QString& projectId) const {
    QVector<LossPoint> points;
    const auto rounds = m_journal->rounds(projectId.toStdString());
    if (!rounds) return points;
    for (const RoundRow& row : *rounds) points.push_back({row.round, row.heldOutLoss, row.closedAt, row.contributors, row.tokens});
    return points;
}

QVector<EnergyBucketRow> Agent::energy(qint64 fromUtc, qint64 toUtc) const {
    QVector<EnergyBucketRow> rows;
    for (const EnergyRow& row : m_energy.buckets(fromUtc, toUtc)) rows.push_back({row.start, row.wattHours, row.isEstimate});
    return rows;
}

QVector<QString> Agent::recentLog(int lines) const { return m_log.recent(lines); }

rules::Settings Agent::settings() const { return m_settings.settings(); }

QByteArray Agent::receipt(const QString& leaseId) const {
    const auto unit = m_journal->unit(leaseId.toStdString());
    if (unit && *unit) return QByteArray::fromStdString((*unit)->receipt);
    // What is shown is shortened: the beginning of a lease's id, or of a receipt's digest, does where it fits one contribution only.
    constexpr qsizetype kShortest = 8;
    constexpr int kNewest = 2'000;
    const auto units = m_journal->recentUnits(kNewest);
    if (!units || leaseId.size() < kShortest) return {};
    const std::string wanted = leaseId.toStdString();
    QByteArray found;
    for (const WorkUnit& each : *units) {
        if (each.receipt.empty() || !(each.leaseId.starts_with(wanted) || each.receiptDigest.starts_with(wanted))) continue;
        if (!found.isEmpty()) return {};
        found = QByteArray::fromStdString(each.receipt);
    }
    return found;
}

}  // namespace sunloco::agent
