// SPDX-License-Identifier: Apache-2.0
#include "engine/train/example_source.h"

#include "engine/core/initial_weights.h"
#include "engine/data/example_order.h"

#include <algorithm>

namespace sunloco::train {

namespace {

constexpr std::uint64_t kOrderStream = 0x6f72646572;  ///< keeps the keys of the order apart from other numbers of the same seed

std::uint64_t epochKey(std::uint64_t seed, std::int64_t epoch) {
    const auto words = core::philox(static_cast<std::uint64_t>(epoch), kOrderStream, seed);
    return static_cast<std::uint64_t>(words[0]) << 32 | words[1];
}

}  // namespace

core::Result<ExampleSource> ExampleSource::open(const core::Job& job, const std::filesystem::path& folder) {
    ExampleSource source;
    source.m_length = job.recipe.sequenceLength;
    source.m_tokenBytes = job.tokenBytes;
    source.m_seed = job.recipe.seed;
    for (const core::ShardFile& shard : job.shards) {
        const auto path = folder / std::filesystem::path(shard.path);
        auto file = MappedFile::open(path);
        if (!file) return file.error();
        if (static_cast<std::int64_t>(file->bytes().size()) != shard.tokens * job.tokenBytes)
            return core::Error{core::ErrorCode::InvalidData, "the shard has another size than its " + std::to_string(shard.tokens) + " tokens", path.string()};
        if (core::sha256(file->bytes()) != shard.sha256)
            return core::Error{core::ErrorCode::HashMismatch, "the shard's content is not what its hash says", path.string()};
        source.m_shards.push_back({std::move(*file), {}, source.m_total});
        source.m_total += (shard.tokens - 1) / source.m_length;
    }
    if (source.m_total < 1)
        return core::Error{core::ErrorCode::InvalidData, "the shards have no example of " + std::to_string(source.m_length) + " tokens", "job.json"};
    return source;
}

core::Result<ExampleSource> ExampleSource::fromTokens(std::span<const std::int32_t> tokens, std::int64_t length, std::uint64_t seed) {
    ExampleSource source;
    source.m_length = length;
    source.m_tokenBytes = 4;
    source.m_seed = seed;
    source.m_total = (static_cast<std::int64_t>(tokens.size()) - 1) / length;
    if (source.m_total < 1)
        return core::Error{core::ErrorCode::InvalidArgument, "there are fewer tokens than one example of " + std::to_string(length) + " needs", {}};
    core::Bytes bytes(tokens.size_bytes());
    for (std::size_t i = 0; i < tokens.size(); ++i) core::writeU32(bytes.data() + 4 * i, static_cast<std::uint32_t>(tokens[i]));
    source.m_shards.push_back({MappedFile(), std::move(bytes), 0});
    return source;
}

core::Result<void> ExampleSource::readPlain(std::int64_t number, std::span<std::int32_t> out) const {
    if (number < 0 || number >= m_total || out.size() != static_cast<std::size_t>(m_length + 1))
        return core::Error{core::ErrorCode::InvalidArgument, "there is no example " + std::to_string(number), {}};
    const auto after = std::upper_bound(m_shards.begin(), m_shards.end(), number, [](std::int64_t n, const Shard& shard) { return n < shard.firstExample; });
    const Shard& shard = *std::prev(after);
    const std::uint8_t* at = shard.bytes().data() + (number - shard.firstExample) * m_length * m_tokenBytes;
    for (std::int32_t& id : out) {
        id = m_tokenBytes == 2 ? static_cast<std::int32_t>(core::readU16(at)) : static_cast<std::int32_t>(core::readU32(at));
        at += m_tokenBytes;
    }
    return {};
}

core::Result<void> ExampleSource::readShuffled(std::int64_t number, std::span<std::int32_t> out) const {
    if (number < 0) return core::Error{core::ErrorCode::InvalidArgument, "example numbers start at 0", {}};
    const std::uint64_t place = data::permute(static_cast<std::uint64_t>(number % m_total), static_cast<std::uint64_t>(m_total), epochKey(m_seed, number / m_total));
    return readPlain(static_cast<std::int64_t>(place), out);
}

}  // namespace sunloco::train
