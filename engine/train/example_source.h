// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"

#include <filesystem>
#include <memory>
#include <span>

namespace sunloco::train {

/// The training examples of a job: T + 1 consecutive tokens each, from its shards (mapped, hashes checked).
class ExampleSource {
public:
    /// Relative shard paths start at `folder`.
    static core::Result<ExampleSource> open(const core::Job& job, const std::filesystem::path& folder);
    ~ExampleSource();
    ExampleSource(ExampleSource&&) noexcept;
    ExampleSource& operator=(ExampleSource&&) noexcept;

    /// Examples of one epoch.
    [[nodiscard]] std::int64_t examplesPerEpoch() const;
    /// Example `number`, counted over all epochs, in the shuffled order that all devices share; fills T + 1 token ids.
    core::Result<void> readShuffled(std::int64_t number, std::span<std::int32_t> out) const;
    /// Example `number` < examplesPerEpoch() in the order of the shards.
    core::Result<void> readPlain(std::int64_t number, std::span<std::int32_t> out) const;

private:
    struct State;
    explicit ExampleSource(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

}  // namespace sunloco::train
