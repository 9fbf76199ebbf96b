// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/model_config.h"
#include "engine/data/gguf_writer.h"

namespace sunloco::data {

/// A model as llama.cpp and what is built on it read it (architectures "llama" and "gpt2").
struct GgufModel {
    std::string name;
    core::ModelConfig config;
    std::span<const float> weights;   ///< the arena of makeLayout(config)
    core::ByteView tokenizer;         ///< bytes of tokenizer.model
};

/// Writes `path`, a new file. Matrices get `type`; norms and biases stay fp32, and so does a matrix under Q8_0 whose rows are not a multiple of 32
/// numbers long: it is stored as F16.
core::Result<void> writeGguf(const GgufModel& model, GgufType type, const std::filesystem::path& path);

}  // namespace sunloco::data
