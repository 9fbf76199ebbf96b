// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/clock.h"
#include "net/server/project_init.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace sunloco::test {

/// A clock that a test can push forward.
class PushedClock final : public core::Clock {
public:
    [[nodiscard]] core::UtcMs utcNow() const override { return m_system.utcNow() + m_push.load(); }
    [[nodiscard]] core::MonotonicMs monotonicNow() const override { return m_system.monotonicNow() + m_push.load(); }
    void push(std::int64_t ms) { m_push += ms; }

private:
    core::SystemClock m_system;
    std::atomic<std::int64_t> m_push{0};
};

/// The licence texts that every Debian and Ubuntu has: real text, no download.
std::vector<std::filesystem::path> licenceTexts();

/// config.json of a tiny Llama (about 40,000 parameters, vocabulary of 400, 32 positions).
std::string tinyModel();
void writeFile(const std::filesystem::path& path, const std::string& content);

/// Options for a tiny project in `folder`/project, the config beside it. Two steps of two sequences of 16 tokens; quorum 2.
server::InitOptions tinyProject(const std::filesystem::path& folder, const std::vector<std::string>& settings = {});

}  // namespace sunloco::test
