// SPDX-License-Identifier: Apache-2.0
// Identities 8, 9 (error feedback) and 10 of the DiLoCo family, and what closing a round promises about errors and memory.
#include "engine/codec/codec.h"
#include "engine/core/initial_weights.h"
#include "engine/outer/round_close.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sunloco;
using core::ErrorCode;

namespace {
std::vector<float> made(std::size_t elements, std::uint64_t stream, float scale) {
    std::vector<float> values(elements);
    for (std::size_t i = 0; i < elements; ++i) { values[i] = scale * static_cast<float>(static_cast<std::int32_t>(core::philox(i, stream, 3)[0])) * 0x1p-31F; }
    return values;
}

outer::RoundContribution contribution(const std::string& id, std::int64_t tokens, std::vector<float> delta) {
    return {id, tokens, [delta = std::move(delta)](std::span<float> out) {
                std::copy(delta.begin(), delta.end(), out.begin());
                return core::Result<void>{};
            }};
}

outer::RoundContribution byRange(const std::string& id, std::int64_t tokens, const std::vector<float>& delta, std::vector<std::int64_t>* asked = nullptr) {
    return {id, tokens, {}, [&delta, asked](std::int64_t first, std::span<float> out) {
                if (asked != nullptr) { asked->push_back(first); }
                std::copy_n(delta.begin() + first, out.size(), out.begin());
                return core::Result<void>{};
            }};
}

/// A round's end: new base, new state.
struct Outcome {
    std::vector<float> base;
    outer::OuterState state;
    core::Bytes update;
    core::Digest baseHash;
    core::Digest momentumHash;
    bool operator==(const Outcome& o) const { return base == o.base && state.momentum == o.state.momentum && state.residual == o.state.residual && update == o.update && baseHash == o.baseHash && momentumHash == o.momentumHash; }
};
Outcome closed(const core::Recipe& recipe, std::vector<float> base, outer::OuterState state, const std::vector<outer::RoundContribution>& contributions) {
    auto result = outer::closeRound(recipe, base, state, contributions);
    if (!result) { return {}; }
    return {std::move(base), std::move(state), std::move(result->update), result->baseHash, result->momentumHash};
}
}  // namespace

class TestRoundClose : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyDeviceGetsTheSameBase_data();
    void everyDeviceGetsTheSameBase();
    void anyOrderSameBits();
    void zeroTokensChangeNothing();
    void mergedOnce();
    void windowsGiveTheSameBits();
    void errorFeedbackTelescopes();
    void afterAnErrorAllIsAsBefore();
    void refusals();
};

void TestRoundClose::everyDeviceGetsTheSameBase_data() {
    QTest::addColumn<int>("method");
    QTest::addColumn<int>("codec");
    for (const auto method : {core::OuterMethod::DiLoCo, core::OuterMethod::FedAvg}) {
        for (const auto codec : {core::Codec::Fp32, core::Codec::Int8}) { QTest::addRow("%s %s", std::string(core::name(method)).c_str(), std::string(core::name(codec)).c_str()) << static_cast<int>(method) << static_cast<int>(codec); }
    }
}
// base' = base + dequant(update), from the published bytes alone, has the published hash.
void TestRoundClose::everyDeviceGetsTheSameBase() {
    QFETCH(int, method);
    QFETCH(int, codec);
    core::Recipe recipe;
    recipe.method = static_cast<core::OuterMethod>(method);
    recipe.updateCodec = static_cast<core::Codec>(codec);
    std::vector<float> base = made(1001, 1, 1.0F);
    std::vector<float> device = base;
    outer::OuterState state;
    for (std::uint64_t round = 0; round < 5; ++round) {
        const auto result = outer::closeRound(recipe, base, state, {contribution("a", 640, made(1001, 10 + round, 0.01F)), contribution("b", 320, made(1001, 20 + round, 0.02F))});
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        std::vector<float> update(device.size());
        QVERIFY(codec::decodeAll(result->update, update));
        for (std::size_t i = 0; i < device.size(); ++i) { device[i] += update[i]; }
        QCOMPARE(device, base);
        QCOMPARE(core::arenaHash(device).hex(), result->baseHash.hex());
        QCOMPARE(outer::outerStateHash(state).hex(), result->momentumHash.hex());
        QCOMPARE(state.revision, static_cast<std::int64_t>(round) + 1);
    }
    QCOMPARE(state.momentum.empty(), recipe.method == core::OuterMethod::FedAvg);
    QCOMPARE(state.residual.empty(), recipe.updateCodec == core::Codec::Fp32);
}

