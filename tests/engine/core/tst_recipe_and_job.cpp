// SPDX-License-Identifier: Apache-2.0
#include "engine/core/job.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace sunloco::core;

namespace {
Job sampleJob() {
    Job job;
    job.modelConfigJson = "{\"model_type\": \"llama\"}";
    job.recipe.innerSteps = 7;
    job.recipe.minInnerSteps = 3;
    job.basePath = "base.safetensors";
    job.baseHash = sha256(asBytes("base"));
    job.shards = {{"/data/a.tokens", sha256(asBytes("a")), 1000}, {"b.tokens", sha256(asBytes("b")), 5}};
    job.tokenBytes = 4;
    job.examples = {1200, 84};
    job.firstGlobalStep = 21;
    job.steps = 7;
    job.timeBoxSeconds = 60;
    job.innerStateIn = "moments.safetensors";
    job.innerStateOut = "out.safetensors";
    return job;
}
}  // namespace

class TestRecipeAndJob : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void recipeRoundTrip();
    void badRecipes_data();
    void badRecipes();
    void learningRate();
    void jobRoundTrip();
    void badJobs_data();
    void badJobs();
    void resultRoundTrip();
};

void TestRecipeAndJob::recipeRoundTrip() {
    Recipe recipe;
    recipe.method = OuterMethod::FedAvg;
    recipe.uploadCodec = Codec::Fp32;
    recipe.innerState = InnerState::Reset;
    recipe.learningRate = 0.1 + 0.2;   // not a short decimal
    recipe.seed = 1ull << 62;
    recipe.weights = WeightFormat::Bf16Stochastic;
    const Json json = toJson(recipe);
    const auto back = parseRecipe(json);
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QVERIFY(toJson(*back) == json);
    QCOMPARE(back->learningRate, recipe.learningRate);
    QCOMPARE(back->seed, recipe.seed);
    QCOMPARE(back->method, OuterMethod::FedAvg);
    QCOMPARE(back->weights, WeightFormat::Bf16Stochastic);
    QCOMPARE(parseRecipe(Json::object())->weights, WeightFormat::Fp32);
    QVERIFY(toJson(*parseRecipe(Json::object())) == toJson(Recipe{}));
}

void TestRecipeAndJob::badRecipes_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("named");
    QTest::newRow("unknown key") << QByteArray(R"({"colour": 1})") << QByteArray("recipe.colour");
    QTest::newRow("unknown method") << QByteArray(R"({"method": "adam"})") << QByteArray("recipe.method");
    QTest::newRow("unknown weights") << QByteArray(R"({"weights": "fp16"})") << QByteArray("bf16_stochastic");
    QTest::newRow("weights as a list") << QByteArray(R"({"weights": ["bf16"]})") << QByteArray("recipe.weights");
    QTest::newRow("text for a number") << QByteArray(R"({"inner_steps": "10"})") << QByteArray("recipe.inner_steps");
    QTest::newRow("zero steps") << QByteArray(R"({"inner_steps": 0})") << QByteArray("recipe.inner_steps");
    QTest::newRow("momentum of 1") << QByteArray(R"({"outer_momentum": 1.0})") << QByteArray("recipe.outer_momentum");
    QTest::newRow("minimum above steps") << QByteArray(R"({"inner_steps": 5, "min_inner_steps": 6})") << QByteArray("recipe.min_inner_steps");
    QTest::newRow("contributions above quorum") << QByteArray(R"({"quorum": 2, "min_contributions": 3})") << QByteArray("recipe.min_contributions");
    QTest::newRow("negative seed") << QByteArray(R"({"seed": -1})") << QByteArray("recipe.seed");
    QTest::newRow("list") << QByteArray("[]") << QByteArray("object");
}
void TestRecipeAndJob::badRecipes() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, named);
    const auto recipe = parseRecipe(*parseJson(text.toStdString()));
    QVERIFY(!recipe);
    QVERIFY2(recipe.error().text().find(named.toStdString()) != std::string::npos, recipe.error().text().c_str());
}

