// SPDX-License-Identifier: Apache-2.0
// The main job, end to end: real text, real server over TLS, two real agents with real workers, three rounds.
#include "tests/e2e/cluster.h"

#include <QJsonArray>
#include <QTest>

using namespace sunloco::e2e;

class TstThreeRounds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finalBaseEqualsReplayAndBothVolunteersHoldIt() {
        Cluster cluster;
        const Run init = cluster.init();
        QVERIFY2(init.exitCode == 0, init.all().constData());
        QVERIFY2(cluster.startServer(), cluster.serverLog().constData());
        for (const QString& name : {QStringLiteral("ada"), QStringLiteral("ben")}) {
            Volunteer& volunteer = cluster.addVolunteer(name);
            QVERIFY2(cluster.startAgent(volunteer), cluster.agentLog(volunteer).constData());
            const Run joined = cluster.join(volunteer);
            QVERIFY2(joined.exitCode == 0, joined.all().constData());
        }
        const QString firstLog = QString::fromUtf8(cluster.agentLog(*cluster.volunteers()[0]));
        QVERIFY2(cluster.waitForRounds(3, 240'000), QByteArray(cluster.serverLog() + cluster.agentLog(*cluster.volunteers()[0])).constData());

        // Both take part in every round: the quorum is two.
        const QJsonObject status = cluster.serverStatus();
        const QJsonArray history = status.value(QStringLiteral("history")).toArray();
        for (const QJsonValue& round : history) { QCOMPARE(round.toObject().value(QStringLiteral("contributors")).toInt(), 2); }

        // Pause both, let the last round settle, then compare what everybody holds.
        for (const auto& volunteer : cluster.volunteers()) { QCOMPARE(cluster.ctl(*volunteer, {QStringLiteral("pause"), QStringLiteral("forever")}).exitCode, 0); }
        const auto baseOf = [&](const Volunteer& volunteer) {
            return cluster.agentStatus(volunteer).value(QStringLiteral("projects")).toArray().at(0).toObject().value(QStringLiteral("base_hash")).toString();
        };
        QJsonArray bases;
        const bool settled = waitFor([&] {
            bases = cluster.replay().json().value(QStringLiteral("bases")).toArray();
            const QString last = bases.isEmpty() ? QString() : bases.last().toString();
            return !last.isEmpty() && baseOf(*cluster.volunteers()[0]) == last && baseOf(*cluster.volunteers()[1]) == last;
        }, 60'000, 500);
        QVERIFY2(settled, QByteArray(QJsonDocument(cluster.agentStatus(*cluster.volunteers()[0])).toJson() + cluster.agentLog(*cluster.volunteers()[0])).constData());

        const Run replay = cluster.replay();
        QVERIFY2(replay.exitCode == 0, replay.all().constData());
        QVERIFY(replay.json().value(QStringLiteral("equal")).toBool());
        QVERIFY(bases.size() >= 4);  // the initial base and three rounds
        QCOMPARE(doubleMerges(cluster.projectDir()), QString());

        // The model learned: the last held-out loss is below the initial one.
        const QJsonValue before = cluster.serverStatus().value(QStringLiteral("initial_held_out_loss"));
        QVERIFY(waitFor([&] { return cluster.serverStatus().value(QStringLiteral("history")).toArray().at(2).toObject().value(QStringLiteral("held_out_loss")).isDouble(); }, 60'000, 300));
        const double after = cluster.serverStatus().value(QStringLiteral("history")).toArray().at(2).toObject().value(QStringLiteral("held_out_loss")).toDouble();
        QVERIFY(before.isDouble());
        QVERIFY2(after < before.toDouble() - 0.3, qPrintable(QStringLiteral("held-out loss %1 -> %2").arg(before.toDouble()).arg(after)));
    }

    /// Where the recipe gives a device two tasks a round, the second trains while the first is still being uploaded.
    void nextTaskTrainsWhileTheFirstUploads() {
        Cluster cluster;
        QVERIFY(cluster.init({QStringLiteral("leases_per_device=2"), QStringLiteral("quorum=2")}).exitCode == 0);
        QVERIFY(cluster.startServer());
        Volunteer& ada = cluster.addVolunteer(QStringLiteral("ada"));
        QVERIFY(cluster.startAgent(ada));
        QVERIFY(cluster.ctl(ada, {QStringLiteral("config"), QStringLiteral("set"), QStringLiteral("network.upload_kib_s"), QStringLiteral("8")}).exitCode == 0);
        QVERIFY(cluster.join(ada).exitCode == 0);
        QByteArray seen;
        const bool overlapped = waitFor([&] {
            const QJsonArray rows = cluster.ctl(ada, {QStringLiteral("history")}).json().value(QStringLiteral("contributions")).toArray();
            QStringList states;
            for (const QJsonValue& row : rows) { states << row.toObject().value(QStringLiteral("state")).toString(); }
            seen += states.join(u' ').toUtf8() + "\n";
            return states.contains(QStringLiteral("uploading")) && (states.contains(QStringLiteral("training")) || states.contains(QStringLiteral("encoded")));
        }, 60'000, 30);
        QVERIFY2(overlapped, QByteArray(seen.right(2000) + cluster.agentLog(ada)).constData());
        QVERIFY(cluster.ctl(ada, {QStringLiteral("config"), QStringLiteral("reset"), QStringLiteral("network.upload_kib_s")}).exitCode == 0);
        QVERIFY2(cluster.waitForRounds(1, 90'000), cluster.agentLog(ada).constData());
        QCOMPARE(doubleMerges(cluster.projectDir()), QString());
    }
};

SUNLOCO_E2E_MAIN(TstThreeRounds)
#include "tst_three_rounds.moc"
