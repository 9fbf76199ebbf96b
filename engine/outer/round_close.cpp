// SPDX-License-Identifier: Apache-2.0
#include "engine/outer/round_close.h"

#include "engine/codec/codec.h"
#include "engine/core/tensor_layout.h"
#include "engine/outer/merge.h"

#include <algorithm>
#include <set>

namespace sunloco::outer {

using core::Error;
using core::ErrorCode;
using core::Result;

namespace {
constexpr std::int64_t kMaxTokens = std::int64_t{1} << 53;

/// The sum of the weights; what cannot be merged is refused before anything is read.
Result<std::int64_t> totalTokens(const std::vector<RoundContribution>& contributions) {
    std::set<std::string> ids;
    std::int64_t total = 0;
    for (const RoundContribution& c : contributions) {
        if (!ids.insert(c.id).second) { return Error{ErrorCode::InvalidArgument, "A contribution would be merged twice", c.id}; }
        if (c.tokens < 0 || c.tokens > kMaxTokens - total) { return Error{ErrorCode::InvalidArgument, "A contribution has an impossible number of tokens: " + std::to_string(c.tokens), c.id}; }
        total += c.tokens;
    }
    if (total < 1) { return Error{ErrorCode::InvalidArgument, "A round without trained tokens cannot be closed", {}}; }
    return total;
}

Error at(Error error, const std::string& id) {
    if (error.context.empty()) { error.context = id; }
    return error;
}

/// mean[first..] = weighted mean of the contributions over one window.
Result<void> mergeInto(std::span<float> mean, std::int64_t first, FixedPointMerge& merge, std::vector<float>& scratch, const std::vector<RoundContribution>& contributions) {
    scratch.resize(mean.size());
    merge.clear();
    for (const RoundContribution& c : contributions) {
        if (c.tokens == 0) { continue; }
        if (auto loaded = c.loadRange ? c.loadRange(first, scratch) : c.load(scratch); !loaded) { return at(loaded.error(), c.id); }
        if (auto added = merge.add(scratch, c.tokens); !added) { return at(added.error(), c.id); }
    }
    return merge.mean(mean);
}

Result<std::vector<float>> meanOf(const core::Recipe& recipe, std::size_t elements, const std::vector<RoundContribution>& contributions, std::int64_t total) {
    const bool byRange = std::all_of(contributions.begin(), contributions.end(), [](const RoundContribution& c) { return static_cast<bool>(c.loadRange); });
    const std::size_t width = byRange ? std::min(elements, static_cast<std::size_t>(mergeWindow(recipe))) : elements;
    std::vector<float> mean(elements);
    std::vector<float> scratch;
    FixedPointMerge merge(static_cast<std::int64_t>(width), total);
    for (std::size_t first = 0; first < elements; first += width) {
        const std::size_t count = std::min(width, elements - first);
        if (count < width) { merge = FixedPointMerge(static_cast<std::int64_t>(count), total); }
        if (auto merged = mergeInto(std::span(mean).subspan(first, count), static_cast<std::int64_t>(first), merge, scratch, contributions); !merged) { return merged.error(); }
    }
    return mean;
}

std::span<float> rangeOf(std::vector<float>& values, std::size_t first, std::size_t count) {
    return values.empty() ? std::span<float>{} : std::span(values).subspan(first, count);
}
}  // namespace

std::int64_t mergeWindow(const core::Recipe& recipe) { return std::max(codec::fragmentElements(recipe.uploadCodec), codec::fragmentElements(recipe.updateCodec)); }

Result<ClosedRound> closeRound(const core::Recipe& recipe, std::vector<float>& base, OuterState& state, const std::vector<RoundContribution>& contributions) {
    const auto total = totalTokens(contributions);
    if (!total) { return total.error(); }
    if (auto fits = fitOuterState(recipe, base.size(), state); !fits) { return fits.error(); }
    const auto mean = meanOf(recipe, base.size(), contributions, *total);
    if (!mean) { return mean.error(); }
    // On copies: base and state move on only when every fragment exists.
    const OuterFactors factors = outerFactors(recipe);
    const auto width = static_cast<std::size_t>(codec::fragmentElements(recipe.updateCodec));
    std::vector<float> momentum = state.momentum;
    std::vector<float> residual = state.residual;
    std::vector<float> wanted;
    std::vector<float> decoded;
    std::vector<float> next = base;
    ClosedRound closed;
    for (std::size_t first = 0; first < base.size(); first += width) {
        const std::size_t count = std::min(width, base.size() - first);
        wanted.resize(count);
        decoded.resize(count);
        const std::span<float> carried = rangeOf(residual, first, count);
        outerStepRange(factors, std::span(*mean).subspan(first, count), rangeOf(momentum, first, count), carried, wanted);
        const auto fragment = codec::encodeFragment(recipe.updateCodec, static_cast<int>(recipe.codecBlock), wanted, static_cast<std::int64_t>(first));
        if (!fragment) { return fragment.error(); }
        // What every device will see decides, not what was wanted: base' = base + dequant(update).
        if (auto read = codec::decodeFragment(*fragment, static_cast<std::int64_t>(first), decoded); !read) { return read.error(); }
        for (std::size_t i = 0; i < count; ++i) { next[first + i] += decoded[i]; }
        for (std::size_t i = 0; i < carried.size(); ++i) { carried[i] = wanted[i] - decoded[i]; }
        closed.update.insert(closed.update.end(), fragment->begin(), fragment->end());
    }
    base = std::move(next);
    state.momentum = std::move(momentum);
    state.residual = std::move(residual);
    ++state.revision;
    closed.baseHash = core::arenaHash(base);
    closed.momentumHash = outerStateHash(state);
    return closed;
}

}  // namespace sunloco::outer
