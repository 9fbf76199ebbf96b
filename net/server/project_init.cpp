// SPDX-License-Identifier: Apache-2.0
#include "net/server/project_init.h"

#include "engine/core/files.h"
#include "engine/core/initial_weights.h"
#include "engine/core/safetensors.h"
#include "engine/data/corpus.h"
#include "engine/data/shards.h"
#include "engine/data/tokenizer.h"
#include "net/protocol/names.h"
#include "net/server/certificate.h"
#include "net/server/metadata_signer.h"
#include "net/server/project.h"
#include "net/server/round_closer.h"
#include "net/server/sqlite_store.h"

#include <nlohmann/json.hpp>

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

namespace sunloco::server {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Json;
using core::Result;
using protocol::Role;

namespace {

constexpr std::uint64_t kMaxConfigBytes = 1 << 20;
constexpr std::int64_t kShardTokens = 4 << 20;
constexpr std::int64_t kHeldOutTokens = 131'072;       ///< wanted; at most a tenth of the text
constexpr std::int64_t kHeldOutBlocks = 16;            ///< examples in one block of held-out text
constexpr std::int64_t kUsualSequence = 1'024;
constexpr const char* kSoftware = "sunloco-server/0.1.0";

constexpr const char* kOfflineReadme =
    "These two keys decide about the project: root.key can replace all other keys, targets.key decides what is trained, how and on what text.\n"
    "The running server needs neither. Move this folder to a medium that is not connected to this computer (a USB stick, better two), and keep it safe:\n"
    "whoever has these keys can take the project over, and without them a stolen server key cannot be replaced.\n";

std::string slug(const std::string& name) {
    std::string out;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const bool upper = c >= 'A' && c <= 'Z';
        if (plain || upper) {
            out += upper ? static_cast<char>(c + 32) : c;
        } else if (!out.empty() && out.back() != '-') {
            out += '-';
        }
        if (out.size() >= 40) { break; }
    }
    while (!out.empty() && out.back() == '-') { out.pop_back(); }
    return out.empty() ? std::string("project") : out;
}

Result<void> checkFolder(const fs::path& folder) {
    std::error_code ec;
    if (!fs::exists(folder, ec)) { return {}; }
    if (!fs::is_directory(folder, ec)) { return Error{ErrorCode::AlreadyExists, "this is a file; a project needs a folder", folder.string()}; }
    if (fs::exists(folder / "project.json", ec)) {
        return Error{ErrorCode::AlreadyExists, "there is a project in this folder already. Run it with 'serve', or name a new folder", folder.string()};
    }
    if (!fs::is_empty(folder, ec)) { return Error{ErrorCode::AlreadyExists, "the folder is not empty. Name a new or an empty folder for the project", folder.string()}; }
    return {};
}

/// "inner_steps=200": numbers, true and false as such, everything else as text.
Result<core::Recipe> makeRecipe(const InitOptions& options, const core::ModelConfig& model) {
    core::Recipe defaults;
    defaults.sequenceLength = std::min(model.maxPositions, kUsualSequence);
    Json json = core::toJson(defaults);
    if (!options.method.empty()) { json["method"] = options.method; }
    for (const std::string& setting : options.settings) {
        const auto equals = setting.find('=');
        if (equals == std::string::npos || equals == 0) { return Error{ErrorCode::InvalidArgument, "--set needs KEY=VALUE, for example --set inner_steps=200", setting}; }
        const std::string key = setting.substr(0, equals);
        const std::string text = setting.substr(equals + 1);
        if (!json.contains(key)) {
            std::string known;
            for (const auto& [name, value] : json.items()) { known += (known.empty() ? "" : ", ") + name; }
            return Error{ErrorCode::InvalidArgument, "the recipe has no setting \"" + key + "\". It has: " + known, "--set " + setting};
        }
        const Json value = Json::parse(text, nullptr, false);
        json[key] = value.is_number() || value.is_boolean() ? value : Json(text);
    }
    auto recipe = core::parseRecipe(json, "recipe");
    if (!recipe) { return recipe; }
    if (recipe->sequenceLength > model.maxPositions) {
        return Error{ErrorCode::InvalidArgument,
                     "sequence_length is " + std::to_string(recipe->sequenceLength) + ", but the model has only " + std::to_string(model.maxPositions) +
                         " positions (max_position_embeddings). Lower the one or raise the other",
                     options.model.string()};
    }
    return recipe;
}

std::vector<std::string> certificateNames(const std::vector<std::string>& more) {
    std::vector<std::string> names = {"localhost", "127.0.0.1"};
    utsname system{};
    if (::uname(&system) == 0) {
        const std::string host = system.nodename;
        const bool usable = !host.empty() && host.size() <= 253 && host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == std::string::npos;
        if (usable && host != "localhost") { names.push_back(host); }
    }
    for (const auto& name : more) {
        if (std::find(names.begin(), names.end(), name) == names.end()) { names.push_back(name); }
    }
    return names;
}

/// The making of one project, step by step. What it wrote is removed again when a step fails.
class Maker {
public:
    Maker(const InitOptions& options, const core::Clock& clock) : m_options(options), m_clock(clock) { m_folder.root = options.folder; }

