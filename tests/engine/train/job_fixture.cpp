// SPDX-License-Identifier: Apache-2.0
#include "tests/engine/train/job_fixture.h"

#include "engine/core/files.h"
#include "engine/core/initial_weights.h"
#include "engine/core/safetensors.h"

#include <random>
#include <stdexcept>

namespace sunloco::test {

namespace {

constexpr const char* kConfig = R"({"model_type":"llama","vocab_size":97,"hidden_size":64,"intermediate_size":160,"num_hidden_layers":2,
"num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,"max_position_embeddings":64,"rms_norm_eps":1e-6,"hidden_act":"silu",
"tie_word_embeddings":false,"initializer_range":0.02,"rope_parameters":{"rope_type":"default","rope_theta":10000.0}})";

void must(const core::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().text());
}

}  // namespace

JobFixture::JobFixture(std::filesystem::path root) : m_root(std::move(root)), m_config(core::parseModelConfig(kConfig).value()) {
    const core::TensorLayout layout = core::makeLayout(m_config);
    m_base = core::initialWeights(m_config, layout, 3);
    must(core::saveArena(m_root / "base.safetensors", m_base, layout));
    std::mt19937 generator(42);
    for (int shard = 0; shard < 2; ++shard) {
        // Each token has two possible successors, so there is something to learn.
        std::vector<std::uint16_t> ids(20'000);
        std::uint32_t token = 1;
        for (std::uint16_t& id : ids) {
            id = static_cast<std::uint16_t>(token);
            token = (token * 31 + (generator() % 2 == 0 ? 7 : 40)) % 97;
        }
        const core::ByteView bytes{reinterpret_cast<const std::uint8_t*>(ids.data()), ids.size() * sizeof(std::uint16_t)};
        const core::Digest digest = core::sha256(bytes);
        const auto path = m_root / (digest.hex() + ".tokens");
        must(core::writeFileAtomically(path, bytes));
        m_job.shards.push_back({path.string(), digest, static_cast<std::int64_t>(ids.size())});
        m_tokens.push_back(std::move(ids));
    }
    m_job.modelConfigJson = kConfig;
    m_job.basePath = (m_root / "base.safetensors").string();
    m_job.baseHash = core::arenaHash(m_base);
    m_job.recipe.batchSequences = 8;
    m_job.recipe.sequenceLength = 32;
    m_job.recipe.warmupSteps = 5;
    m_job.recipe.totalSteps = 400;
    m_job.recipe.learningRate = 5e-3;
    m_job.recipe.minInnerSteps = 2;
}

void JobFixture::writeJob(const std::filesystem::path& folder, const core::Job& job) const {
    std::filesystem::create_directories(folder);
    must(core::writeFileAtomically(folder / "job.json", core::asBytes(core::toJsonText(job))));
}

std::filesystem::path JobFixture::trainFolder(const std::string& name, std::int64_t steps) {
    const auto folder = m_root / name;
    core::Job job = m_job;
    job.kind = core::JobKind::Train;
    job.steps = steps;
    job.recipe.innerSteps = steps;
    job.examples = {40, steps * job.recipe.batchSequences};
    job.innerStateOut = "moments.safetensors";
    writeJob(folder, job);
    return folder;
}

std::filesystem::path JobFixture::evaluateFolder(const std::string& name) {
    const auto folder = m_root / name;
    core::Job job = m_job;
    job.kind = core::JobKind::Evaluate;
    writeJob(folder, job);
    return folder;
}

}  // namespace sunloco::test
