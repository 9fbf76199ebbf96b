// SPDX-License-Identifier: Apache-2.0
// The i-th file, SQL or network step of the agent's work loop fails, for every i: from joining to the signed receipt, the work is done all the same,
// by the agent itself or by its next run. Real server, real worker, the real agent in this process. `SUNLOCO_FAULT_STRIDE=1` tries every i (the suite every third).
#include "app/agent/agent.h"
#include "tests/e2e/cluster.h"

#include <QElapsedTimer>
#include <QTest>

#include <atomic>

using namespace sunloco;
using namespace sunloco::e2e;

namespace {

/// The build's own worker, or the one that SUNLOCO_WORKER names.
std::string workerPath() { return qEnvironmentVariableIsSet("SUNLOCO_WORKER") ? std::string() : programPath(QStringLiteral("sunloco-worker")).toStdString(); }

/// Lets one step fail; steps are counted over all threads.
class OneFault final : public core::FaultPolicy {
public:
    explicit OneFault(int failAt) : m_failAt(failAt) {}
    core::Result<void> before(std::string_view step) override {
        const int now = ++m_count;
        if (now != m_failAt) return {};
        m_step = step;
        m_hit = true;
        return core::Error{core::ErrorCode::Io, "a fault of the test", std::string(step)};
    }
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] bool hit() const { return m_hit; }
    [[nodiscard]] QByteArray step() const { return m_hit ? QByteArray::fromStdString(m_step) : QByteArray("none"); }

private:
    int m_failAt;
    std::atomic<int> m_count{0};
    std::atomic<bool> m_hit{false};
    std::string m_step;
};

/// One volunteer: an agent that is started again when a fault kept it from starting, and joins again when joining failed.
class Volunteer1 : public QObject {
public:
    Volunteer1(int failAt, const QString& link) : m_faults(failAt), m_link(link) {}

    bool delivered() {
        if (!m_agent && !launch()) return false;
        for (const agent::ContributionRow& row : m_agent->contributions(5)) {
            if (row.state == QLatin1String("committed") || row.state == QLatin1String("merged")) return true;
        }
        if (!m_joining && m_agent->snapshot().projects.isEmpty()) join();
        return false;
    }
    [[nodiscard]] const OneFault& faults() const { return m_faults; }
    [[nodiscard]] QByteArray log() const {
        QByteArray text;
        if (m_agent) {
            for (const QString& line : m_agent->recentLog(40)) text += line.toUtf8() + '\n';
        }
        return text;
    }
    [[nodiscard]] int starts() const { return m_starts; }

private:
    bool launch() {
        ++m_starts;
        const std::filesystem::path root = m_dir.path().toStdString();
        auto folder = agent::DataFolder::take(root / "data");
        auto settings = agent::SettingsStore::open(root / "config");
        if (!folder || !settings) return false;
        auto journal = agent::Journal::open(root / "data/journal.db", &m_faults);
        if (!journal) return false;
        const auto clock = std::make_shared<core::SystemClock>();
        platform::SensorOptions sensors;
        sensors.dataFolder = root / "data";
        platform::DeviceInfo cpu;
        cpu.id = QStringLiteral("cpu");
        cpu.physicalCores = 1;
        agent::AgentParts parts{clock, std::move(*folder), std::move(*settings), std::move(*journal), platform::makeSystemSensors(*clock, sensors), {cpu}, agent::KeyPlace::File,
                                workerPath(), agent::AgentLog::Stderr::Off, &m_faults};
        auto agent = std::make_unique<agent::Agent>(std::move(parts));
        (void)agent->setMode(QStringLiteral("always"), {});
        if (!agent->start()) return false;
        m_agent = std::move(agent);
        return true;
    }
    void join() {
        m_joining = true;
        m_agent->join(m_link, {}, [this](const agent::Answer&) { m_joining = false; });
    }

    QTemporaryDir m_dir;
    OneFault m_faults;
    QString m_link;
    std::unique_ptr<agent::Agent> m_agent;
    bool m_joining = false;
    int m_starts = 0;
};

}  // namespace

