// SPDX-License-Identifier: Apache-2.0
#include "engine/train/payload.h"

#include "engine/codec/codec.h"
#include "engine/core/files.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace sunloco::train {

core::Result<std::optional<Payload>> writePayload(const JobContext& context, std::span<const float> base, std::span<const float> weights) {
    const core::Recipe& recipe = context.job.recipe;
    const auto total = static_cast<std::int64_t>(base.size());
    const std::int64_t each = codec::fragmentElements(recipe.uploadCodec);
    std::vector<float> delta, decoded;
    Payload payload;
    double squares = 0;
    for (std::int64_t first = 0; first < total; first += each) {
        if (context.gate.pass() == model::Pass::Abandon) return std::optional<Payload>();
        const auto count = static_cast<std::size_t>(std::min(each, total - first));
        const auto from = static_cast<std::size_t>(first);
        delta.resize(count);
        decoded.resize(count);
        for (std::size_t i = 0; i < count; ++i) delta[i] = base[from + i] - weights[from + i];
        auto bytes = codec::encodeFragment(recipe.uploadCodec, static_cast<int>(recipe.codecBlock), delta, first);
        if (!bytes) return bytes.error();
        if (auto back = codec::decodeFragment(*bytes, first, decoded); !back) return back.error();
        for (const float value : decoded) squares += static_cast<double>(value) * static_cast<double>(value);
        char name[32];
        std::snprintf(name, sizeof name, "part-%04zu.slcd", payload.parts.size());
        if (auto written = core::writeFileAtomically(context.folder / name, *bytes, context.faults, 0600); !written) return written.error();
        payload.parts.push_back({name, bytes->size(), core::sha256(*bytes), first, static_cast<std::int64_t>(count)});
    }
    payload.deltaNorm = std::sqrt(squares);
    return std::optional<Payload>(std::move(payload));
}

}  // namespace sunloco::train
