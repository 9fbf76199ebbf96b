// SPDX-License-Identifier: Apache-2.0
#include "engine/core/job.h"

#include <limits>

namespace sunloco::core {

namespace {
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 2;
const JsonLimits kLimits{.maxBytes = 16u << 20, .maxDepth = 16, .maxElements = 1'000'000};

Json toJson(const ShardFile& shard) {
    return {{"path", shard.path}, {"sha256", shard.sha256.hex()}, {"tokens", shard.tokens}};
}

/// Reads members one after another and keeps the first error.
class Fields {
public:
    Fields(const Json& object, std::string_view where) : m_object(object), m_where(where) {}
    std::int64_t integer(std::string_view key, std::int64_t min = 0, std::int64_t max = kMax) { return take(intMember(m_object, key, m_where, min, max)); }
    double number(std::string_view key) { return take(numberMember(m_object, key, m_where, -1e300, 1e300)); }
    std::string text(std::string_view key) { return take(stringMember(m_object, key, m_where)); }
    Digest digest(std::string_view key) { return take(parseDigest(text(key))); }
    const Json* list(std::string_view key) {
        const auto found = member(m_object, key, m_where);
        if (found && (*found)->is_array()) { return *found; }
        fail(Error{ErrorCode::InvalidData, "\"" + std::string(m_where) + "." + std::string(key) + "\" must be a list", {}});
        return nullptr;
    }
    void fail(Error error) {
        if (!m_error) { m_error = std::move(error); }
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    template <typename T>
    T take(Result<T> result) {
        if (result) { return std::move(result).value(); }
        fail(std::move(result).error());
        return T{};
    }
    const Json& m_object;
    std::string_view m_where;
    std::optional<Error> m_error;
};

std::string_view kindName(JobKind kind) { return kind == JobKind::Train ? "train" : "evaluate"; }

JobKind parseKind(Fields& fields) {
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
    Fields fields(*json, "job");
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
    if (const Json* shards = fields.list("shards")) {
        for (const Json& entry : *shards) {
            Fields shard(entry, "job.shards");
            job.shards.push_back(ShardFile{shard.text("path"), shard.digest("sha256"), shard.integer("tokens", 1)});
            if (shard.error()) { return *shard.error(); }
        }
    }
    job.tokenBytes = static_cast<int>(fields.integer("token_bytes", 2, 4));
    if (job.tokenBytes == 3) { return Error{ErrorCode::InvalidData, "\"job.token_bytes\" must be 2 or 4", {}}; }
    job.examples.first = fields.integer("first_example");
    job.examples.count = fields.integer("example_count");
    job.firstGlobalStep = fields.integer("first_global_step");
    job.steps = fields.integer("steps");
    job.timeBoxSeconds = fields.integer("time_box_seconds");
    job.innerStateIn = fields.text("inner_state_in");
    job.innerStateOut = fields.text("inner_state_out");
    job.maxSequences = fields.integer("max_sequences");
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
    Fields fields(*json, "result");
    JobResult result;
    result.kind = parseKind(fields);
    result.stepsDone = fields.integer("steps_done");
    result.tokens = fields.integer("tokens");
    result.entryLoss = fields.number("entry_loss");
    result.exitLoss = fields.number("exit_loss");
    result.activeSeconds = fields.number("active_seconds");
    if (const Json* parts = fields.list("parts")) {
        for (const Json& entry : *parts) {
            Fields part(entry, "result.parts");
            PayloadPart p;
            p.file = part.text("file");
            p.bytes = static_cast<std::uint64_t>(part.integer("bytes"));
            p.sha256 = part.digest("sha256");
            p.firstElement = part.integer("first_element");
            p.elements = part.integer("elements", 1);
            if (part.error()) { return *part.error(); }
            result.parts.push_back(std::move(p));
        }
    }
    result.deltaNorm = fields.number("delta_norm");
    result.heldOutLoss = fields.number("held_out_loss");
    result.heldOutTokens = fields.integer("held_out_tokens");
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
