// SPDX-License-Identifier: Apache-2.0
#include "engine/core/files.h"
#include "engine/core/initial_weights.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace sunloco::core;

namespace {
ModelConfig configOf(const char* model) {
    return parseModelConfig(readTextFile(std::filesystem::path(SUNLOCO_SOURCE_DIR "/tests/data/reference") / model / "config.json", 1 << 20).value()).value();
}

struct Moments {
    double mean = 0;
    double deviation = 0;
    double largest = 0;
};
Moments momentsOf(const std::vector<float>& arena, const TensorSlot& slot) {
    Moments m;
    double squares = 0;
    for (std::int64_t i = 0; i < slot.count; ++i) {
        const double v = static_cast<double>(arena[static_cast<std::size_t>(slot.offset + i)]);
        m.mean += v;
        squares += v * v;
        m.largest = std::max(m.largest, std::abs(v));
    }
    m.mean /= static_cast<double>(slot.count);
    m.deviation = std::sqrt(squares / static_cast<double>(slot.count) - m.mean * m.mean);
    return m;
}
}  // namespace

class TestInitialWeights : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void philoxKnownAnswers();
    void sameBitsEverywhere_data();
    void sameBitsEverywhere();
    void distribution_data();
    void distribution();
    void everySeedAndTensorItsOwn();
};

// The known-answer values of Random123 1.14 (kat_vectors, philox4x32 10 rounds).
void TestInitialWeights::philoxKnownAnswers() {
    using Words = std::array<std::uint32_t, 4>;
    QCOMPARE(philox(0, 0, 0), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    QCOMPARE(philox(~0ull, ~0ull, ~0ull), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    QCOMPARE(philox(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822), (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// By a second implementation: tests/data/initial_weights/make_golden.py. They may change only together with the meaning of a seed.
void TestInitialWeights::sameBitsEverywhere_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("hash");
    QTest::newRow("gpt2") << QByteArray("gpt2") << QByteArray("ff1113d76ee2098749852d48e92737a82ae40971991aeab4b390489e27c15ac8");
    QTest::newRow("llama-gqa") << QByteArray("llama-gqa") << QByteArray("84a99cca9103cd50d8b06a5d7defd1fbf0b03d56362d9b1cc07327b92db38806");
    QTest::newRow("llama-tied") << QByteArray("llama-tied") << QByteArray("a8442d732d235d6a2e89d69f33976df8047e9ab6de91279947191ea252552da7");
}
void TestInitialWeights::sameBitsEverywhere() {
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, hash);
    const ModelConfig config = configOf(model.constData());
    QCOMPARE(arenaHash(initialWeights(config, makeLayout(config), 42)).hex(), hash.toStdString());
}

void TestInitialWeights::distribution_data() {
    QTest::addColumn<QByteArray>("model");
    QTest::newRow("gpt2") << QByteArray("gpt2");
    QTest::newRow("llama-gqa") << QByteArray("llama-gqa");
}
void TestInitialWeights::distribution() {
    QFETCH(QByteArray, model);
    const ModelConfig config = configOf(model.constData());
    const TensorLayout layout = makeLayout(config);
    const auto arena = initialWeights(config, layout, 1);
    for (const TensorSlot& slot : layout.slots) {
        const Moments m = momentsOf(arena, slot);
        if (slot.shape.size() < 2) {
            const bool bias = slot.name.ends_with(".bias");
            QVERIFY2(m.mean == (bias ? 0.0 : 1.0) && m.deviation == 0, slot.name.c_str());
            continue;
        }
        // GPT-2 (Radford et al. 2019): residual projections start smaller by sqrt(2 * layers).
        const double wanted = slot.name.ends_with("c_proj.weight") ? 0.02 / std::sqrt(6.0) : 0.02;
        const double error = wanted / std::sqrt(static_cast<double>(slot.count));
        QVERIFY2(std::abs(m.mean) < 5 * error, slot.name.c_str());
        QVERIFY2(std::abs(m.deviation - wanted) < 5 * error, slot.name.c_str());
        QVERIFY2(m.largest > 2.5 * wanted && m.largest < 6 * wanted, slot.name.c_str());
    }
}

void TestInitialWeights::everySeedAndTensorItsOwn() {
    const ModelConfig config = configOf("llama-gqa");
    const TensorLayout layout = makeLayout(config);
    const auto one = initialWeights(config, layout, 1), two = initialWeights(config, layout, 2), large = initialWeights(config, layout, (1ull << 32) + 1);
    QVERIFY(one != two);
    QVERIFY(one != large);   // all 64 bits of the seed count
    const auto slotOf = [&](const char* name) { return *std::find_if(layout.slots.begin(), layout.slots.end(), [&](const TensorSlot& s) { return s.name == name; }); };
    const TensorSlot k = slotOf("model.layers.0.self_attn.k_proj.weight"), v = slotOf("model.layers.0.self_attn.v_proj.weight");
    QCOMPARE(k.count, v.count);
    QVERIFY(!std::equal(one.begin() + k.offset, one.begin() + k.offset + k.count, one.begin() + v.offset));
}

QTEST_GUILESS_MAIN(TestInitialWeights)
#include "tst_initial_weights.moc"
