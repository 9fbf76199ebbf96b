// SPDX-License-Identifier: Apache-2.0
#include "net/protocol/claims.h"

#include "net/protocol/limits.h"

#include <algorithm>
#include <limits>

namespace sunloco::protocol {

using core::Error;
using core::ErrorCode;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

/// A size that sticks at the largest number instead of overflowing. Values are never negative.
struct Size {
    std::int64_t value = 0;
    friend Size operator+(Size a, Size b) {
        std::int64_t sum = 0;
        return {__builtin_add_overflow(a.value, b.value, &sum) ? kMost : sum};
    }
    friend Size operator*(Size a, Size b) {
        std::int64_t product = 0;
        return {__builtin_mul_overflow(a.value, b.value, &product) ? kMost : product};
    }
};
Size operator*(std::int64_t factor, Size b) { return Size{factor} * b; }

constexpr std::int64_t kFragmentHeader = 24;
constexpr std::int64_t kFloat = 4;
/// A training process without a model: libraries, buffers, stacks.
constexpr std::int64_t kRuntimeBytes = 320 * static_cast<std::int64_t>(kMiB);
/// Weights, gradients, two AdamW moments, and at the end the round's base and a scratch arena for deltas; in between, with bf16 weights, the working copy.
constexpr std::int64_t kArenasInMemory = 6;
/// Two bases (this round's and the last), and two generations of checkpoints with weights and both moments.
constexpr std::int64_t kArenasOnDisk = 2 + 2 * 3;

/// fp32 values kept per token for the backward pass: the residual stream and its norms, q, k, v, attention scores and their softmax,
/// the MLP's inner layers, and logits with their softmax and gradient.
Size activationsPerToken(const core::ModelConfig& model, std::int64_t sequenceLength) {
    const Size perLayer = 10 * Size{model.hiddenSize} + 4 * Size{model.intermediateSize} + 2 * (Size{model.heads} * Size{sequenceLength});
    return Size{model.layers} * perLayer + 3 * Size{model.vocabSize} + 4 * Size{model.hiddenSize};
}

}  // namespace

std::int64_t partElements(core::Codec codec) { return codec == core::Codec::Int8 ? 4 * 1024 * 1024 : 1024 * 1024; }

std::int64_t fragmentBytes(core::Codec codec, std::int64_t block, std::int64_t elements) {
    const Size count{elements};
    if (codec == core::Codec::Fp32) { return (Size{kFragmentHeader} + kFloat * count).value; }
    const std::int64_t blocks = elements / block + (elements % block != 0 ? 1 : 0);
    return (Size{kFragmentHeader} + kFloat * Size{blocks} + count).value;
}

std::int64_t encodedBytes(core::Codec codec, std::int64_t block, std::int64_t elements) {
    const std::int64_t full = elements / partElements(codec);
    const std::int64_t rest = elements % partElements(codec);
    const Size tail{rest == 0 ? 0 : fragmentBytes(codec, block, rest)};
    return (Size{full} * Size{fragmentBytes(codec, block, partElements(codec))} + tail).value;
}

std::vector<PartPlan> planParts(core::Codec codec, std::int64_t block, std::int64_t elements) {
    std::vector<PartPlan> plan;
    for (std::int64_t first = 0; first < elements; first += partElements(codec)) {
        const std::int64_t count = std::min(partElements(codec), elements - first);
        plan.push_back({static_cast<std::int64_t>(plan.size()), first, count, fragmentBytes(codec, block, count)});
    }
    return plan;
}

Claims computeClaims(const core::ModelConfig& model, const core::Recipe& recipe, const DataSizes& sizes) {
    Claims claims;
    claims.parameters = core::parameterCount(model);
    const Size arena = kFloat * Size{claims.parameters};
    const Size tokens = Size{recipe.batchSequences} * Size{recipe.sequenceLength};
    claims.memoryBytes = (Size{kRuntimeBytes} + kArenasInMemory * arena + kFloat * (tokens * activationsPerToken(model, recipe.sequenceLength))).value;

    const Size upload{encodedBytes(recipe.uploadCodec, recipe.codecBlock, claims.parameters)};
    const Size update{encodedBytes(recipe.updateCodec, recipe.codecBlock, claims.parameters)};
    claims.uploadBytesPerRound = (Size{recipe.leasesPerDevice} * upload).value;
    claims.downloadBytesPerRound = update.value;
    const Size once = Size{sizes.shardBytes} + Size{sizes.tokenizerBytes} + Size{sizes.initialBytes};
    claims.downloadBytesOnce = once.value;
    // Two rounds' uploads may wait for the network, and two updates be on their way in.
    claims.diskBytes = (once + kArenasOnDisk * arena + 2 * Size{claims.uploadBytesPerRound} + 2 * update).value;
    return claims;
}

core::Result<void> checkClaims(const Claims& stated, const Claims& computed) {
    const struct {
        const char* name;
        std::int64_t stated;
        std::int64_t computed;
    } rows[] = {
        {"memory_bytes", stated.memoryBytes, computed.memoryBytes},
        {"disk_bytes", stated.diskBytes, computed.diskBytes},
        {"upload_bytes_per_round", stated.uploadBytesPerRound, computed.uploadBytesPerRound},
        {"download_bytes_per_round", stated.downloadBytesPerRound, computed.downloadBytesPerRound},
        {"download_bytes_once", stated.downloadBytesOnce, computed.downloadBytesOnce},
    };
    if (stated.parameters != computed.parameters) {
        return Error{ErrorCode::InvalidData,
                     "The manifest says the model has " + std::to_string(stated.parameters) + " parameters, its configuration gives " + std::to_string(computed.parameters),
                     "claims.parameters"};
    }
    for (const auto& row : rows) {
        if (row.stated < row.computed) {
            return Error{ErrorCode::InvalidData,
                         std::string("The manifest claims ") + std::to_string(row.stated) + " for " + row.name + ", but its own numbers give " + std::to_string(row.computed),
                         std::string("claims.") + row.name};
        }
    }
    return {};
}

}  // namespace sunloco::protocol
