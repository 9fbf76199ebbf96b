// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/sampler.h"
#include "engine/core/result.h"

#include <filesystem>
#include <functional>
#include <string>

namespace sunloco::train {

struct GeneratePlan {
    std::filesystem::path model;  ///< folder with config.json, model.safetensors (or its shards and index) and tokenizer.model
    std::string prompt;
    std::int64_t maxTokens = 64;
    model::SamplerSettings sampler;
    int threads = 1;
};

struct Generated {
    std::string text;   ///< prompt and continuation
    std::int64_t tokens = 0;
    double tokensPerSecond = 0;
};

/// Continues the prompt until the end token, `maxTokens`, or the model's last position. `onText` gets the continuation piece by piece.
core::Result<Generated> generate(const GeneratePlan& plan, const std::function<void(std::string_view)>& onText = {});

}  // namespace sunloco::train
