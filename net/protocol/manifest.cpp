// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/fields.h"
#include "net/protocol/metadata.h"
#include "net/protocol/metadata_fields.h"

#include <nlohmann/json.hpp>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;
using core::Json;

namespace {

core::Result<ObjectRef> readTokenizer(const Json& json) {
    Fields fields(json, "manifest.tokenizer", Schema::Closed);
    const ObjectRef object = readObject(fields, kMaxTokenizerBytes);
    if (auto fault = fields.fault()) { return *fault; }
    return object;
}

core::Result<std::vector<ShardRef>> readShards(const Json& list, const std::string& where, std::int64_t tokenBytes) {
    std::vector<ShardRef> shards;
    for (std::size_t i = 0; i < list.size(); ++i) {
        Fields fields(list[i], where + "[" + std::to_string(i) + "]", Schema::Closed);
        ShardRef shard;
        shard.object = readObject(fields);
        shard.tokens = fields.integer("tokens", 1, kMaxCount / 4);
        if (!fields.failed() && shard.tokens * tokenBytes > shard.object.bytes) {
            fields.fail(ErrorCode::InvalidData, "\"" + fields.at("tokens") + "\" says more tokens than the shard has room for");
        }
        if (auto fault = fields.fault()) { return *fault; }
        shards.push_back(shard);
    }
    return shards;
}

core::Result<InitialBase> readInitial(const Json& json) {
    Fields fields(json, "manifest.initial", Schema::Closed);
    InitialBase initial;
    initial.object = readObject(fields);
    initial.baseHash = fields.digest("base_hash");
    if (auto fault = fields.fault()) { return *fault; }
    return initial;
}

core::Result<SourceInfo> readSource(const Json& json) {
    Fields fields(json, "manifest.source", Schema::Closed);
    SourceInfo source;
    source.description = fields.text("description", 0, kMaxDescriptionBytes, Lines::Many);
    source.licence = fields.text("licence", 0, kMaxDescriptionBytes, Lines::Many);
    if (auto fault = fields.fault()) { return *fault; }
    return source;
}

core::Result<Claims> readClaims(const Json& json) {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    Fields fields(json, "manifest.claims", Schema::Closed);
    Claims claims;
    claims.parameters = fields.integer("parameters", 1, most);
    claims.memoryBytes = fields.integer("memory_bytes", 1, most);
    claims.diskBytes = fields.integer("disk_bytes", 1, most);
    claims.uploadBytesPerRound = fields.integer("upload_bytes_per_round", 1, most);
    claims.downloadBytesPerRound = fields.integer("download_bytes_per_round", 1, most);
    claims.downloadBytesOnce = fields.integer("download_bytes_once", 1, most);
    if (auto fault = fields.fault()) { return *fault; }
    return claims;
}

/// The numbers of the manifest fit one another.
core::Result<void> checkManifest(const Manifest& manifest) {
    const auto refuse = [](std::string message) { return Error{ErrorCode::InvalidData, std::move(message), "manifest"}; };
    const std::int64_t parameters = core::parameterCount(manifest.model);
    if (manifest.tokenBytes == 2 && manifest.model.vocabSize > 65'536) { return refuse("A vocabulary of " + std::to_string(manifest.model.vocabSize) + " does not fit tokens of 2 bytes"); }
    if (manifest.recipe.sequenceLength > manifest.model.maxPositions) {
        return refuse("Sequences of " + std::to_string(manifest.recipe.sequenceLength) + " tokens are longer than the model's " + std::to_string(manifest.model.maxPositions) + " positions");
    }
    for (const core::Codec codec : {manifest.recipe.uploadCodec, manifest.recipe.updateCodec}) {
        if (manifest.recipe.codecBlock < 1 || fragmentBytes(codec, manifest.recipe.codecBlock, partElements(codec)) > kMaxPartBytes) {
            return refuse("A codec block of " + std::to_string(manifest.recipe.codecBlock) + " makes parts larger than 8 MiB");
        }
        if (parameters / partElements(codec) >= kMaxParts) { return refuse("The model has too many parameters (" + std::to_string(parameters) + ") for " + std::to_string(kMaxParts) + " parts"); }
    }
    // Half precision at the least, a head stored twice and a header at the most: anything else is not this model.
    if (manifest.initial.object.bytes < 2 * parameters || manifest.initial.object.bytes > 8 * parameters + static_cast<std::int64_t>(kMiB)) {
        return refuse("The initial weights have " + std::to_string(manifest.initial.object.bytes) + " bytes, which does not fit " + std::to_string(parameters) + " parameters");
    }
    return checkClaims(manifest.claims, computeClaims(manifest.model, manifest.recipe, manifest.sizes()));
}

core::Result<Manifest> readManifest(const Json& json) {
    Fields fields(json, "manifest", Schema::Closed);
    Manifest manifest;
    manifest.modelJson = dump(fields.object("model"));
    manifest.tokenizer = fields.take(readTokenizer(fields.object("tokenizer")));
    manifest.tokenBytes = fields.integer("token_bytes", 2, 4);
    if (manifest.tokenBytes == 3) { fields.fail(ErrorCode::InvalidData, "\"manifest.token_bytes\" must be 2 or 4"); }
    manifest.shards = fields.take(readShards(fields.array("shards", 1, kMaxShards), "manifest.shards", manifest.tokenBytes));
    manifest.heldOut = fields.take(readShards(fields.array("held_out", 0, kMaxHeldOutShards), "manifest.held_out", manifest.tokenBytes));
    manifest.initial = fields.take(readInitial(fields.object("initial")));
    manifest.source = fields.take(readSource(fields.object("source")));
    manifest.claims = fields.take(readClaims(fields.object("claims")));
    const Json& recipe = fields.object("recipe");
    if (!fields.failed()) { manifest.recipe = fields.take(core::parseRecipe(recipe, "manifest.recipe")); }
    if (!fields.failed()) { manifest.model = fields.take(core::parseModelConfig(manifest.modelJson, "manifest.model")); }
    if (auto fault = fields.fault()) { return *fault; }
    if (auto fits = checkManifest(manifest); !fits) { return fits.error(); }
    return manifest;
}

Json objectJson(const ObjectRef& object) { return {{"sha256", object.sha256.hex()}, {"bytes", object.bytes}}; }

Json shardsJson(const std::vector<ShardRef>& shards) {
    Json list = Json::array();
    for (const auto& shard : shards) {
        Json entry = objectJson(shard.object);
        entry["tokens"] = shard.tokens;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

DataSizes Manifest::sizes() const {
    DataSizes sizes{0, tokenizer.bytes, initial.object.bytes};
    for (const auto& shard : shards) { sizes.shardBytes += shard.object.bytes; }   // <= 20,000 * 2^40: fits
    return sizes;
}

std::int64_t Manifest::trainingTokens() const {
    std::int64_t tokens = 0;
    for (const auto& shard : shards) { tokens += shard.tokens; }
    return tokens;
}

core::Result<Targets> Targets::parse(std::string_view payload) {
    const auto json = parseBody(payload, kMaxTargetsBytes, "targets metadata");
    if (!json) { return json.error(); }
    Fields fields(*json, "targets", Schema::Closed);
    Targets targets;
    readHead(fields, Role::Targets, targets.version, targets.expires);
    const Json& manifest = fields.object("manifest");
    if (!fields.failed()) { targets.manifest = fields.take(readManifest(manifest)); }
    if (auto fault = fields.fault()) { return *fault; }
    return targets;
}

std::string Targets::serialise() const {
    const auto model = core::parseJson(manifest.modelJson);
    Json initial = objectJson(manifest.initial.object);
    initial["base_hash"] = manifest.initial.baseHash.hex();
    const Claims& claims = manifest.claims;
    return dump({{"role", "targets"},
                 {"version", version},
                 {"expires", expires},
                 {"manifest",
                  {{"model", model ? *model : Json()},
                   {"recipe", core::toJson(manifest.recipe)},
                   {"tokenizer", objectJson(manifest.tokenizer)},
                   {"token_bytes", manifest.tokenBytes},
                   {"shards", shardsJson(manifest.shards)},
                   {"held_out", shardsJson(manifest.heldOut)},
                   {"initial", std::move(initial)},
                   {"source", {{"description", manifest.source.description}, {"licence", manifest.source.licence}}},
                   {"claims",
                    {{"parameters", claims.parameters},
                     {"memory_bytes", claims.memoryBytes},
                     {"disk_bytes", claims.diskBytes},
                     {"upload_bytes_per_round", claims.uploadBytesPerRound},
                     {"download_bytes_per_round", claims.downloadBytesPerRound},
                     {"download_bytes_once", claims.downloadBytesOnce}}}}}});
}

}  // namespace sunloco::protocol
