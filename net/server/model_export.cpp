// SPDX-License-Identifier: Apache-2.0
#include "net/server/model_export.h"

#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "engine/data/gguf_export.h"
#include "net/server/project.h"
#include "net/server/round_closer.h"

#include <nlohmann/json.hpp>

namespace sunloco::server {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Json;
using core::Result;

namespace {

Result<void> writeJson(const fs::path& path, const Json& json) { return core::writeFileAtomically(path, core::asBytes(json.dump(2) + "\n")); }

Result<void> emptyFolder(const fs::path& out) {
    std::error_code ec;
    if (fs::exists(out, ec) && (!fs::is_directory(out, ec) || !fs::is_empty(out, ec))) {
        return Error{ErrorCode::AlreadyExists, "the folder to export to exists and is not empty; name a new one", out.string()};
    }
    fs::create_directories(out, ec);
    if (ec) { return core::fileError(ec.value(), "creating the folder to export to", out); }
    return {};
}

struct NewestBase {
    RoundRow round;                ///< the open round, which trains from this base
    std::vector<float> arena;
};

/// The base of the open round, its hash checked; a running server may replace its files under us, so a few tries.
Result<NewestBase> newestBase(const OpenProject& project) {
    constexpr int tries = 5;
    const RoundCloser closer(project.folder, project.targets.manifest, *project.objects);
    Error last{ErrorCode::NotFound, "the newest base is not there", project.folder.root.string()};
    for (int attempt = 0; attempt < tries; ++attempt) {
        auto row = project.store->currentRound();
        if (!row) { return row.error(); }
        const fs::path source = closer.filesOf(row->round - 1).base;
        auto arena = core::loadArena(source, core::makeLayout(project.targets.manifest.model));
        if (!arena) {
            last = arena.error();
        } else if (core::arenaHash(*arena) != row->baseHash) {
            last = {ErrorCode::HashMismatch, "the base on the disk is not the base of the open round", source.string()};
        } else {
            return NewestBase{std::move(*row), std::move(*arena)};
        }
    }
    return last;
}

Result<core::Bytes> tokenizerOf(const OpenProject& project) {
    const auto& file = project.targets.manifest.tokenizer;
    return project.objects->load(file.sha256, static_cast<std::uint64_t>(file.bytes));
}

}  // namespace

Result<ExportReport> exportHuggingFace(const fs::path& folder, const fs::path& out) {
    const auto project = openProject(folder);
    if (!project) { return project.error(); }
    if (const auto made = emptyFolder(out); !made) { return made.error(); }
    const protocol::Manifest& manifest = project->targets.manifest;
    const auto base = newestBase(*project);
    if (!base) { return base.error(); }
    if (const auto done = core::saveArena(out / "model.safetensors", base->arena, core::makeLayout(manifest.model)); !done) { return done.error(); }

    Json config = Json::parse(manifest.modelJson, nullptr, false);
    if (!config.is_object()) { return Error{ErrorCode::InvalidData, "the model's config.json in the manifest cannot be read", folder.string()}; }
    if (!config.contains("architectures")) {
        config["architectures"] = Json::array({manifest.model.family == core::ModelFamily::Gpt2 ? "GPT2LMHeadModel" : "LlamaForCausalLM"});
    }
    const auto bos = config.value("bos_token_id", Json(1));
    const auto eos = config.value("eos_token_id", Json(2));
    if (const auto done = writeJson(out / "config.json", config); !done) { return done.error(); }
    if (const auto done = writeJson(out / "generation_config.json", {{"bos_token_id", bos}, {"eos_token_id", eos}, {"do_sample", true}, {"temperature", 0.8}, {"top_p", 0.95}}); !done) {
        return done.error();
    }
    const auto tokenizer = tokenizerOf(*project);
    if (!tokenizer) { return tokenizer.error(); }
    if (const auto done = core::writeFileAtomically(out / "tokenizer.model", *tokenizer); !done) { return done.error(); }
    // Training text has no start token in front of each example, so the tokenizer must not add one either.
    const Json settings = {{"tokenizer_class", "LlamaTokenizer"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", nullptr},
                           {"add_bos_token", false}, {"add_eos_token", false}, {"legacy", false}, {"clean_up_tokenization_spaces", false},
                           {"model_max_length", manifest.model.maxPositions}, {"sp_model_kwargs", Json::object()}};
    if (const auto done = writeJson(out / "tokenizer_config.json", settings); !done) { return done.error(); }
    if (const auto done = writeJson(out / "special_tokens_map.json", {{"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}}); !done) { return done.error(); }
    return ExportReport{base->round.round - 1, base->round.baseHash.hex(), out};
}

Result<ExportReport> exportGguf(const fs::path& folder, const fs::path& out, data::GgufType type) {
    const auto project = openProject(folder);
    if (!project) { return project.error(); }
    const auto base = newestBase(*project);
    if (!base) { return base.error(); }
    const auto tokenizer = tokenizerOf(*project);
    if (!tokenizer) { return tokenizer.error(); }
    const protocol::Manifest& manifest = project->targets.manifest;
    if (const auto done = data::writeGguf({project->root.project.name, manifest.model, base->arena, *tokenizer}, type, out); !done) { return done.error(); }
    return ExportReport{base->round.round - 1, base->round.baseHash.hex(), out};
}

}  // namespace sunloco::server
