// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"
#include "engine/core/tensor_layout.h"

#include <filesystem>
#include <vector>

namespace sunloco::test {

/// A small project on the disk: base weights, shards of a learnable made-up language, and job folders that use them.
class JobFixture {
public:
    /// Files go under `root`.
    explicit JobFixture(std::filesystem::path root);

    /// A folder with a job.json for so many steps.
    std::filesystem::path trainFolder(const std::string& name, std::int64_t steps);
    std::filesystem::path evaluateFolder(const std::string& name);
    void writeJob(const std::filesystem::path& folder, const core::Job& job) const;

    [[nodiscard]] const core::Job& job() const { return m_job; }  ///< the template of both kinds
    [[nodiscard]] const core::ModelConfig& config() const { return m_config; }
    [[nodiscard]] const std::vector<float>& base() const { return m_base; }
    [[nodiscard]] const std::vector<std::vector<std::uint16_t>>& tokens() const { return m_tokens; }  ///< per shard

private:
    std::filesystem::path m_root;
    core::ModelConfig m_config;
    std::vector<float> m_base;
    std::vector<std::vector<std::uint16_t>> m_tokens;
    core::Job m_job;
};

}  // namespace sunloco::test
