// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parity.h"

#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "engine/train/trainer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace sunloco::train {

namespace {

constexpr std::uint64_t kMaxJson = 16 << 20;
constexpr double kHuge = 1e300;

struct Expected {
    std::vector<double> loss, gradNorm;
};

core::Result<core::Recipe> readTraining(const std::filesystem::path& path) {
    auto text = core::readTextFile(path, kMaxJson);
    if (!text) return text.error();
    auto json = core::parseJson(*text, {}, path.string());
    if (!json) return json.error();
    core::Recipe recipe;
    const std::pair<const char*, double*> numbers[] = {{"lr", &recipe.learningRate}, {"min_lr_ratio", &recipe.minLrRatio}, {"eps", &recipe.adamEpsilon},
                                                       {"weight_decay", &recipe.weightDecay}, {"grad_clip", &recipe.gradClip}};
    for (const auto& [key, target] : numbers) {
        auto value = core::numberMember(*json, key, path.string(), 0, kHuge);
        if (!value) return value.error();
        *target = *value;
    }
    const std::pair<const char*, std::int64_t*> counts[] = {{"warmup_steps", &recipe.warmupSteps}, {"total_steps", &recipe.totalSteps}};
    for (const auto& [key, target] : counts) {
        auto value = core::intMember(*json, key, path.string(), 0, std::int64_t{1} << 40);
        if (!value) return value.error();
        *target = *value;
    }
    auto betas = core::member(*json, "betas", path.string());
    if (!betas) return betas.error();
    if (!(*betas)->is_array() || (*betas)->size() != 2 || !(**betas)[0].is_number() || !(**betas)[1].is_number())
        return core::Error{core::ErrorCode::InvalidData, "betas must be two numbers", path.string()};
    recipe.beta1 = (**betas)[0].get<double>();
    recipe.beta2 = (**betas)[1].get<double>();
    return recipe;
}

core::Result<Expected> readExpected(const std::filesystem::path& path) {
    auto text = core::readTextFile(path, kMaxJson);
    if (!text) return text.error();
    auto json = core::parseJson(*text, {kMaxJson, 16, 1'000'000}, path.string());
    if (!json) return json.error();
    auto steps = core::member(*json, "fp64", path.string());
    if (!steps) return steps.error();
    Expected expected;
    if ((*steps)->is_array())
        for (const core::Json& step : **steps) {
            auto loss = core::numberMember(step, "loss", path.string(), 0, kHuge);
            auto norm = core::numberMember(step, "grad_norm", path.string(), 0, kHuge);
            if (!loss || !norm) return loss ? norm.error() : loss.error();
            expected.loss.push_back(*loss);
            expected.gradNorm.push_back(*norm);
        }
    return expected;
}

core::Result<std::vector<float>> readNamed(const std::filesystem::path& path, std::string_view name) {
    auto header = core::readSafetensorsHeader(path);
    if (!header) return header.error();
    const core::TensorInfo* info = header->find(name);
    if (info == nullptr) return core::Error{core::ErrorCode::NotFound, "no tensor '" + std::string(name) + "'", path.string()};
    return core::readFloatTensor(path, *info);
}

double relative(double value, double wanted) { return std::abs(value - wanted) / std::max(std::abs(wanted), 1e-30); }

void compare(ParityReport& report, const Expected& expected) {
    report.compared = true;
    for (std::size_t i = 0; i < report.steps.size(); ++i) {
        const double loss = relative(report.steps[i].loss, expected.loss[i]), norm = relative(report.steps[i].gradNorm, expected.gradNorm[i]);
        report.worstLoss = std::max(report.worstLoss, loss);
        report.worstNorm = std::max(report.worstNorm, norm);
        if (i < 5) {
            report.worstEarlyLoss = std::max(report.worstEarlyLoss, loss);
            report.worstEarlyNorm = std::max(report.worstEarlyNorm, norm);
        }
    }
}

double worstDifference(std::span<const float> a, std::span<const float> b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return worst;
}

}  // namespace

bool ParityReport::within(const ParityBounds& bounds) const {
    const bool finite = std::all_of(steps.begin(), steps.end(), [](const ParityStep& s) { return std::isfinite(s.loss) && std::isfinite(s.gradNorm); });
    return finite && worstEarlyLoss <= bounds.earlyLoss && worstLoss <= bounds.loss && worstEarlyNorm <= bounds.earlyNorm && worstNorm <= bounds.norm &&
           worstLogit.value_or(0) <= bounds.logits;
}

