// SPDX-License-Identifier: Apache-2.0
#include "engine/simulate/simulation_plan.h"

#include "engine/core/files.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace sunloco::simulate {

namespace {

using core::Error;
using core::ErrorCode;
using core::Json;
using core::Result;

constexpr std::uint64_t kMaxPlan = 4 << 20;
constexpr std::int64_t kMany = 1'000'000'000;

/// Optional members with a default; the first error is kept.
class Reader {
public:
    Reader(const Json& object, std::string where) : m_object(object), m_where(std::move(where)) {}
    void count(const char* key, std::int64_t& target, std::int64_t least, std::int64_t most = kMany) {
        if (m_object.contains(key)) take(core::intMember(m_object, key, m_where, least, most), target);
    }
    void number(const char* key, double& target, double least, double most) {
        if (m_object.contains(key)) take(core::numberMember(m_object, key, m_where, least, most), target);
    }
    void text(const char* key, std::string& target) {
        if (m_object.contains(key)) take(core::stringMember(m_object, key, m_where), target);
    }
    void known(std::initializer_list<std::string_view> keys) {
        if (auto ok = core::refuseUnknownKeys(m_object, keys, m_where); !ok) fail(ok.error());
    }
    void fail(const Error& error) {
        if (!m_error) m_error = error;
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    template <typename T>
    void take(Result<T> value, T& target) {
        if (value) target = std::move(*value);
        else fail(value.error());
    }
    const Json& m_object;
    std::string m_where;
    std::optional<Error> m_error;
};

Result<RunPlan> readRun(const Json& json, const std::string& where) {
    RunPlan run;
    Reader reader(json, where);
    reader.known({"name", "workers", "rounds", "outer", "worker_data", "drop_out", "recipe"});
    std::string outer = "recipe", data = "split";
    reader.text("name", run.name);
    reader.count("workers", run.workers, 1, 4096);
    reader.count("rounds", run.rounds, 1);
    reader.text("outer", outer);
    reader.text("worker_data", data);
    reader.number("drop_out", run.dropOut, 0, 1);
    if (reader.error()) return *reader.error();
    if (outer != "recipe" && outer != "none") return Error{ErrorCode::InvalidData, "outer must be \"recipe\" or \"none\"", where};
    if (data != "split" && data != "same") return Error{ErrorCode::InvalidData, "worker_data must be \"split\" or \"same\"", where};
    run.outer = outer == "none" ? Outer::None : Outer::Recipe;
    run.workerData = data == "same" ? WorkerData::Same : WorkerData::Split;
    if (run.outer == Outer::None && run.workers != 1) return Error{ErrorCode::InvalidData, "a run without outer steps has one worker", where};
    // Keys that the plan leaves out keep their defaults: the full recipe is made first, then overwritten.
    Json recipe = core::toJson(run.recipe);
    if (const auto given = json.find("recipe"); given != json.end()) {
        if (!given->is_object()) return Error{ErrorCode::InvalidData, "recipe must be an object", where};
        for (const auto& [key, value] : given->items()) {
            if (!recipe.contains(key)) return Error{ErrorCode::InvalidData, "recipe has an unknown key \"" + key + "\"", where};
            recipe[key] = value;
        }
    }
    auto parsed = core::parseRecipe(recipe, where + ".recipe");
    if (!parsed) return parsed.error();
    run.recipe = *parsed;
    return run;
}

Result<std::vector<core::ShardFile>> readShards(const Json& list, const std::string& where) {
    std::vector<core::ShardFile> shards;
    if (!list.is_array()) return Error{ErrorCode::InvalidData, "must be a list of {path, sha256, tokens}", where};
    for (const Json& entry : list) {
        auto path = core::stringMember(entry, "path", where);
        auto hex = core::stringMember(entry, "sha256", where);
        auto tokens = core::intMember(entry, "tokens", where, 2, std::int64_t{1} << 40);
        if (!path || !hex || !tokens) return !path ? path.error() : !hex ? hex.error() : tokens.error();
        auto digest = core::parseDigest(*hex);
        if (!digest) return digest.error();
        shards.push_back({*path, *digest, *tokens});
    }
    return shards;
}

Result<void> readData(const Json& data, Plan& plan) {
    Reader reader(data, "plan.data");
    if (!data.contains("shards")) {
        reader.known({"tokens", "held_out", "successors", "seed"});
        std::int64_t seed = 1;
        reader.count("tokens", plan.madeUp.tokens, 2);
        reader.count("held_out", plan.madeUp.heldOut, 2);
        reader.count("successors", plan.madeUp.successors, 1, 1 << 20);
        reader.count("seed", seed, 0);
        plan.madeUp.seed = static_cast<std::uint64_t>(seed);
        return reader.error() ? Result<void>(*reader.error()) : Result<void>();
    }
    reader.known({"shards", "held_out", "token_bytes"});
    std::int64_t bytes = plan.tokenBytes;
    reader.count("token_bytes", bytes, 2, 4);
    if (reader.error()) return *reader.error();
    plan.tokenBytes = static_cast<int>(bytes);
    auto shards = readShards(data["shards"], "plan.data.shards");
    if (!shards) return shards.error();
    auto heldOutList = core::member(data, "held_out", "plan.data");
    if (!heldOutList) return heldOutList.error();
    auto heldOut = readShards(**heldOutList, "plan.data.held_out");
    if (!heldOut) return heldOut.error();
    plan.shards = std::move(*shards);
    plan.heldOut = std::move(*heldOut);
    return {};
}

}  // namespace

Result<Plan> readPlan(const std::filesystem::path& path) {
    auto text = core::readTextFile(path, kMaxPlan);
    if (!text) return text.error();
    auto json = core::parseJson(*text, {}, path.string());
    if (!json) return json.error();
    if (auto known = core::refuseUnknownKeys(*json, {"model", "data", "runs"}, "plan"); !known) return known.error();
    Plan plan;
    plan.folder = path.parent_path();
    auto model = core::member(*json, "model", "plan");
    if (!model) return model.error();
    std::string config = (*model)->is_object() ? (*model)->dump() : std::string();
    if ((*model)->is_string()) {
        auto file = core::readTextFile(plan.folder / (*model)->get<std::string>(), kMaxPlan);
        if (!file) return file.error();
        config = std::move(*file);
    }
    auto parsed = core::parseModelConfig(config, "plan.model");
    if (!parsed) return parsed.error();
    plan.model = *parsed;
    if (const auto data = json->find("data"); data != json->end())
        if (auto read = readData(*data, plan); !read) return read.error();
    auto runs = core::member(*json, "runs", "plan");
    if (!runs) return runs.error();
    if (!(*runs)->is_array() || (*runs)->empty()) return Error{ErrorCode::InvalidData, "runs must be a list with at least one run", path.string()};
    for (const Json& entry : **runs) {
        auto run = readRun(entry, "plan.runs[" + std::to_string(plan.runs.size()) + "]");
        if (!run) return run.error();
        if (run->recipe.sequenceLength > plan.model.maxPositions)
            return Error{ErrorCode::InvalidData, "sequences are longer than the model's positions", run->name};
        plan.runs.push_back(std::move(*run));
    }
    return plan;
}

}  // namespace sunloco::simulate