    Result<InitReport> make() {
        if (const auto free = checkFolder(m_options.folder); !free) { return free.error(); }
        // Everything that can be wrong with the input is found before anything is written.
        for (const auto step : {&Maker::readModel, &Maker::readText}) {
            if (const auto done = (this->*step)(); !done) { return done.error(); }
        }
        std::error_code ec;
        m_madeFolder = !fs::exists(m_options.folder, ec);
        for (const auto step : {&Maker::makeFolders, &Maker::makeTokenizer, &Maker::cutShards, &Maker::makeWeights, &Maker::makeKeys, &Maker::signAll, &Maker::finish}) {
            if (const auto done = (this->*step)(); !done) {
                cleanUp();
                return done.error();
            }
        }
        return m_report;
    }

private:
    void say(const std::string& what) const {
        if (m_options.progress) { m_options.progress(what); }
    }

    Result<void> readModel() {
        const auto text = core::readTextFile(m_options.model, kMaxConfigBytes);
        if (!text) { return text.error(); }
        const auto json = core::parseJson(*text, {}, m_options.model.string());
        if (!json) { return json.error(); }
        auto model = core::parseModelConfig(*text, m_options.model.string());
        if (!model) { return model.error(); }
        m_manifest.model = *model;
        m_manifest.modelJson = json->dump();
        auto recipe = makeRecipe(m_options, *model);
        if (!recipe) { return recipe.error(); }
        m_manifest.recipe = *recipe;
        m_manifest.tokenBytes = model->vocabSize <= 65'536 ? 2 : 4;
        m_layout = core::makeLayout(*model);

        m_project.name = m_options.name.empty() ? fs::absolute(m_options.folder).lexically_normal().filename().string() : m_options.name;
        if (m_project.name.empty()) { m_project.name = "SunLoCo project"; }
        m_project.description = m_options.description;
        m_project.url = m_options.url;
        m_project.id = slug(m_project.name) + "-" + protocol::randomId().substr(0, 8);
        m_manifest.source = {m_options.source, m_options.licence};
        return {};
    }

    Result<void> readText() {
        say("Reading the text");
        auto documents = data::readCorpus(m_options.texts);
        if (!documents) { return documents.error(); }
        m_documents = std::move(*documents);
        m_report.files = static_cast<std::int64_t>(m_documents.size());
        return {};
    }

    Result<void> makeFolders() {
        if (const auto made = core::ensurePrivateDirectory(m_folder.root); !made) { return made; }
        std::error_code ec;
        for (const auto& path : {m_folder.state(), m_folder.run(), m_folder.root / "objects"}) {
            fs::create_directories(path, ec);
            if (ec) { return core::fileError(ec.value(), "creating a folder", path); }
        }
        for (const auto& path : {m_folder.keys(), m_folder.offline(), m_folder.tls()}) {
            if (const auto made = core::ensurePrivateDirectory(path); !made) { return made; }
        }
        auto objects = FileBlobStore::open(m_folder.objects());
        if (!objects) { return objects.error(); }
        m_objects = std::move(*objects);
        auto store = SqliteStore::open(m_folder.database(), SqliteStore::Open::Create);
        if (!store) { return store.error(); }
        m_store = std::move(*store);
        return {};
    }