core::Result<ParityReport> runParity(const std::filesystem::path& folder, const model::Kernels& kernels) {
    auto text = core::readTextFile(folder / "config.json", kMaxJson);
    if (!text) return text.error();
    auto config = core::parseModelConfig(*text, (folder / "config.json").string());
    if (!config) return config.error();
    auto recipe = readTraining(folder / "train.json");
    if (!recipe) return recipe.error();
    auto transformer = model::Transformer::create(*config);
    if (!transformer) return transformer.error();
    model::Transformer& lm = **transformer;
    auto start = core::loadArena(folder / "model.safetensors", lm.layout());
    if (!start) return start.error();

    const std::filesystem::path batchFile = folder / "batches.safetensors";
    auto header = core::readSafetensorsHeader(batchFile);
    if (!header) return header.error();
    const core::TensorInfo* info = header->find("tokens");
    if (info == nullptr || info->shape.size() != 4 || info->shape[3] < 2)
        return core::Error{core::ErrorCode::InvalidData, "needs a tensor 'tokens' of shape [steps, accumulation, B, T + 1]", batchFile.string()};
    auto tokens = core::readIntTensor(batchFile, *info);
    if (!tokens) return tokens.error();
    const std::int64_t steps = info->shape[0], accumulation = info->shape[1], B = info->shape[2], T = info->shape[3] - 1;

    auto state = TrainState::allocate(lm.layout().total);
    if (!state) return state.error();
    std::copy(start->begin(), start->end(), state->weights.data());
    model::OpenGate gate;
    model::Compute compute(kernels, gate);
    auto trainer = Trainer::create(lm, compute, optimizerOf(*recipe));
    if (!trainer) return trainer.error();

    ParityReport report;
    std::error_code ignored;
    if (const auto path = folder / "logits.safetensors"; std::filesystem::exists(path, ignored)) {
        auto wanted = readNamed(path, "logits");
        if (!wanted) return wanted.error();
        const model::Batch first{tokens->data(), 1, T};
        if (auto ready = lm.prepare(first, false); !ready) return ready.error();
        std::vector<float> got(static_cast<std::size_t>(T * config->vocabSize));
        if (got.size() != wanted->size()) return core::Error{core::ErrorCode::InvalidData, "logits must have shape [T, V]", path.string()};
        lm.logits(compute, first, state->weights.data(), got.data());
        report.worstLogit = worstDifference(got, *wanted);
    }
    for (std::int64_t t = 0; t < steps; ++t) {
        std::vector<model::Batch> micro;
        for (std::int64_t a = 0; a < accumulation; ++a) micro.push_back({tokens->data() + (t * accumulation + a) * B * (T + 1), B, T});
        const double learningRate = core::learningRateAt(*recipe, t);
        auto step = trainer->step(micro, learningRate, *state);
        if (!step) return step.error();
        report.steps.push_back({learningRate, step->loss, step->gradNorm});
    }
    if (const auto path = folder / "expected.json"; std::filesystem::exists(path, ignored)) {
        auto expected = readExpected(path);
        if (!expected) return expected.error();
        if (expected->loss.size() < report.steps.size())
            return core::Error{core::ErrorCode::InvalidData, "fewer steps than batches", path.string()};
        compare(report, *expected);
    }
    if (const auto path = folder / "final.safetensors"; std::filesystem::exists(path, ignored)) {
        auto wanted = core::loadArena(path, lm.layout());
        if (!wanted) return wanted.error();
        report.worstFinalWeight = worstDifference(state->weights.span(), *wanted);
    }
    return report;
}

core::Json toJson(const ParityReport& report) {
    core::Json json;
    json["steps"] = core::Json::array();
    for (const ParityStep& step : report.steps) json["steps"].push_back({{"lr", step.learningRate}, {"loss", step.loss}, {"grad_norm", step.gradNorm}});
    if (report.compared) {
        json["worst"] = {{"loss_first_5", report.worstEarlyLoss}, {"loss", report.worstLoss}, {"grad_norm_first_5", report.worstEarlyNorm},
                         {"grad_norm", report.worstNorm}};
        if (report.worstLogit) json["worst"]["logits"] = *report.worstLogit;
        if (report.worstFinalWeight) json["worst"]["final_weight"] = *report.worstFinalWeight;
        json["within_bounds"] = report.within({});
    }
    return json;
}

}  // namespace sunloco::train
