// SPDX-License-Identifier: Apache-2.0
// Identities 1, 3, 7 and 11 of the DiLoCo family, as far as they concern the outer side.
#include "engine/core/files.h"
#include "engine/outer/outer_optimizer.h"
#include "engine/outer/round_close.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sunloco;
using core::Json;

namespace {
Json golden(const char* name) {
    const auto text = core::readTextFile(std::string(SUNLOCO_SOURCE_DIR "/tests/data/outer/") + name, 1 << 20);
    return text ? core::parseJson(*text).value() : Json();
}
std::vector<float> floats(const Json& list) { return list.get<std::vector<float>>(); }

/// Each value within some units in the last place of the reference, or of its own history: theta is a sum of steps.
bool close(const std::vector<float>& got, const std::vector<float>& wanted, float scale) {
    return std::equal(got.begin(), got.end(), wanted.begin(), wanted.end(), [scale](float a, float b) { return std::abs(a - b) <= 5e-7F * std::max(std::abs(b), scale); });
}

core::Recipe sgd(double eta, double mu) {
    core::Recipe recipe;
    recipe.outerLearningRate = eta;
    recipe.outerMomentum = mu;
    recipe.uploadCodec = recipe.updateCodec = core::Codec::Fp32;
    return recipe;
}

void addTo(std::vector<float>& theta, const std::vector<float>& update) {
    for (std::size_t i = 0; i < theta.size(); ++i) { theta[i] += update[i]; }
}

outer::RoundContribution contribution(const std::string& id, std::int64_t tokens, std::vector<float> delta) {
    return {id, tokens, [delta = std::move(delta)](std::span<float> out) {
                std::copy(delta.begin(), delta.end(), out.begin());
                return core::Result<void>{};
            }};
}
}  // namespace

class TestOuterStep : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalsTorchSgd();
    void equalsTorchSgdAfterARestart();
    void threeRoundsTwoWorkers();
    void identity1_oneWorkerPlainSgdIsTheWorker();
    void identity3_oneStepIsTheMeanGradient();
    void fedAvgIsTheMeanOfTheWeights();
    void firstStepAndLongRun();
    void residualCarriesOver();
    void stateMustFit();
};

void TestOuterStep::equalsTorchSgd() {
    const Json reference = golden("nesterov_20_steps.json");
    std::vector<float> theta = floats(reference["start"]), update;
    outer::OuterState state;
    QCOMPARE(reference["steps"].size(), std::size_t{20});
    for (const Json& step : reference["steps"]) {
        QVERIFY(outer::outerStep(sgd(reference["eta"], reference["mu"]), floats(step["g"]), state, update));
        addTo(theta, update);
        QVERIFY(close(state.momentum, floats(step["buf"]), 1e-3F));
        QVERIFY(close(theta, floats(step["theta"]), 1.0F));
    }
    QCOMPARE(state.revision, std::int64_t{20});
}

void TestOuterStep::equalsTorchSgdAfterARestart() {
    const Json reference = golden("nesterov_20_steps.json");
    const core::Recipe recipe = sgd(reference["eta"], reference["mu"]);
    std::vector<float> theta = floats(reference["start"]), update;
    outer::OuterState state;
    for (std::size_t i = 0; i < 20; ++i) {
        if (i == 10) { state = outer::OuterState{floats(reference["steps"][9]["buf"]), {}, 10}; }   // what a checkpoint keeps
        QVERIFY(outer::outerStep(recipe, floats(reference["steps"][i]["g"]), state, update));
        addTo(theta, update);
    }
    QVERIFY(close(theta, floats(reference["steps"][19]["theta"]), 1.0F));
    QVERIFY(close(state.momentum, floats(reference["steps"][19]["buf"]), 1e-3F));
}

void TestOuterStep::threeRoundsTwoWorkers() {
    const Json reference = golden("three_rounds.json");
    const core::Recipe recipe = sgd(reference["eta"], reference["mu"]);
    std::vector<float> base = floats(reference["start"]);
    outer::OuterState state;
    QCOMPARE(reference["rounds"].size(), std::size_t{3});
    for (const Json& round : reference["rounds"]) {
        std::vector<outer::RoundContribution> contributions;
        for (std::size_t w = 0; w < 2; ++w) { contributions.push_back(contribution("worker " + std::to_string(w), round["tokens"][w], floats(round["deltas"][w]))); }
        QVERIFY(outer::closeRound(recipe, base, state, contributions));
        QVERIFY(close(base, floats(round["theta"]), 0.5F));
        QVERIFY(close(state.momentum, floats(round["buf"]), 0.02F));
    }
}

