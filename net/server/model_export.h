// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"
#include "engine/data/gguf_writer.h"

#include <filesystem>
#include <string>

namespace sunloco::server {

struct ExportReport {
    std::int64_t round = 0;            ///< the base after this round; 0 = initial weights
    std::string baseHash;
    std::filesystem::path out;         ///< the folder or file that was made
};

/// Writes the newest base as a folder that Hugging Face transformers loads (config.json, model.safetensors, tokenizer.model, settings of the
/// tokenizer and of text generation). Works while the server runs. `out` must be new or empty.
core::Result<ExportReport> exportHuggingFace(const std::filesystem::path& project, const std::filesystem::path& out);

/// Writes the newest base as one file for llama.cpp; `out` must not exist. Works while the server runs.
core::Result<ExportReport> exportGguf(const std::filesystem::path& project, const std::filesystem::path& out, data::GgufType type);

}  // namespace sunloco::server
