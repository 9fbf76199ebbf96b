// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/job.h"
#include "engine/train/mapped_file.h"

#include <filesystem>
#include <span>
#include <vector>

namespace sunloco::train {

/// The training examples of a job: T + 1 consecutive tokens each, T apart, from its shards (mapped, hashes checked). No example crosses a shard's end;
/// the tokens after a shard's last whole example are left out.
class ExampleSource {
public:
    /// Relative shard paths start at `folder`.
    static core::Result<ExampleSource> open(const core::Job& job, const std::filesystem::path& folder);
    /// One shard in memory (simulations).
    static core::Result<ExampleSource> fromTokens(std::span<const std::int32_t> tokens, std::int64_t length, std::uint64_t seed);

    /// Examples of one epoch.
    [[nodiscard]] std::int64_t examplesPerEpoch() const { return m_total; }
    /// Example `number`, counted over all epochs, in the shuffled order that all devices of a project share; fills T + 1 token ids.
    /// Each epoch has its own order and visits every example once.
    core::Result<void> readShuffled(std::int64_t number, std::span<std::int32_t> out) const;
    /// Example `number` < examplesPerEpoch() in the order of the shards.
    core::Result<void> readPlain(std::int64_t number, std::span<std::int32_t> out) const;

private:
    struct Shard {
        MappedFile file;
        core::Bytes owned;      ///< instead of the file
        std::int64_t firstExample = 0;
        [[nodiscard]] core::ByteView bytes() const { return owned.empty() ? file.bytes() : core::ByteView(owned); }
    };
    ExampleSource() = default;

    std::vector<Shard> m_shards;
    std::int64_t m_total = 0;
    std::int64_t m_length = 0;  ///< T
    int m_tokenBytes = 2;
    std::uint64_t m_seed = 0;
};

}  // namespace sunloco::train
