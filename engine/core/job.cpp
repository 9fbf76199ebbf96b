// SPDX-License-Identifier: Apache-2.0
#include "engine/core/job.h"

#include "engine/core/json_fields.h"

#include <limits>

namespace sunloco::core {

namespace {
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 2;
constexpr double kHuge = 1e300;
const JsonLimits kLimits{.maxBytes = 16u << 20, .maxDepth = 16, .maxElements = 1'000'000};

Json toJson(const ShardFile& shard) {
    return {{"path", shard.path}, {"sha256", shard.sha256.hex()}, {"tokens", shard.tokens}};
}

std::string_view kindName(JobKind kind) { return kind == JobKind::Train ? "train" : "evaluate"; }

JobKind parseKind(JsonFields& fields) {
    const std::string text = fields.text("kind");
    if (text != "train" && text != "evaluate") { fields.fail(Error{ErrorCode::Unsupported, "The job kind \"" + text.substr(0, 40) + "\" is unknown", {}}); }
    return text == "evaluate" ? JobKind::Evaluate : JobKind::Train;
}
}  // namespace

Result<Job> parseJob(std::string_view text) {
    const auto json = parseJson(text, kLimits, "job.json");
    if (!json) { return json.error(); }
    if (auto ok = refuseUnknownKeys(*json, {"kind", "model", "recipe", "base", "base_hash", "shards", "token_bytes", "first_example", "example_count", "first_global_step",
                                            "steps", "time_box_seconds", "inner_state_in", "inner_state_out", "max_sequences"}, "job"); !ok) { return ok.error(); }
    JsonFields fields(*json, "job");
    Job job;
    job.kind = parseKind(fields);
    job.modelConfigJson = fields.text("model");
    const auto recipeJson = member(*json, "recipe", "job");
    if (!recipeJson) { return recipeJson.error(); }
    auto recipe = parseRecipe(**recipeJson, "job.recipe");
    if (!recipe) { return recipe.error(); }
    job.recipe = *recipe;
    job.basePath = fields.text("base");
    job.baseHash = fields.digest("base_hash");
    for (const Json& entry : fields.list("shards")) {
        JsonFields shard(entry, "job.shards");
        job.shards.push_back(ShardFile{shard.text("path"), shard.digest("sha256"), shard.integer("tokens", 1, kMax)});
        if (shard.error()) { return *shard.error(); }
    }
    job.tokenBytes = static_cast<int>(fields.integer("token_bytes", 2, 4));
    if (job.tokenBytes == 3) { return Error{ErrorCode::InvalidData, "\"job.token_bytes\" must be 2 or 4", {}}; }
    job.examples.first = fields.integer("first_example", 0, kMax);
    job.examples.count = fields.integer("example_count", 0, kMax);
    job.firstGlobalStep = fields.integer("first_global_step", 0, kMax);
    job.steps = fields.integer("steps", 0, kMax);
    job.timeBoxSeconds = fields.integer("time_box_seconds", 0, kMax);
    job.innerStateIn = fields.text("inner_state_in");
    job.innerStateOut = fields.text("inner_state_out");
    job.maxSequences = fields.integer("max_sequences", 0, kMax);
    if (fields.error()) { return *fields.error(); }
    return job;
}

std::string toJsonText(const Job& job) {
    Json shards = Json::array();
    for (const ShardFile& shard : job.shards) { shards.push_back(toJson(shard)); }
    const Json json{{"kind", kindName(job.kind)}, {"model", job.modelConfigJson}, {"recipe", toJson(job.recipe)}, {"base", job.basePath},
                    {"base_hash", job.baseHash.hex()}, {"shards", shards}, {"token_bytes", job.tokenBytes}, {"first_example", job.examples.first},
                    {"example_count", job.examples.count}, {"first_global_step", job.firstGlobalStep}, {"steps", job.steps},
                    {"time_box_seconds", job.timeBoxSeconds}, {"inner_state_in", job.innerStateIn}, {"inner_state_out", job.innerStateOut},
                    {"max_sequences", job.maxSequences}};
    return json.dump(1);
}

Result<JobResult> parseJobResult(std::string_view text) {
    const auto json = parseJson(text, kLimits, "result.json");
    if (!json) { return json.error(); }
    JsonFields fields(*json, "result");
    JobResult result;
    result.kind = parseKind(fields);
    result.stepsDone = fields.integer("steps_done", 0, kMax);
    result.tokens = fields.integer("tokens", 0, kMax);
    result.entryLoss = fields.number("entry_loss", -kHuge, kHuge);
    result.exitLoss = fields.number("exit_loss", -kHuge, kHuge);
    result.activeSeconds = fields.number("active_seconds", -kHuge, kHuge);
    for (const Json& entry : fields.list("parts")) {
        JsonFields part(entry, "result.parts");
        PayloadPart p;
        p.file = part.text("file");
        p.bytes = static_cast<std::uint64_t>(part.integer("bytes", 0, kMax));
        p.sha256 = part.digest("sha256");
        p.firstElement = part.integer("first_element", 0, kMax);
        p.elements = part.integer("elements", 1, kMax);
        if (part.error()) { return *part.error(); }
        result.parts.push_back(std::move(p));
    }
    result.deltaNorm = fields.number("delta_norm", -kHuge, kHuge);
    result.heldOutLoss = fields.number("held_out_loss", -kHuge, kHuge);
    result.heldOutTokens = fields.integer("held_out_tokens", 0, kMax);
    if (fields.error()) { return *fields.error(); }
    return result;
}

std::string toJsonText(const JobResult& result) {
    Json parts = Json::array();
    for (const PayloadPart& p : result.parts) {
        parts.push_back({{"file", p.file}, {"bytes", p.bytes}, {"sha256", p.sha256.hex()}, {"first_element", p.firstElement}, {"elements", p.elements}});
    }
    const Json json{{"kind", kindName(result.kind)}, {"steps_done", result.stepsDone}, {"tokens", result.tokens}, {"entry_loss", result.entryLoss},
                    {"exit_loss", result.exitLoss}, {"active_seconds", result.activeSeconds}, {"parts", parts}, {"delta_norm", result.deltaNorm},
                    {"held_out_loss", result.heldOutLoss}, {"held_out_tokens", result.heldOutTokens}};
    return json.dump(1);
}

}  // namespace sunloco::core
