// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/safetensors.h"

namespace sunloco::train {

/// Copies a Hugging Face model folder with its weights as `dtype` (F32, BF16 or F16, rounded to nearest even); config.json's dtype follows.
core::Result<void> convertModel(const std::filesystem::path& from, const std::filesystem::path& to, core::DType dtype);

/// Nearest, ties to even; what is too large for the format becomes infinite.
std::uint16_t toBf16(float value);
std::uint16_t toF16(float value);

}  // namespace sunloco::train
