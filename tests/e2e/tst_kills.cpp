// SPDX-License-Identifier: Apache-2.0
// SIGKILL at random moments over agents, workers and the server. 15 kills by default; `SUNLOCO_KILLS=100 tests/e2e_tst_kills` for the long run.
#include "tests/e2e/cluster.h"

#include <QJsonArray>
#include <QRandomGenerator>
#include <QTest>

#include <signal.h>

using namespace sunloco::e2e;

class TstKills : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingIsLostAndNothingMergedTwice() {
        bool given = false;
        const int asked = qEnvironmentVariableIntValue("SUNLOCO_KILLS", &given);
        const int kills = given ? asked : 15;
        const quint32 seed = qEnvironmentVariableIsSet("SUNLOCO_SEED") ? qEnvironmentVariable("SUNLOCO_SEED").toUInt() : QRandomGenerator::global()->generate();
        qInfo("seed %u (set SUNLOCO_SEED to repeat)", seed);
        QRandomGenerator random(seed);

        Cluster cluster;
        const Run init = cluster.init({QStringLiteral("round_deadline_seconds=20"), QStringLiteral("min_contributions=1"), QStringLiteral("total_steps=1000000"), QStringLiteral("lease_seconds=30")});
        QVERIFY2(init.exitCode == 0, init.all().constData());
        QVERIFY(cluster.startServer());
        for (const QString& name : {QStringLiteral("ada"), QStringLiteral("ben")}) {
            Volunteer& volunteer = cluster.addVolunteer(name);
            QVERIFY(cluster.startAgent(volunteer));
            const Run joined = cluster.join(volunteer);
            QVERIFY2(joined.exitCode == 0, joined.all().constData());
        }
        QVERIFY2(cluster.waitForRounds(1, 120'000), cluster.serverLog().constData());

        int done[3] = {0, 0, 0};
        for (int i = 0; i < kills; ++i) {
            QTest::qWait(static_cast<int>(random.bounded(200, 2500)));
            Volunteer& victim = *cluster.volunteers()[random.bounded(2)];
            const int what = static_cast<int>(random.bounded(3));
            if (what == 0) {
                cluster.killServer();
                QTest::qWait(static_cast<int>(random.bounded(0, 800)));
                QVERIFY2(cluster.startServer(), cluster.serverLog().constData());
            } else if (what == 1) {
                Cluster::killAgent(victim);
                QTest::qWait(static_cast<int>(random.bounded(0, 800)));
                QVERIFY2(cluster.startAgent(victim), cluster.agentLog(victim).constData());  // the journal opens
            } else {
                const QList<qint64> workers = Cluster::workersOf(victim.agent->processId());
                for (const qint64 pid : workers) { ::kill(static_cast<pid_t>(pid), SIGKILL); }
                if (workers.isEmpty()) { continue; }
            }
            ++done[what];
        }
        qInfo("killed: server %d, agent %d, worker %d", done[0], done[1], done[2]);

        // Training goes on.
        const qint64 rounds = cluster.closedRounds();
        QVERIFY2(cluster.waitForRounds(rounds + 2, 180'000),
                 QByteArray(cluster.serverLog() + "\n--- ada\n" + cluster.agentLog(*cluster.volunteers()[0]) + "\n--- ben\n" + cluster.agentLog(*cluster.volunteers()[1])).constData());
        QCOMPARE(doubleMerges(cluster.projectDir()), QString());
        const Run replay = cluster.replay();
        QVERIFY2(replay.exitCode == 0 && replay.json().value(QStringLiteral("equal")).toBool(), replay.all().constData());

        // Every delta that was finished has an end with a reason: merged, or refused by the server's word; none vanished.
        for (const auto& volunteer : cluster.volunteers()) {
            QVERIFY(waitFor([&] {
                const QJsonArray rows = cluster.ctl(*volunteer, {QStringLiteral("history")}).json().value(QStringLiteral("contributions")).toArray();
                int merged = 0;
                for (const QJsonValue& value : rows) {
                    const QJsonObject row = value.toObject();
                    const QString state = row.value(QStringLiteral("state")).toString();
                    if (state == QLatin1String("merged")) { ++merged; }
                    const bool ended = state == QLatin1String("rejected") || state == QLatin1String("expired") || state == QLatin1String("abandoned");
                    if (ended && row.value(QStringLiteral("problem")).toString().isEmpty()) { return false; }
                }
                return merged > 0;
            }, 30'000, 500));
        }
    }
};

SUNLOCO_E2E_MAIN(TstKills)
#include "tst_kills.moc"