// k = 1, outer SGD with rate 1 and no momentum: the base becomes the worker's weights.
void TestOuterStep::identity1_oneWorkerPlainSgdIsTheWorker() {
    std::vector<float> base = {0.5F, -1.25F, 3e-4F, 100.0F, 0.0F};
    const std::vector<float> worker = {0.53F, -1.2501F, -2e-4F, 99.875F, 1e-8F};
    std::vector<float> delta(base.size());
    for (std::size_t i = 0; i < base.size(); ++i) { delta[i] = base[i] - worker[i]; }
    for (const core::OuterMethod method : {core::OuterMethod::DiLoCo, core::OuterMethod::FedAvg}) {
        core::Recipe recipe = sgd(1.0, 0.0);
        recipe.method = method;
        std::vector<float> next = base;
        outer::OuterState state;
        QVERIFY(outer::closeRound(recipe, next, state, {contribution("only", 512, delta)}));
        QVERIFY(close(next, worker, 1e-3F));
        // The sign: the base moves towards the worker, not away from it.
        for (std::size_t i = 0; i < base.size(); ++i) { QVERIFY(std::abs(next[i] - worker[i]) <= std::abs(base[i] - worker[i])); }
    }
}

// H = 1 and inner SGD with rate a: D_i = a * g_i, so outer SGD(1, 0) is one step of SGD with the mean gradient of the large batch.
void TestOuterStep::identity3_oneStepIsTheMeanGradient() {
    const float rate = 0.25F;
    const std::vector<std::vector<float>> gradients = {{1.0F, -2.0F, 0.5F}, {3.0F, 4.0F, -0.5F}, {-1.0F, 1.0F, 6.0F}};
    std::vector<float> base = {1.0F, 2.0F, 3.0F};
    const std::vector<float> start = base;
    std::vector<outer::RoundContribution> contributions;
    for (std::size_t w = 0; w < 3; ++w) {
        std::vector<float> delta(3);
        for (std::size_t i = 0; i < 3; ++i) { delta[i] = start[i] - (start[i] - rate * gradients[w][i]); }
        contributions.push_back(contribution(std::to_string(w), 64, delta));
    }
    outer::OuterState state;
    QVERIFY(outer::closeRound(sgd(1.0, 0.0), base, state, contributions));
    for (std::size_t i = 0; i < 3; ++i) { QVERIFY(std::abs(base[i] - (start[i] - rate * (gradients[0][i] + gradients[1][i] + gradients[2][i]) / 3)) < 1e-6F); }
}

void TestOuterStep::fedAvgIsTheMeanOfTheWeights() {
    core::Recipe recipe = sgd(0.3, 0.9);   // FedAvg does not look at them
    recipe.method = core::OuterMethod::FedAvg;
    std::vector<float> base = {1.0F, -1.0F};
    outer::OuterState state;
    // W = {3, 0} with 100 tokens and {0, -2} with 300: their mean is {0.75, -1.5}.
    for (int round = 0; round < 3; ++round) {
        base = {1.0F, -1.0F};
        QVERIFY(outer::closeRound(recipe, base, state, {contribution("a", 100, {-2.0F, -1.0F}), contribution("b", 300, {1.0F, 1.0F})}));
        QVERIFY(close(base, {0.75F, -1.5F}, 1.0F));
    }
    QVERIFY(state.momentum.empty());
}

// The first step moves (1 + mu) * eta * g; a constant g tends to eta / (1 - mu) * g a step.
void TestOuterStep::firstStepAndLongRun() {
    const core::Recipe recipe = sgd(0.7, 0.9);
    outer::OuterState state;
    std::vector<float> update;
    QVERIFY(outer::outerStep(recipe, std::vector<float>{1.0F}, state, update));
    QVERIFY(std::abs(update[0] + 1.33F) < 1e-6F);
    for (int i = 0; i < 400; ++i) { QVERIFY(outer::outerStep(recipe, std::vector<float>{1.0F}, state, update)); }
    QVERIFY(std::abs(update[0] + 7.0F) < 1e-4F);
}

void TestOuterStep::residualCarriesOver() {
    core::Recipe recipe = sgd(1.0, 0.0);
    recipe.updateCodec = core::Codec::Int8;
    outer::OuterState state;
    state.residual = {0.5F, -0.25F};
    std::vector<float> update;
    QVERIFY(outer::outerStep(recipe, std::vector<float>{1.0F, 1.0F}, state, update));
    QCOMPARE(update, (std::vector<float>{-0.5F, -1.25F}));
}

void TestOuterStep::stateMustFit() {
    outer::OuterState state;
    state.momentum = {1.0F};
    std::vector<float> update;
    const std::vector<float> two(2);
    QCOMPARE(outer::outerStep(sgd(0.7, 0.9), two, state, update).error().code, core::ErrorCode::InvalidData);
    state.momentum = {1.0F, std::numeric_limits<float>::quiet_NaN()};
    QCOMPARE(outer::outerStep(sgd(0.7, 0.9), two, state, update).error().code, core::ErrorCode::Numeric);
}

QTEST_GUILESS_MAIN(TestOuterStep)
#include "tst_outer_step.moc"