void TestRecipeAndJob::learningRate() {
    Recipe r;
    r.learningRate = 1.0;
    r.minLrRatio = 0.1;
    r.warmupSteps = 10;
    r.totalSteps = 110;
    QCOMPARE(learningRateAt(r, 0), 0.1);
    QCOMPARE(learningRateAt(r, 9), 1.0);
    QCOMPARE(learningRateAt(r, 10), 1.0);
    QCOMPARE(learningRateAt(r, 60), 0.55);
    QCOMPARE(learningRateAt(r, 110), 0.1);
    QCOMPARE(learningRateAt(r, 1'000'000), 0.1);
    for (std::int64_t t = 10; t < 120; ++t) { QVERIFY(learningRateAt(r, t + 1) <= learningRateAt(r, t)); }
    r.warmupSteps = 0;
    r.totalSteps = 1;
    QVERIFY(std::isfinite(learningRateAt(r, 0)) && std::isfinite(learningRateAt(r, 5)));
}

void TestRecipeAndJob::jobRoundTrip() {
    const Job job = sampleJob();
    const auto back = parseJob(toJsonText(job));
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(toJsonText(*back), toJsonText(job));
    QVERIFY(back->kind == JobKind::Train && back->modelConfigJson == job.modelConfigJson && back->baseHash == job.baseHash && back->shards.size() == 2);
    QVERIFY(back->shards[1].path == "b.tokens" && back->shards[1].sha256 == job.shards[1].sha256 && back->shards[0].tokens == 1000);
    QVERIFY(back->tokenBytes == 4 && back->examples.first == 1200 && back->examples.count == 84 && back->firstGlobalStep == 21 && back->steps == 7 && back->recipe.innerSteps == 7);
    Job evaluate = job;
    evaluate.kind = JobKind::Evaluate;
    evaluate.maxSequences = 50;
    QVERIFY(parseJob(toJsonText(evaluate))->kind == JobKind::Evaluate);
}

void TestRecipeAndJob::badJobs_data() {
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* key, const char* value) { QTest::addRow("%s %s", key, value) << QByteArray(key) << QByteArray(value); };
    row("surprise", "1");
    row("kind", "\"delete\"");
    row("token_bytes", "3");
    row("base_hash", "\"abc\"");
    row("steps", "-1");
    row("steps", "1.5");
    row("shards", "{}");
    row("shards", R"([{"path":"x","sha256":"00","tokens":1}])");
    row("shards", R"([{"path":"x"}])");
    row("recipe", R"({"method":"magic"})");
    row("model", "{}");
}
void TestRecipeAndJob::badJobs() {
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, value);
    Json json = Json::parse(toJsonText(sampleJob()));
    json[key.toStdString()] = Json::parse(value.toStdString());
    QVERIFY(!parseJob(json.dump()));
    json = Json::parse(toJsonText(sampleJob()));
    json.erase(key.toStdString());
    if (key != "surprise") { QVERIFY(!parseJob(json.dump())); }
}

void TestRecipeAndJob::resultRoundTrip() {
    JobResult result;
    result.stepsDone = 7;
    result.tokens = 5376;
    result.entryLoss = 6.25;
    result.exitLoss = 5.5;
    result.activeSeconds = 12.75;
    result.deltaNorm = 0.125;
    result.parts = {{"part-0000.slcd", 100, sha256(asBytes("p")), 0, 70}, {"part-0001.slcd", 50, sha256(asBytes("q")), 70, 10}};
    const auto back = parseJobResult(toJsonText(result));
    QVERIFY2(back, back ? "" : back.error().text().c_str());
    QCOMPARE(toJsonText(*back), toJsonText(result));
    QVERIFY(back->parts[1].firstElement == 70 && back->parts[1].file == "part-0001.slcd" && back->parts[1].sha256 == result.parts[1].sha256 && back->exitLoss == 5.5);
    Json json = Json::parse(toJsonText(result));
    json["parts"][0]["elements"] = 0;
    QVERIFY(!parseJobResult(json.dump()));
    QVERIFY(!parseJobResult("{}"));
}

QTEST_GUILESS_MAIN(TestRecipeAndJob)
#include "tst_recipe_and_job.moc"
