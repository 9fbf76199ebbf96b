// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"

#include <optional>

namespace sunloco::core {

enum class ModelFamily { Llama, Gpt2 };
enum class RopeScaling { Default, Linear, Llama3 };

/// What a Hugging Face config.json says, for the families we train. A feature we do not have is refused by its key.
struct ModelConfig {
    ModelFamily family = ModelFamily::Llama;
    std::int64_t vocabSize = 0;
    std::int64_t hiddenSize = 0;        ///< n_embd
    std::int64_t intermediateSize = 0;  ///< n_inner or 4 * n_embd
    std::int64_t layers = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;           ///< = heads for GPT-2
    std::int64_t headDim = 0;
    std::int64_t maxPositions = 0;
    double normEpsilon = 1e-6;
    double initializerRange = 0.02;
    bool tieEmbeddings = false;
    bool attentionBias = false;
    bool mlpBias = false;
    RopeScaling ropeScaling = RopeScaling::Default;
    double ropeTheta = 10000.0;
    double ropeFactor = 1.0;
    double ropeLowFreqFactor = 1.0;      ///< llama3 only
    double ropeHighFreqFactor = 4.0;     ///< llama3 only
    double ropeOriginalPositions = 8192; ///< llama3 only
};

/// Reads config.json (both spellings of the rope settings: rope_parameters of transformers 5, rope_theta + rope_scaling of 4).
Result<ModelConfig> parseModelConfig(std::string_view json, std::string_view context = "config.json");

/// Parameters, counting a tied head once.
std::int64_t parameterCount(const ModelConfig& config);

}  // namespace sunloco::core
