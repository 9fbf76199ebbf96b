// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/safetensors.h"
#include "engine/data/gguf_writer.h"

namespace sunloco::train {

/// Copies a Hugging Face model folder with its weights as `dtype` (F32, BF16 or F16, rounded to nearest even); config.json's dtype follows.
core::Result<void> convertModel(const std::filesystem::path& from, const std::filesystem::path& to, core::DType dtype);

/// Writes a Hugging Face model folder as a GGUF file, which llama.cpp reads; see data::writeGguf.
core::Result<void> convertToGguf(const std::filesystem::path& from, const std::filesystem::path& to, data::GgufType type);

}  // namespace sunloco::train