    Result<void> makeTokenizer() {
        say("Learning a vocabulary of " + std::to_string(m_manifest.model.vocabSize) + " pieces");
        std::vector<std::string_view> texts;
        for (const auto& document : m_documents) { texts.push_back(document.text); }
        auto tokenizer = data::Tokenizer::train(texts, m_manifest.model.vocabSize);
        if (!tokenizer) { return tokenizer.error(); }
        m_report.vocabulary = tokenizer->vocabulary();
        const auto object = m_objects->put(tokenizer->model());
        if (!object) { return object.error(); }
        m_manifest.tokenizer = {*object, static_cast<std::int64_t>(tokenizer->model().size())};
        if (const auto done = m_store->publishObject(*object, m_manifest.tokenizer.bytes); !done) { return done; }

        say("Turning the text into tokens");
        for (const auto& document : m_documents) {
            const auto ids = tokenizer->encode(document.text);
            m_tokens.insert(m_tokens.end(), ids.begin(), ids.end());
            m_tokens.push_back(tokenizer->endOfText());
        }
        m_documents.clear();
        return {};
    }

    Result<std::vector<protocol::ShardRef>> storeShards(std::span<const std::int32_t> tokens) {
        const auto written = data::writeShards(m_folder.run(), tokens, static_cast<int>(m_manifest.tokenBytes), kShardTokens);
        if (!written) { return written.error(); }
        std::vector<protocol::ShardRef> refs;
        for (const auto& shard : *written) {
            const auto adopted = m_objects->adoptFile(shard.file);
            std::error_code ignored;
            fs::remove(shard.file, ignored);
            if (!adopted) { return adopted.error(); }
            if (const auto done = m_store->publishObject(shard.sha256, shard.bytes); !done) { return done.error(); }
            refs.push_back({{shard.sha256, shard.bytes}, shard.tokens});
        }
        return refs;
    }

    Result<void> cutShards() {
        const core::Recipe& recipe = m_manifest.recipe;
        const auto total = static_cast<std::int64_t>(m_tokens.size());
        data::SplitTokens split = data::splitHeldOut(m_tokens, kHeldOutBlocks * recipe.sequenceLength, std::min(kHeldOutTokens, total / 10));
        m_tokens = {};
        auto training = storeShards(split.training);
        if (!training) { return training.error(); }
        auto heldOut = storeShards(split.heldOut);
        if (!heldOut) { return heldOut.error(); }
        m_manifest.shards = std::move(*training);
        m_manifest.heldOut = std::move(*heldOut);
        m_report.trainingTokens = static_cast<std::int64_t>(split.training.size());
        m_report.heldOutTokens = static_cast<std::int64_t>(split.heldOut.size());
        m_report.examples = epochExamples(m_manifest);
        m_report.roundExamples = recipe.innerSteps * recipe.batchSequences * recipe.quorum;
        if (m_report.examples < m_report.roundExamples) {
            return Error{ErrorCode::InvalidArgument,
                         "the text gives " + std::to_string(m_report.examples) + " training examples of " + std::to_string(recipe.sequenceLength) + " tokens, but one round needs " +
                             std::to_string(m_report.roundExamples) + " (quorum " + std::to_string(recipe.quorum) + " x inner_steps " + std::to_string(recipe.innerSteps) +
                             " x batch_sequences " + std::to_string(recipe.batchSequences) + "). Add text, or lower one of them with --set",
                         m_options.texts.empty() ? std::string() : m_options.texts.front().string()};
        }
        return {};
    }

    Result<void> makeWeights() {
        say("Drawing the first weights: " + std::to_string(m_layout.total) + " parameters");
        const std::vector<float> arena = core::initialWeights(m_manifest.model, m_layout, m_manifest.recipe.seed);
        const fs::path file = m_folder.run() / "initial.safetensors";
        if (const auto saved = core::saveArena(file, arena, m_layout); !saved) { return saved; }
        const auto adopted = m_objects->adoptFile(file);
        std::error_code ignored;
        fs::remove(file, ignored);
        if (!adopted) { return adopted.error(); }
        m_manifest.initial.object = {adopted->first, static_cast<std::int64_t>(adopted->second)};
        m_manifest.initial.baseHash = core::arenaHash(arena);
        m_manifest.claims = protocol::computeClaims(m_manifest.model, m_manifest.recipe, m_manifest.sizes());
        m_report.claims = m_manifest.claims;
        RoundCloser closer(m_folder, m_manifest, *m_objects);
        return closer.writeInitial(arena);
    }

