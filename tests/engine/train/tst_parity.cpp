// SPDX-License-Identifier: Apache-2.0
// Golden numbers: Hugging Face transformers with PyTorch, see tests/data/reference/README.md.
#include "engine/core/files.h"
#include "engine/model/parallel.h"
#include "engine/train/parity.h"
#include "engine/train/selftest.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <bit>

using namespace sunloco;

class TestParity : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void references_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("isa");
        QTest::addColumn<int>("threads");
        for (const char* name : {"llama-gqa", "llama-tied", "gpt2"})
            for (const model::Isa isa : {model::Isa::Generic, model::Isa::Avx2, model::Isa::Avx512})
                for (const int threads : {1, 2})
                    if (model::kernelsFor(isa) != nullptr && (threads == 1 || isa == model::bestKernels().isa))
                        QTest::addRow("%s %s, %d threads", name, model::isaName(isa), threads)
                            << (QStringLiteral(SUNLOCO_SOURCE_DIR "/tests/data/reference/") + QLatin1String(name)) << static_cast<int>(isa) << threads;
    }
    void references() {
        QFETCH(QString, folder);
        QFETCH(int, isa);
        QFETCH(int, threads);
        model::setThreadCount(threads);
        const auto report = train::runParity(folder.toStdString(), *model::kernelsFor(static_cast<model::Isa>(isa)));
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(report->compared);
        QVERIFY(report->worstLogit.has_value());
        QVERIFY2(report->within({}), train::toJson(*report).dump().c_str());
        QVERIFY(report->referenceFp32.loss > 0 && report->referenceFp32.loss < 1e-4);   // the wider bounds stay narrow
        QVERIFY2(report->steps.front().loss > report->steps.back().loss + 0.5, "the run does not learn");
    }

    /// Every feature of a config, and every way in which transformers writes a model.
    void features_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("isa");
        for (const auto& entry : std::filesystem::directory_iterator(SUNLOCO_SOURCE_DIR "/tests/data/reference/features"))
            for (const model::Isa isa : {model::Isa::Generic, model::bestKernels().isa})
                QTest::addRow("%s %s", entry.path().filename().c_str(), model::isaName(isa)) << QString::fromStdString(entry.path().string()) << static_cast<int>(isa);
    }
    void features() {
        QFETCH(QString, folder);
        QFETCH(int, isa);
        model::setThreadCount(1);
        const auto report = train::runParity(folder.toStdString(), *model::kernelsFor(static_cast<model::Isa>(isa)));
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(report->compared && report->worstLogit.has_value() && report->steps.size() == 8);
        QVERIFY2(report->within({}), train::toJson(*report).dump().c_str());
    }

    /// The comparison must be able to fail: one weight is moved by a thousandth.
    void noticesAWrongWeight() {
        QTemporaryDir copy;
        const std::filesystem::path from = SUNLOCO_SOURCE_DIR "/tests/data/reference/llama-gqa", to = copy.path().toStdString();
        for (const auto& entry : std::filesystem::directory_iterator(from)) std::filesystem::copy(entry.path(), to / entry.path().filename());
        auto bytes = core::readFile(to / "model.safetensors", 8 << 20);
        QVERIFY(bytes);
        for (std::size_t i = 0; i < 400; i += 4) (*bytes)[bytes->size() - 2 - i] ^= 0x08;
        std::filesystem::remove(to / "model.safetensors");
        QVERIFY(core::writeFileAtomically(to / "model.safetensors", *bytes));
        const auto report = train::runParity(to, model::bestKernels());
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(!report->within({}));
    }

    void selftestPasses() {
        const auto checks = train::runSelftest("cpu");
        for (const auto& check : checks) QVERIFY2(check.result != train::CheckResult::Failed, (check.name + ": " + check.text).c_str());
        QVERIFY(checks.size() >= 8);
    }
    /// Any single bit of a weight that flips in one of two runs is found by comparing them; one that is wrong both times, by the known answer.
    void selftestFindsFlippedBits() {
        const auto resultOf = [](const std::vector<train::SelfCheck>& checks, std::string_view name) {
            for (const auto& check : checks)
                if (check.name.starts_with(name)) return check.result;
            return train::CheckResult::Missing;
        };
        for (int bit = 0; bit < 32; ++bit) {
            const auto flip = [bit](std::span<float> weights) {
                float& w = weights[1234 + 77 * static_cast<std::size_t>(bit)];
                w = std::bit_cast<float>(std::bit_cast<std::uint32_t>(w) ^ 1u << bit);
            };
            const auto once = train::runSelftest("cpu", [&](std::span<float> weights, int run) {
                if (run == 1) flip(weights);
            });
            QVERIFY2(resultOf(once, "the same step twice") == train::CheckResult::Failed, qPrintable(QStringLiteral("bit %1").arg(bit)));
            QVERIFY(resultOf(once, "known answer") == train::CheckResult::Passed);
            if (bit != 30) continue;  // the exponent's highest bit
            const auto always = train::runSelftest("cpu", [&](std::span<float> weights, int) { flip(weights); });
            QVERIFY(resultOf(always, "known answer") == train::CheckResult::Failed);
            QVERIFY(!train::allPassed(always));
        }
    }
    void selftestNamesAMissingDevice() {
        QVERIFY(!train::allPassed(train::runSelftest("tpu:0")));
    }
};

QTEST_GUILESS_MAIN(TestParity)
#include "tst_parity.moc"
