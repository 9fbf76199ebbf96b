// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/agent/agent_api.h"

#include <QHash>
#include <QStringList>

namespace sunloco::testing {

/// An input source for pages: hands out the values that a test sets and writes down what is asked of it, as "pause minutes 15".
/// Settings are real ones (rules::Settings), so that checks and presets behave as in the program.
class RecordingAgent : public agent::AgentApi {
    Q_OBJECT
public:
    RecordingAgent();

    /// A day with two devices, one project, six rounds and a full set of verdicts.
    void fill(agent::State state);
    void emitChanged() { Q_EMIT changed(); }

    agent::Snapshot now;
    QVector<agent::ContributionRow> rows;
    QVector<agent::DayTotals> dayTotals;
    QVector<agent::LossPoint> loss;
    QVector<agent::EnergyBucketRow> buckets;
    QVector<QString> log;
    QHash<QString, QByteArray> receipts;
    agent::Answer inspectAnswer;
    agent::Answer joinAnswer;
    agent::ProjectOffer offer;
    bool finishAtOnce = true;
    QStringList calls;

    [[nodiscard]] const agent::Snapshot& snapshot() const override { return now; }
    [[nodiscard]] QVector<agent::ContributionRow> contributions(int limit) const override { return rows.mid(0, limit); }
    [[nodiscard]] QVector<agent::DayTotals> days(int count) const override { return dayTotals.mid(0, count); }
    [[nodiscard]] QVector<agent::LossPoint> lossHistory(const QString&) const override { return loss; }
    [[nodiscard]] QVector<agent::EnergyBucketRow> energy(qint64 fromUtc, qint64 toUtc) const override;
    [[nodiscard]] QVector<QString> recentLog(int lines) const override { return log.mid(std::max<qsizetype>(0, log.size() - lines)); }
    [[nodiscard]] rules::Settings settings() const override { return m_settings; }
    [[nodiscard]] QByteArray receipt(const QString& leaseId) const override { return receipts.value(leaseId); }

    void inspect(const QString& link, agent::OfferCallback done) override;
    void join(const QString& link, const QString& invite, agent::AnswerCallback done) override;
    agent::Answer leave(const QString& projectId) override;
    void pause(agent::PauseKind kind, int minutes) override;
    void resume() override;
    void runNow(int minutes) override;
    agent::Answer setMode(const QString& mode, const QString& deviceId) override;
    agent::Answer setSetting(const QString& key, const QString& value) override;
    void resetSetting(const QString& key) override;
    void retryNow() override;
    void quit() override;

private:
    void fillVerdicts(agent::State state, qint64 at);
    void fillRounds(qint64 at);
    rules::Settings m_settings;
};

}  // namespace sunloco::testing