    Result<void> makeKeys() {
        say("Making keys and a certificate");
        for (const Role role : protocol::kRoles) {
            auto key = protocol::KeyPair::generate();
            if (!key) { return key.error(); }
            if (const auto saved = saveKey(m_folder.keyFile(role), *key); !saved) { return saved; }
            m_keys.emplace(role, std::move(*key));
        }
        if (const auto written = core::writeFileAtomically(m_folder.offline() / "README.txt", core::asBytes(kOfflineReadme)); !written) { return written; }
        if (const auto made = makeSecret(m_folder.keys() / "bearer.secret"); !made) { return made; }
        return makeOwnCertificate(m_folder.certificate(), m_folder.certificateKey(), certificateNames(m_options.hostNames));
    }

    Result<void> signAll() {
        const core::UtcMs now = m_clock.utcNow();
        protocol::Root root;
        root.version = 1;
        root.expires = now + kRootLifeMs;
        root.project = m_project;
        for (const auto& [role, key] : m_keys) {
            const std::string id = protocol::keyId(key.publicKey());
            root.keys.emplace(id, key.publicKey());
            root.roles[role] = {{id}, 1};
        }
        const std::string rootPayload = root.serialise();
        // What a volunteer's program will refuse must not be published: read it back with the same rules.
        if (const auto checked = protocol::Root::parse(rootPayload); !checked) { return checked.error(); }
        protocol::Targets targets;
        targets.version = 1;
        targets.expires = now + kTargetsLifeMs;
        targets.manifest = m_manifest;
        const std::string targetsPayload = targets.serialise();
        if (const auto checked = protocol::Targets::parse(targetsPayload); !checked) { return checked.error(); }
        const MetadataFile rootFile{Role::Root, 1, protocol::signMetadata(Role::Root, rootPayload, {&m_keys.at(Role::Root)})};
        const MetadataFile targetsFile{Role::Targets, 1, protocol::signMetadata(Role::Targets, targetsPayload, {&m_keys.at(Role::Targets)})};
        if (const auto put = m_store->putMetadata({rootFile, targetsFile}); !put) { return put; }
        m_report.rootHash = core::sha256(core::asBytes(rootFile.text)).hex();

        RoundRow first;
        first.round = 1;
        first.openedAt = now;
        first.deadline = now + m_manifest.recipe.roundDeadlineSeconds * 1000;
        first.baseHash = m_manifest.initial.baseHash;
        const protocol::CheckpointRef checkpoint{0, m_manifest.initial.object, m_manifest.initial.baseHash};
        const auto signer = MetadataSigner::load(m_folder);
        if (!signer) { return signer.error(); }
        const auto files = signer->roundFiles(*m_store, first, {checkpoint, {}}, now);
        if (!files) { return files.error(); }
        return m_store->openFirstRound(first, checkpoint, *files);
    }

    Result<void> finish() {
        if (const auto written = core::writeFileAtomically(m_folder.configFile(), core::asBytes(defaultServerToml())); !written) { return written; }
        ProjectFile file;
        file.id = m_project.id;
        file.name = m_project.name;
        file.createdAt = m_clock.utcNow();
        file.software = kSoftware;
        m_report.projectId = m_project.id;
        m_report.name = m_project.name;
        m_store.reset();
        return writeProjectFile(m_folder, file);
    }

    void cleanUp() {
        m_store.reset();
        m_objects.reset();
        std::error_code ec;
        for (const auto& path : {m_folder.database(), m_folder.root / "server.db-wal", m_folder.root / "server.db-shm", m_folder.objects(), m_folder.state(), m_folder.eventLog(),
                                 m_folder.keys(), m_folder.offline(), m_folder.tls(), m_folder.run(), m_folder.configFile()}) {
            fs::remove_all(path, ec);
        }
        if (m_madeFolder) { fs::remove(m_folder.root, ec); }
    }

    const InitOptions& m_options;
    const core::Clock& m_clock;
    ProjectFolder m_folder;
    bool m_madeFolder = false;
    InitReport m_report;
    protocol::ProjectInfo m_project;
    protocol::Manifest m_manifest;
    core::TensorLayout m_layout;
    std::vector<data::Document> m_documents;
    std::vector<std::int32_t> m_tokens;
    std::unique_ptr<FileBlobStore> m_objects;
    std::unique_ptr<SqliteStore> m_store;
    std::map<Role, protocol::KeyPair> m_keys;
};

}  // namespace

Result<InitReport> initProject(const InitOptions& options, const core::Clock& clock) { return Maker(options, clock).make(); }

}  // namespace sunloco::server
