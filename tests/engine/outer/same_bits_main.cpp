// SPDX-License-Identifier: Apache-2.0
// Runs everything that machines must agree on over a fixed input and prints a digest of each result.
#include "engine/codec/codec.h"
#include "engine/core/initial_weights.h"
#include "engine/outer/merge.h"
#include "engine/outer/round_close.h"

#include <bit>
#include <cstdio>

using namespace sunloco;

namespace {
constexpr std::size_t kElements = 70'001;   // blocks and vectors with a rest

/// Values as pseudo-gradients have them: magnitudes over many powers of two, both signs, some zeros.
std::vector<float> made(std::uint64_t stream) {
    std::vector<float> values(kElements);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto words = core::philox(i, stream, 2024);
        const float fraction = static_cast<float>(static_cast<std::int32_t>(words[0])) * 0x1p-31F;
        const std::uint32_t exponent = 127 - words[1] % 40;
        values[i] = words[2] % 50 == 0 ? 0.0F : fraction * std::bit_cast<float>(exponent << 23);
    }
    return values;
}

core::Digest digestOf(std::span<const float> values) { return core::arenaHash(values); }
void print(const char* what, const core::Digest& digest) { std::printf("%s %s\n", what, digest.hex().c_str()); }

int run(const core::Recipe& recipe, const char* name) {
    std::vector<float> base = made(1);
    outer::OuterState state;
    for (std::uint64_t round = 0; round < 4; ++round) {
        std::vector<outer::RoundContribution> contributions;
        for (std::uint64_t worker = 0; worker < 3; ++worker) {
            contributions.push_back({std::to_string(worker), static_cast<std::int64_t>(5000 + 777 * worker + round), [round, worker, &recipe](std::span<float> out) {
                                         const auto bytes = codec::encodeAll(recipe.uploadCodec, static_cast<int>(recipe.codecBlock), made(10 * round + worker + 2));
                                         return bytes ? codec::decodeAll(*bytes, out) : core::Result<void>(bytes.error());
                                     }});
        }
        const auto closed = outer::closeRound(recipe, base, state, contributions);
        if (!closed) {
            std::puts(closed.error().text().c_str());
            return 1;
        }
        if (round == 3) {
            std::printf("%s_", name);
            print("update", core::sha256(closed->update));
            std::printf("%s_", name);
            print("base", closed->baseHash);
            std::printf("%s_", name);
            print("state", closed->momentumHash);
        }
    }
    return 0;
}
}  // namespace

int main() {
    const std::vector<float> values = made(1);
    for (const int block : {1, 64, 1000}) {
        const auto bytes = codec::encodeAll(core::Codec::Int8, block, values);
        std::vector<float> back(values.size());
        if (!bytes || !codec::decodeAll(*bytes, back)) { return 1; }
        print("int8", core::sha256(*bytes));
        print("int8_decoded", digestOf(back));
    }
    outer::FixedPointMerge merge(static_cast<std::int64_t>(kElements), 1'000'003);
    std::vector<float> mean(kElements);
    if (!merge.add(values, 123'457) || !merge.add(made(2), 876'546) || !merge.mean(mean)) { return 1; }
    print("mean", digestOf(mean));
    core::Recipe recipe;
    if (run(recipe, "diloco_int8") != 0) { return 1; }
    recipe.updateCodec = recipe.uploadCodec = core::Codec::Fp32;
    if (run(recipe, "diloco_fp32") != 0) { return 1; }
    recipe.method = core::OuterMethod::FedAvg;
    recipe.updateCodec = core::Codec::Int8;
    if (run(recipe, "fedavg_int8") != 0) { return 1; }
    core::ModelConfig config;
    config.vocabSize = 300;
    config.hiddenSize = 32;
    config.intermediateSize = 96;
    config.layers = 2;
    config.heads = config.kvHeads = 4;
    config.headDim = 8;
    print("initial_weights", digestOf(core::initialWeights(config, core::makeLayout(config), 7)));
    return 0;
}
