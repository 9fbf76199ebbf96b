// SPDX-License-Identifier: Apache-2.0
// Identities that a distributed run must keep, with the real inner steps, codecs, merge and outer optimizer.
#include "engine/core/files.h"
#include "engine/simulate/simulation.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace sunloco;
using simulate::RunReport;

namespace {

/// JSON with single quotes for double ones, to be read easily.
std::string json(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

const std::string kModel = json("{'model_type':'llama','vocab_size':64,'hidden_size':32,'intermediate_size':64,'num_hidden_layers':2,"
"'num_attention_heads':2,'num_key_value_heads':2,'head_dim':16,'max_position_embeddings':32,'rms_norm_eps':1e-6,'hidden_act':'silu',"
"'tie_word_embeddings':false,'initializer_range':0.02,'rope_parameters':{'rope_type':'default','rope_theta':10000.0}}");
const std::string kRecipe = json("'batch_sequences':8,'sequence_length':32,'inner_steps':10,'min_inner_steps':1,'warmup_steps':5,'total_steps':60,'learning_rate':0.01");

}  // namespace

class TestSimulate : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_dir;

    /// Reads a plan with these runs and runs them all.
    std::vector<RunReport> runAll(const std::string& runs) {
        const auto path = std::filesystem::path(m_dir.path().toStdString()) / "plan.json";
        const std::string text = json("{'model':") + kModel + json(",'data':{'tokens':40000,'held_out':1000,'seed':5},'runs':[") + runs + "]}";
        if (!core::writeFileAtomically(path, core::asBytes(text))) return {};
        auto plan = simulate::readPlan(path);
        if (!plan) {
            qWarning("%s", plan.error().text().c_str());
            return {};
        }
        std::vector<RunReport> reports;
        for (const auto& run : plan->runs) {
            auto report = simulate::runOne(*plan, run, model::bestKernels());
            if (!report) {
                qWarning("%s", report.error().text().c_str());
                return {};
            }
            reports.push_back(std::move(*report));
        }
        return reports;
    }
    static std::string run(const std::string& name, int workers, const std::string& more, const std::string& recipe) {
        return json("{'name':'") + name + json("','workers':") + std::to_string(workers) + json(",'rounds':4") + more + json(",'recipe':{") + kRecipe + recipe + "}}";
    }

private Q_SLOTS:
    /// Identity 1: one worker, outer SGD with rate 1 and no momentum, lossless codec = plain AdamW.
    void oneWorkerWithPlainOuterStepIsPlainTraining() {
        const std::string lossless = json(",'upload_codec':'fp32','update_codec':'fp32','outer_learning_rate':1.0,'outer_momentum':0.0,'inner_state':'keep'");
        const auto reports = runAll(run("plain", 1, json(",'outer':'none'"), lossless) + "," + run("diloco", 1, "", lossless) + "," +
                                    run("fedavg", 1, "", lossless + json(",'method':'fedavg'")));
        QCOMPARE(reports.size(), std::size_t{3});
        QCOMPARE(reports[0].stepLosses.size(), std::size_t{40});
        QVERIFY(reports[0].stepLosses.front() - reports[0].stepLosses.back() > 1);
        for (const std::size_t other : {std::size_t{1}, std::size_t{2}})
            for (std::size_t i = 0; i < 40; ++i)  // base - (base - w) is w up to rounding, so the runs drift by rounding only
                QVERIFY2(std::abs(reports[other].stepLosses[i] - reports[0].stepLosses[i]) < 1e-4,
                         qPrintable(QStringLiteral("step %1: %2").arg(i).arg(reports[other].stepLosses[i] - reports[0].stepLosses[i])));
        QCOMPARE(reports[1].baseHash.hex(), reports[2].baseHash.hex());
        QVERIFY(std::abs(reports[0].rounds.back().heldOutLoss - reports[1].rounds.back().heldOutLoss) < 1e-4);
    }

    /// Identity 2: k workers that see the same data are one worker, bit for bit.
    void workersWithTheSameDataAreOneWorker() {
        const auto reports = runAll(run("one", 1, "", "") + "," + run("four", 4, json(",'worker_data':'same'"), "") + "," + run("split", 4, "", ""));
        QCOMPARE(reports.size(), std::size_t{3});
        QCOMPARE(reports[0].baseHash.hex(), reports[1].baseHash.hex());
        QVERIFY(reports[0].baseHash != reports[2].baseHash);
        QCOMPARE(reports[1].bytesUp(), 4 * reports[0].bytesUp());
    }

    void codecsAndDropOut() {
        const auto reports = runAll(run("int8", 2, "", "") + "," + run("fp32", 2, "", json(",'upload_codec':'fp32','update_codec':'fp32'")) + "," +
                                    run("lossy", 4, json(",'drop_out':0.5"), "") + "," + run("again", 4, json(",'drop_out':0.5"), ""));
        QCOMPARE(reports.size(), std::size_t{4});
        QVERIFY(reports[0].bytesUp() * 3 < reports[1].bytesUp());
        QVERIFY(std::abs(reports[0].rounds.back().heldOutLoss - reports[1].rounds.back().heldOutLoss) < 0.1);
        for (const RunReport& report : reports) QVERIFY(report.initialHeldOutLoss - report.rounds.back().heldOutLoss > 0.5);
        std::int64_t contributions = 0;
        for (const auto& round : reports[2].rounds) contributions += round.contributors;
        QVERIFY(contributions > 0 && contributions < 16);
        QCOMPARE(reports[2].baseHash.hex(), reports[3].baseHash.hex());
    }

    void badPlansAreNamed_data() {
        QTest::addColumn<QByteArray>("runs");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("unknown key") << QByteArray("{'name':'x','colour':1}") << QByteArray("colour");
        QTest::newRow("unknown recipe key") << QByteArray("{'name':'x','recipe':{'lr':1}}") << QByteArray("lr");
        QTest::newRow("method") << QByteArray("{'name':'x','recipe':{'method':'magic'}}") << QByteArray("recipe.method");
        QTest::newRow("outer") << QByteArray("{'name':'x','outer':'maybe'}") << QByteArray("outer");
        QTest::newRow("many workers alone") << QByteArray("{'name':'x','outer':'none','workers':2}") << QByteArray("one worker");
    }
    void badPlansAreNamed() {
        QFETCH(QByteArray, runs);
        QFETCH(QByteArray, says);
        const auto path = std::filesystem::path(m_dir.path().toStdString()) / "bad.json";
        QVERIFY(core::writeFileAtomically(path, core::asBytes(json("{'model':") + kModel + json(",'runs':[") + json(runs.toStdString()) + "]}")));
        const auto plan = simulate::readPlan(path);
        QVERIFY(!plan);
        QVERIFY2(plan.error().text().find(says.toStdString()) != std::string::npos, plan.error().text().c_str());
    }
};

QTEST_GUILESS_MAIN(TestSimulate)
#include "tst_simulate.moc"
