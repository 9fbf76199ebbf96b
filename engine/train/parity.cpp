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
    std::vector<ParityStep> fp64, fp32;
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
    Expected expected;
    const std::pair<const char*, std::vector<ParityStep>*> runs[] = {{"fp64", &expected.fp64}, {"fp32", &expected.fp32}};
    for (const auto& [key, run] : runs) {
        auto steps = core::member(*json, key, path.string());
        if (!steps) return steps.error();
        if (!(*steps)->is_array()) continue;
        for (const core::Json& step : **steps) {
            auto loss = core::numberMember(step, "loss", path.string(), 0, kHuge);
            auto norm = core::numberMember(step, "grad_norm", path.string(), 0, kHuge);
            if (!loss || !norm) return loss ? norm.error() : loss.error();
            run->push_back({0, *loss, *norm});
        }
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

/// `run` may be the shorter of the two.
ParityDistances distances(std::span<const ParityStep> run, std::span<const ParityStep> fp64) {
    ParityDistances worst;
    for (std::size_t i = 0; i < std::min(run.size(), fp64.size()); ++i) {
        const double loss = relative(run[i].loss, fp64[i].loss), norm = relative(run[i].gradNorm, fp64[i].gradNorm);
        worst.loss = std::max(worst.loss, loss);
        worst.norm = std::max(worst.norm, norm);
        if (i < 5) {
            worst.earlyLoss = std::max(worst.earlyLoss, loss);
            worst.earlyNorm = std::max(worst.earlyNorm, norm);
        }
    }
    return worst;
}

double worstDifference(std::span<const float> a, std::span<const float> b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    return worst;
}

}  // namespace

bool ParityReport::within(const ParityBounds& bounds) const {
    const bool finite = std::all_of(steps.begin(), steps.end(), [](const ParityStep& s) { return std::isfinite(s.loss) && std::isfinite(s.gradNorm); });
    const auto fits = [](double distance, double bound, double reference) { return distance <= std::max(bound, 2 * reference); };
    return finite && fits(worst.earlyLoss, bounds.earlyLoss, referenceFp32.earlyLoss) && fits(worst.loss, bounds.loss, referenceFp32.loss) &&
           fits(worst.earlyNorm, bounds.earlyNorm, referenceFp32.earlyNorm) && fits(worst.norm, bounds.norm, referenceFp32.norm) &&
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
    auto start = core::loadArena(folder, lm.layout());
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
        if (expected->fp64.size() < report.steps.size())
            return core::Error{core::ErrorCode::InvalidData, "fewer steps than batches", path.string()};
        report.compared = true;
        report.worst = distances(report.steps, expected->fp64);
        report.referenceFp32 = distances(expected->fp32, std::span(expected->fp64).first(report.steps.size()));
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
        const auto asJson = [](const ParityDistances& d) {
            return core::Json{{"loss_first_5", d.earlyLoss}, {"loss", d.loss}, {"grad_norm_first_5", d.earlyNorm}, {"grad_norm", d.norm}};
        };
        json["worst"] = asJson(report.worst);
        json["reference_fp32"] = asJson(report.referenceFp32);
        if (report.worstLogit) json["worst"]["logits"] = *report.worstLogit;
        if (report.worstFinalWeight) json["worst"]["final_weight"] = *report.worstFinalWeight;
        json["within_bounds"] = report.within({});
    }
    return json;
}

}  // namespace sunloco::train
