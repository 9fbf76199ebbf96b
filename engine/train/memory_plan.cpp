// SPDX-License-Identifier: Apache-2.0
#include "engine/train/memory_plan.h"

#include "engine/train/courtesy.h"
#include "engine/train/trainer.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace sunloco::train {

namespace {

constexpr std::int64_t kFloat = 4;
/// Weights, gradients and AdamW's two moments.
constexpr std::int64_t kArenas = 4;
constexpr std::int64_t kLeastReserve = std::int64_t{1} << 30;
/// What LibTorch's products, thread stacks and the heap take once they work (measured: tests/bench/README.md).
constexpr std::int64_t kWorking = 6 << 20;
constexpr std::int64_t kPerThread = 1 << 20;

std::int64_t numberAfter(const char* path, const std::string& key) {
    std::ifstream in(path);
    for (std::string word; in >> word;) {
        std::int64_t kilobytes = 0;
        if (word == key && in >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

/// A control group's number, or `otherwise` when there is none ("max").
std::int64_t groupNumber(const std::string& path, std::int64_t otherwise) {
    std::ifstream in(path);
    std::int64_t value = 0;
    return in >> value ? value : otherwise;
}

std::string ownGroup() {
    std::ifstream in("/proc/self/cgroup");
    for (std::string line; std::getline(in, line);)
        if (line.starts_with("0::")) return "/sys/fs/cgroup" + line.substr(3);
    return {};
}

std::string megabytes(std::int64_t bytes) { return std::to_string(bytes / 1'000'000) + " MB"; }

}  // namespace

FreeMemory measureFreeMemory() {
    FreeMemory memory;
    memory.available = numberAfter("/proc/meminfo", "MemAvailable:");
    memory.total = numberAfter("/proc/meminfo", "MemTotal:");
    memory.resident = static_cast<std::int64_t>(residentMegabytes() * (1 << 20));
    if (const std::string group = ownGroup(); !group.empty()) {
        const std::int64_t limit = groupNumber(group + "/memory.max", memory.total);
        memory.total = std::min(memory.total, limit);
        memory.available = std::min(memory.available, std::max<std::int64_t>(0, limit - groupNumber(group + "/memory.current", 0)));
    }
    return memory;
}

core::Result<MemoryPlan> planMemory(const model::Transformer& model, std::int64_t sequences, std::int64_t length, int threads, const FreeMemory& memory,
                                    core::WeightFormat weights) {
    const std::int64_t arenas = weights == core::WeightFormat::Bf16 ? kArenas + 1 : kArenas;  // the bf16 working copy
    MemoryPlan plan;
    plan.microBatch = microBatchSequences(sequences, length);
    plan.reserve = std::max(kLeastReserve, memory.total / 10);
    const std::int64_t fixed = memory.resident + arenas * kFloat * model.layout().total + kWorking + threads * kPerThread;
    const std::int64_t limit = memory.available + memory.resident - plan.reserve;
    for (const auto activations : {model::Activations::Stored, model::Activations::Recomputed}) {
        plan.activations = activations;
        plan.needed = fixed + model.workspaceBytes(plan.microBatch, length, activations);
        if (plan.needed <= limit) return plan;
    }
    return core::Error{core::ErrorCode::OutOfMemory,
                       "training this model takes " + megabytes(plan.needed) + " of memory even when activations are computed twice; " + megabytes(memory.available) + " of " +
                           megabytes(memory.total) + " are free, of which " + megabytes(plan.reserve) +
                           " stay with the desktop. Close other programs, or take part in a project with a smaller model", "memory"};
}

std::string describe(const MemoryPlan& plan, const FreeMemory& memory) {
    return std::string(plan.activations == model::Activations::Stored ? "activations are stored" : "activations are computed twice to save memory") + ", about " +
           megabytes(plan.needed) + " in all; " + megabytes(memory.available) + " were free, " + megabytes(plan.reserve) + " stay with the desktop";
}

namespace {

constexpr std::int64_t kContext = 500'000'000;        ///< the driver's, per process
constexpr std::int64_t kWorkspace = 500'000'000;      ///< of the products and the allocator; the loss needs as much at the least
constexpr std::int64_t kDesktop = 1'000'000'000;      ///< and a sixteenth of what a card has above 8 GB: larger cards drive larger screens
constexpr std::int64_t kHalf = 2;
constexpr std::int64_t kLossRows = 1024;              ///< rows of logits held at once, fp32

std::int64_t bytesPerParameter(CardRecipe recipe) {
    switch (recipe) {
    case CardRecipe::B: return 16;
    case CardRecipe::C: return 12;
    case CardRecipe::D: return 8;
    case CardRecipe::E: return 6;
    }
    return 16;
}

/// Bytes per token and layer in bf16 with flash attention: GPT-2 32 d full, 20 d selective; Llama (12 + 4 r + 6 f) d and (8 + 4 r + 4 f) d with f = MLP
/// width / d and r = kv heads / heads; 2 d for the input alone.
std::int64_t bytesPerToken(const core::ModelConfig& c, CardActivations activations) {
    const std::int64_t d = c.hiddenSize, keys = d * c.kvHeads / c.heads, width = c.intermediateSize;
    const bool full = activations == CardActivations::Full;
    if (activations == CardActivations::Checkpoint) return c.layers * kHalf * d;
    if (c.family == core::ModelFamily::Gpt2) return c.layers * (full ? 16 * d + 4 * width : 12 * d + 2 * width);
    return c.layers * (full ? 12 * d + 4 * keys + 6 * width : 8 * d + 4 * keys + 4 * width);
}

}  // namespace

core::Result<CardPlan> planCard(const core::ModelConfig& config, std::int64_t length, std::int64_t vram) {
    using R = CardRecipe;
    using A = CardActivations;
    constexpr std::array<std::pair<R, A>, 10> order{{{R::B, A::Full}, {R::B, A::Selective}, {R::C, A::Full}, {R::C, A::Selective}, {R::D, A::Full}, {R::D, A::Selective},
                                                     {R::E, A::Full}, {R::E, A::Selective}, {R::D, A::Checkpoint}, {R::E, A::Checkpoint}}};
    const std::int64_t parameters = core::parameterCount(config);
    const std::int64_t usable = vram - kContext - kDesktop - std::max<std::int64_t>(0, vram - 8'000'000'000) / 16;
    const std::int64_t loss = std::max(kWorkspace, kLossRows * config.vocabSize * kFloat);
    const std::int64_t wanted = std::max<std::int64_t>(1024, length);
    std::int64_t least = 0;
    for (const auto& [recipe, activations] : order) {
        const std::int64_t states = bytesPerParameter(recipe) * parameters, token = bytesPerToken(config, activations);
        // A checkpointed layer in flight needs all of its activations.
        const std::int64_t flight = activations == A::Checkpoint ? bytesPerToken(config, A::Full) / config.layers * wanted : 0;
        const std::int64_t left = usable - states - loss - flight;
        if (left / token >= wanted) return CardPlan{recipe, activations, left / token};
        least = states + loss + flight + token * wanted + vram - usable;
    }
    return core::Error{core::ErrorCode::OutOfMemory, "a card for this model needs " + megabytes(least) + " of memory at the least, this one has " + megabytes(vram), "memory"};
}

const char* name(CardRecipe recipe) {
    constexpr std::array names{"B", "C", "D", "E"};
    return names[static_cast<std::size_t>(recipe)];
}
const char* name(CardActivations activations) {
    constexpr std::array names{"full", "selective", "checkpoint"};
    return names[static_cast<std::size_t>(activations)];
}

}  // namespace sunloco::train
