// SPDX-License-Identifier: Apache-2.0
#include "engine/core/recipe.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>

namespace sunloco::core {

namespace {
/// One place that knows every key: reading, writing and the closed schema all walk it.
template <typename Visitor>
void visit(Recipe& r, Visitor&& v) {
    v.integer("batch_sequences", r.batchSequences, 1, 1 << 20);
    v.integer("sequence_length", r.sequenceLength, 2, 1 << 17);
    v.integer("inner_steps", r.innerSteps, 1, 1'000'000);
    v.integer("min_inner_steps", r.minInnerSteps, 1, 1'000'000);
    v.number("learning_rate", r.learningRate, 0, 10);
    v.number("min_lr_ratio", r.minLrRatio, 0, 1);
    v.integer("warmup_steps", r.warmupSteps, 0, 100'000'000);
    v.integer("total_steps", r.totalSteps, 1, 1'000'000'000);
    v.number("beta1", r.beta1, 0, 0.999999);
    v.number("beta2", r.beta2, 0, 0.999999);
    v.number("adam_epsilon", r.adamEpsilon, 1e-20, 1);
    v.number("weight_decay", r.weightDecay, 0, 10);
    v.number("grad_clip", r.gradClip, 1e-6, 1e9);
    v.choice("inner_state", r.innerState, {{"keep", InnerState::Keep}, {"reset", InnerState::Reset}});
    v.choice("weights", r.weights, {{"fp32", WeightFormat::Fp32}, {"bf16", WeightFormat::Bf16}, {"bf16_stochastic", WeightFormat::Bf16Stochastic}});
    v.choice("method", r.method, {{"diloco", OuterMethod::DiLoCo}, {"fedavg", OuterMethod::FedAvg}});
    v.number("outer_learning_rate", r.outerLearningRate, 0, 10);
    v.number("outer_momentum", r.outerMomentum, 0, 0.9999);
    v.choice("upload_codec", r.uploadCodec, {{"fp32", Codec::Fp32}, {"int8", Codec::Int8}});
    v.choice("update_codec", r.updateCodec, {{"fp32", Codec::Fp32}, {"int8", Codec::Int8}});
    v.integer("codec_block", r.codecBlock, 1, 32768);
    v.integer("quorum", r.quorum, 1, 100'000);
    v.integer("round_deadline_seconds", r.roundDeadlineSeconds, 1, 30 * 86'400);
    v.integer("min_contributions", r.minContributions, 1, 100'000);
    v.integer("leases_per_device", r.leasesPerDevice, 1, 16);
    v.integer("lease_seconds", r.leaseSeconds, 1, 30 * 86'400);
    v.integer("checkpoint_every", r.checkpointEvery, 1, 2'500);   // rounds.json names at most 3,500 updates, a quarter more than these
    v.seed("seed", r.seed);
}

class Reader {
public:
    Reader(const Json& json, std::string_view where) : m_json(json), m_where(where) {}
    void integer(const char* key, std::int64_t& value, std::int64_t min, std::int64_t max) {
        if (known(key)) { take(intMember(m_json, key, m_where, min, max), value); }
    }
    void number(const char* key, double& value, double min, double max) {
        if (known(key)) { take(numberMember(m_json, key, m_where, min, max), value); }
    }
    void seed(const char* key, std::uint64_t& value) {
        std::int64_t v = 0;
        if (known(key)) {
            take(intMember(m_json, key, m_where, 0, INT64_MAX), v);
            value = static_cast<std::uint64_t>(v);
        }
    }
    template <typename E>
    void choice(const char* key, E& value, std::initializer_list<std::pair<const char*, E>> options) {
        if (!known(key)) { return; }
        std::string text;
        take(stringMember(m_json, key, m_where), text);
        std::string all;
        for (const auto& [optionName, option] : options) {
            if (text == optionName) {
                value = option;
                return;
            }
            all += std::string(all.empty() ? "" : ", ") + optionName;
        }
        fail(Error{ErrorCode::Unsupported, "\"" + std::string(m_where) + "." + key + "\" must be one of: " + all, {}});
    }
    /// The first error; a key nobody asked for is one too.
    Result<void> finish() const {
        if (m_error) { return *m_error; }
        for (const auto& [key, value] : m_json.items()) {
            bool asked = false;
            for (const char* k : m_asked) { asked = asked || key == k; }
            if (!asked) { return Error{ErrorCode::Unsupported, "The key \"" + std::string(m_where) + "." + key.substr(0, 100) + "\" is unknown", {}}; }
        }
        return {};
    }

private:
    bool known(const char* key) {
        m_asked.push_back(key);
        return m_json.contains(key);
    }
    template <typename T>
    void take(Result<T> result, T& value) {
        if (result) { value = std::move(result).value(); } else { fail(std::move(result).error()); }
    }
    void fail(Error error) {
        if (!m_error) { m_error = std::move(error); }
    }
    const Json& m_json;
    std::string_view m_where;
    std::vector<const char*> m_asked;
    std::optional<Error> m_error;
};

class Writer {
public:
    Json json = Json::object();
    void integer(const char* key, const std::int64_t& value, std::int64_t, std::int64_t) { json[key] = value; }
    void number(const char* key, const double& value, double, double) { json[key] = value; }
    void seed(const char* key, const std::uint64_t& value) { json[key] = value; }
    template <typename E>
    void choice(const char* key, const E& value, std::initializer_list<std::pair<const char*, E>> options) {
        for (const auto& [optionName, option] : options) {
            if (option == value) { json[key] = optionName; }
        }
    }
};
}  // namespace

Result<Recipe> parseRecipe(const Json& json, std::string_view where) {
    if (!json.is_object()) { return Error{ErrorCode::InvalidData, "A recipe must be an object", std::string(where)}; }
    Recipe recipe;
    Reader reader(json, where);
    visit(recipe, reader);
    if (auto ok = reader.finish(); !ok) { return ok.error(); }
    const std::string prefix = "\"" + std::string(where) + ".";
    if (recipe.minInnerSteps > recipe.innerSteps) {
        return Error{ErrorCode::InvalidData, prefix + "min_inner_steps\" is " + std::to_string(recipe.minInnerSteps) + ", more than inner_steps (" + std::to_string(recipe.innerSteps) + ")", {}};
    }
    if (recipe.minContributions > recipe.quorum) {
        return Error{ErrorCode::InvalidData, prefix + "min_contributions\" is larger than the quorum (" + std::to_string(recipe.quorum) + ")", {}};
    }
    return recipe;
}

Json toJson(const Recipe& recipe) {
    Recipe copy = recipe;
    Writer writer;
    visit(copy, writer);
    return writer.json;
}

double learningRateAt(const Recipe& recipe, std::int64_t t) {
    const double lr = recipe.learningRate;
    const double low = lr * recipe.minLrRatio;
    if (t < recipe.warmupSteps) { return lr * static_cast<double>(t + 1) / static_cast<double>(recipe.warmupSteps); }
    const double span = static_cast<double>(std::max<std::int64_t>(1, recipe.totalSteps - recipe.warmupSteps));
    const double x = std::min(1.0, static_cast<double>(t - recipe.warmupSteps) / span);
    return low + (lr - low) * 0.5 * (1.0 + std::cos(std::numbers::pi * x));
}

std::string_view name(Codec codec) { return codec == Codec::Fp32 ? "fp32" : "int8"; }
std::string_view name(OuterMethod method) { return method == OuterMethod::DiLoCo ? "diloco" : "fedavg"; }

Result<Codec> parseCodec(std::string_view text) {
    if (text == "fp32") { return Codec::Fp32; }
    if (text == "int8") { return Codec::Int8; }
    return Error{ErrorCode::Unsupported, "The codec \"" + std::string(text.substr(0, 40)) + "\" is unknown; known are fp32 and int8", {}};
}

}  // namespace sunloco::core
