// SPDX-License-Identifier: Apache-2.0
#include "engine/codec/codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <cmath>

namespace sunloco::fuzz {

namespace {

using core::Bytes;
using core::ByteView;
using core::Codec;

/// Elements of the arena that update objects are decoded into.
constexpr std::size_t kArena = 200;

std::vector<float> wave(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) { values[i] = 0.01F * static_cast<float>(static_cast<int>(i * 37 % 101) - 50); }
    return values;
}

bool allFinite(const std::vector<float>& values) {
    for (const float value : values) {
        if (!std::isfinite(value)) { return false; }
    }
    return true;
}

Outcome runFragment(ByteView input) {
    const auto header = codec::parseFragmentHeader(input);
    if (!header) { return Outcome::Refused; }
    require(header->count >= 1 && header->count <= codec::fragmentElements(header->codec), "an accepted header has a possible count");
    if (header->totalBytes() != input.size()) {
        // A count that the input cannot hold must not cost memory first.
        std::vector<float> little(1);
        require(!codec::decodeFragment(input, header->firstElement, little), "a fragment of another length is refused");
        return Outcome::Refused;
    }
    std::vector<float> values(static_cast<std::size_t>(header->count));
    if (!codec::decodeFragment(input, header->firstElement, values)) { return Outcome::Refused; }
    require(allFinite(values), "decoded values are finite");
    require(!codec::decodeFragment(input, header->firstElement + 1, values), "a fragment of another range is refused");
    const auto again = codec::encodeFragment(header->codec, header->block, values, header->firstElement);
    require(again.has_value(), "decoded values can be encoded");
    if (header->codec == Codec::Fp32) { require(std::equal(again->begin(), again->end(), input.begin(), input.end()), "an fp32 fragment has one spelling"); }
    return Outcome::Accepted;
}

Outcome runUpdate(ByteView input) {
    std::vector<float> arena(kArena);
    if (!codec::decodeAll(input, arena)) { return Outcome::Refused; }
    require(allFinite(arena), "decoded values are finite");
    return Outcome::Accepted;
}

Bytes joined(const std::vector<Bytes>& parts) {
    Bytes all;
    for (const Bytes& part : parts) { all.insert(all.end(), part.begin(), part.end()); }
    return all;
}

}  // namespace

std::vector<Target> codecTargets() {
    const std::vector<float> values = wave(kArena);
    const std::span<const float> view(values);
    const Bytes fp32 = codec::encodeFragment(Codec::Fp32, 0, view.first(70), 0).value();
    const Bytes int8 = codec::encodeFragment(Codec::Int8, 16, view.subspan(70), 70).value();
    const Bytes zeros = codec::encodeFragment(Codec::Int8, 64, std::vector<float>(65), 1'000'000).value();
    return {
        {"fragment", {fp32, int8, zeros}, runFragment},
        {"update_object", {joined({fp32, int8}), codec::encodeAll(Codec::Int8, 64, values).value()}, runUpdate},
    };
}

}  // namespace sunloco::fuzz