void TestRoundClose::anyOrderSameBits() {
    const std::vector<float> base = made(500, 1, 1.0F);
    std::vector<outer::RoundContribution> contributions;
    for (std::uint64_t i = 0; i < 6; ++i) { contributions.push_back(contribution(std::to_string(i), 1000 + 37 * static_cast<std::int64_t>(i), made(500, 50 + i, 0.03F))); }
    const Outcome first = closed({}, base, {}, contributions);
    QVERIFY(!first.base.empty());
    for (int i = 0; i < 20; ++i) {
        std::rotate(contributions.begin(), contributions.begin() + 1 + i % 3, contributions.end());
        if (i % 2 == 1) { std::reverse(contributions.begin(), contributions.end() - 2); }
        QVERIFY(closed({}, base, {}, contributions) == first);
    }
}

void TestRoundClose::zeroTokensChangeNothing() {
    const std::vector<float> base = made(100, 1, 1.0F), delta = made(100, 2, 0.1F);
    const Outcome alone = closed({}, base, {}, {contribution("a", 100, delta)});
    QVERIFY(!alone.base.empty());
    // Its delta is not even read.
    const outer::RoundContribution idle{"idle", 0, [](std::span<float>) -> core::Result<void> { return core::Error{ErrorCode::NotFound, "must not be read", {}}; }};
    QVERIFY(closed({}, base, {}, {idle, contribution("a", 100, delta)}) == alone);
    // All workers with the same delta are one worker.
    const Outcome twins = closed({}, base, {}, {contribution("a", 100, delta), contribution("b", 100, delta)});
    for (std::size_t i = 0; i < base.size(); ++i) { QVERIFY(std::abs(twins.base[i] - alone.base[i]) < 1e-6F); }
}

// The same upload under the same id cannot count twice.
void TestRoundClose::mergedOnce() {
    std::vector<float> base = made(10, 1, 1.0F);
    const std::vector<float> before = base;
    outer::OuterState state;
    const auto result = outer::closeRound({}, base, state, {contribution("a", 100, made(10, 2, 0.1F)), contribution("b", 100, made(10, 3, 0.1F)), contribution("a", 100, made(10, 2, 0.1F))});
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::InvalidArgument);
    QCOMPARE(result.error().context, std::string("a"));
    QCOMPARE(base, before);
}

// Two windows with a rest: 1 Mi fp32 elements and some.
void TestRoundClose::windowsGiveTheSameBits() {
    core::Recipe recipe;
    recipe.uploadCodec = recipe.updateCodec = core::Codec::Fp32;
    const std::int64_t window = outer::mergeWindow(recipe);
    QCOMPARE(window, std::int64_t{1} << 20);
    const std::size_t elements = static_cast<std::size_t>(window) + 777;
    const std::vector<float> base = made(elements, 1, 1.0F), one = made(elements, 2, 0.1F), two = made(elements, 3, 0.1F);
    std::vector<std::int64_t> asked;
    const Outcome whole = closed(recipe, base, {}, {contribution("a", 100, one), contribution("b", 50, two)});
    QVERIFY(closed(recipe, base, {}, {byRange("a", 100, one, &asked), byRange("b", 50, two)}) == whole);
    QCOMPARE(asked, (std::vector<std::int64_t>{0, window}));
    recipe.updateCodec = core::Codec::Int8;
    QCOMPARE(outer::mergeWindow(recipe), std::int64_t{4} << 20);
    const Outcome int8 = closed(recipe, base, {}, {contribution("a", 100, one)});
    QVERIFY(closed(recipe, base, {}, {byRange("a", 100, one)}) == int8);
    QVERIFY(!int8.base.empty() && int8.base != whole.base);
}