class TstFaults : public QObject {
    Q_OBJECT
private:
    static Run initShort(Cluster& cluster) {
        return cluster.init({QStringLiteral("quorum=1"), QStringLiteral("inner_steps=4"), QStringLiteral("min_inner_steps=1"), QStringLiteral("total_steps=100000"),
                             QStringLiteral("round_deadline_seconds=30"), QStringLiteral("lease_seconds=10")});
    }
    static void checkProject(const Cluster& cluster) {
        QCOMPARE(doubleMerges(cluster.projectDir()), QString());
        const Run replay = cluster.replay();
        QVERIFY2(replay.exitCode == 0 && replay.json().value(QStringLiteral("equal")).toBool(), replay.all().constData());
    }

private Q_SLOTS:
    /// The agent object may go at any moment, with requests, file work and a worker under way.
    void goneInTheMiddle() {
        Cluster cluster;
        QVERIFY(initShort(cluster).exitCode == 0);
        QVERIFY(cluster.startServer());
        for (int i = 0; i < 40; ++i) {
            Volunteer1 volunteer(-1, cluster.link());
            QElapsedTimer timer;
            timer.start();
            while (timer.elapsed() < 25 * i) {
                (void)volunteer.delivered();
                QTest::qWait(5);
            }
        }
        QTest::qWait(200);   // what was queued for those that are gone
    }

    void everyStepMayFail() {
        auto owner = std::make_unique<Cluster>();
        QVERIFY(initShort(*owner).exitCode == 0);
        QVERIFY(owner->startServer());
        Cluster* current = owner.get();

        Volunteer1 undisturbed(-1, current->link());
        QVERIFY2(waitFor([&] { return undisturbed.delivered(); }, 60'000, 20), undisturbed.log().constData());
        const int steps = undisturbed.faults().count();
        QVERIFY2(steps > 30, qPrintable(QString::number(steps)));

        bool given = false;
        const int asked = qEnvironmentVariableIntValue("SUNLOCO_FAULT_STRIDE", &given);
        const int stride = given && asked > 0 ? asked : 3;
        qInfo("%d steps from the start to the receipt; every %d. fails once", steps, stride);
        constexpr int kAtATime = 6;
        int hits = 0;
        int joined = 1;
        for (int first = 1; first <= steps; first += stride * kAtATime) {
            if (joined > 60) {
                // The server takes so many new devices of one address in an hour: a fresh project for the next ones.
                checkProject(*current);
                owner = std::make_unique<Cluster>();
                current = owner.get();
                QVERIFY(initShort(*current).exitCode == 0);
                QVERIFY(current->startServer());
                joined = 0;
            }
            Cluster& cluster = *current;
            std::vector<std::unique_ptr<Volunteer1>> group;
            for (int i = first; i <= steps && static_cast<int>(group.size()) < kAtATime; i += stride) group.push_back(std::make_unique<Volunteer1>(i, cluster.link()));
            joined += static_cast<int>(group.size());
            std::vector<bool> done(group.size());
            const bool all = waitFor([&] {
                bool every = true;
                for (std::size_t n = 0; n < group.size(); ++n) {
                    if (!done[n]) done[n] = group[n]->delivered();
                    every = every && done[n];
                }
                return every;
            }, 120'000, 50);
            for (std::size_t n = 0; n < group.size(); ++n) {
                QVERIFY2(all || done[n], QByteArray("step " + QByteArray::number(first + static_cast<int>(n) * stride) + " (" + group[n]->faults().step() + ")\n" + group[n]->log() + cluster.serverLog()).constData());
                hits += group[n]->faults().hit() ? 1 : 0;
            }
        }
        QVERIFY2(hits > 0, "no fault was met");
        qInfo("%d faults were met", hits);
        checkProject(*current);
    }
};

SUNLOCO_E2E_MAIN(TstFaults)
#include "tst_faults.moc"
