// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"
#include "engine/core/recipe.h"
#include "engine/model/transformer.h"

#include <string>

namespace sunloco::train {

// ---- the processor ----------------------------------------------------------------------------------------------------------------------

/// Memory as it is now, in bytes.
struct FreeMemory {
    std::int64_t available = 0;   ///< what the system can give without swapping: MemAvailable, or less where a control group allows less
    std::int64_t total = 0;
    std::int64_t resident = 0;    ///< what this process has already
};
/// From /proc and the control group (version 2) that this process is in.
FreeMemory measureFreeMemory();

/// How a training job uses the processor's memory. The micro-batch is a matter of the recipe (microBatchSequences), since it decides how sums are
/// rounded; what a plan may choose changes no bit.
struct MemoryPlan {
    model::Activations activations = model::Activations::Stored;
    std::int64_t microBatch = 0;   ///< sequences
    std::int64_t needed = 0;       ///< peak of the process in bytes, with what it has already
    std::int64_t reserve = 0;      ///< left to the desktop
};

/// Keeps max(1 GiB, a tenth of the memory) free. Stores activations when they fit, recomputes them when only that fits; OutOfMemory with all numbers and
/// what would help when nothing does.
core::Result<MemoryPlan> planMemory(const model::Transformer& model, std::int64_t sequences, std::int64_t length, int threads, const FreeMemory& memory,
                                    core::WeightFormat weights = core::WeightFormat::Fp32);
/// "stored activations, 512 of 8 192 MB": for the log.
std::string describe(const MemoryPlan& plan, const FreeMemory& memory);

// ---- graphics cards ---------------------------------------------------------------------------------------------------------------------

/// Bytes per parameter on the card: B 16 (bf16 copy, fp32 master and moments, bf16 gradient), C 12 (bf16 moments), D 8 (bf16 weights with stochastic
/// rounding), E 6 (8-bit moments).
enum class CardRecipe { B, C, D, E };
enum class CardActivations { Full, Selective, Checkpoint };   ///< all; without norms and GELU or SwiGLU; the input of each layer
struct CardPlan {
    CardRecipe recipe = CardRecipe::B;
    CardActivations activations = CardActivations::Full;
    std::int64_t tokens = 0;   ///< of a micro-batch that fit
};
/// The first of B, C, D, E with full, then selective activations (then D and E with checkpoints) that leaves room for a micro-batch of 1024 tokens, or of
/// one sequence if that is longer. `vram` is the card's whole memory; the driver's context and the desktop keep their share of it.
/// No card trains yet in this version: this tells what one could do (`sunloco-worker plan --vram`).
core::Result<CardPlan> planCard(const core::ModelConfig& config, std::int64_t length, std::int64_t vram);
const char* name(CardRecipe recipe);
const char* name(CardActivations activations);

}  // namespace sunloco::train