// sum of published updates + residual == sum of wanted updates: what the codec loses in one round comes back in the next ones.
void TestRoundClose::errorFeedbackTelescopes() {
    core::Recipe lossy;
    lossy.outerLearningRate = 1;
    lossy.outerMomentum = 0;
    lossy.codecBlock = 256;
    const std::vector<float> start = made(256, 1, 1.0F);
    std::vector<float> base = start, wanted = start;
    outer::OuterState state;
    double lost = 0;
    for (std::uint64_t round = 0; round < 50; ++round) {
        std::vector<float> delta = made(256, 100 + round, 0.001F);
        delta[7] = 1.0F;   // a large value makes steps of 1/127 for its block: the small ones are lost without feedback
        QVERIFY(outer::closeRound(lossy, base, state, {contribution("a", 100, delta)}));
        for (std::size_t i = 0; i < wanted.size(); ++i) { wanted[i] -= delta[i]; }
    }
    double largest = 0;
    for (std::size_t i = 0; i < base.size(); ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(base[i] + state.residual[i] - wanted[i])));
        lost = std::max(lost, static_cast<double>(std::abs(state.residual[i])));
    }
    QVERIFY2(largest < 2e-5, std::to_string(largest).c_str());
    QVERIFY2(lost > 1e-4 && lost < 0.5 * 1.1 / 127 + 1e-3, std::to_string(lost).c_str());
}

void TestRoundClose::afterAnErrorAllIsAsBefore() {
    std::vector<float> base = made(50, 1, 1.0F);
    outer::OuterState state;
    QVERIFY(outer::closeRound({}, base, state, {contribution("a", 100, made(50, 2, 0.1F))}));
    const std::vector<float> baseBefore = base;
    const outer::OuterState before = state;
    std::vector<float> bad = made(50, 3, 0.1F);
    bad[49] = std::numeric_limits<float>::quiet_NaN();
    auto result = outer::closeRound({}, base, state, {contribution("good", 100, made(50, 4, 0.1F)), contribution("bad", 100, bad)});
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Numeric);
    QCOMPARE(result.error().context, std::string("bad"));
    const outer::RoundContribution missing{"missing", 100, [](std::span<float>) -> core::Result<void> { return core::Error{ErrorCode::Io, "The disk is broken", {}}; }};
    result = outer::closeRound({}, base, state, {contribution("good", 100, made(50, 4, 0.1F)), missing});
    QVERIFY(!result && result.error().code == ErrorCode::Io && result.error().context == "missing");
    QCOMPARE(base, baseBefore);
    QCOMPARE(state.momentum, before.momentum);
    QCOMPARE(state.residual, before.residual);
    QCOMPARE(state.revision, before.revision);
}

void TestRoundClose::refusals() {
    std::vector<float> base = made(5, 1, 1.0F);
    outer::OuterState state;
    QCOMPARE(outer::closeRound({}, base, state, {}).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(outer::closeRound({}, base, state, {contribution("a", 0, base)}).error().code, ErrorCode::InvalidArgument);
    QCOMPARE(outer::closeRound({}, base, state, {contribution("a", -5, base)}).error().code, ErrorCode::InvalidArgument);
    const std::int64_t much = std::int64_t{1} << 53;
    QCOMPARE(outer::closeRound({}, base, state, {contribution("a", much, base), contribution("b", 1, base)}).error().code, ErrorCode::InvalidArgument);
    state.momentum.resize(3);
    QCOMPARE(outer::closeRound({}, base, state, {contribution("a", 1, base)}).error().code, ErrorCode::InvalidData);
}

QTEST_GUILESS_MAIN(TestRoundClose)
#include "tst_round_close.moc"
