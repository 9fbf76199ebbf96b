// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/bytes.h"

#include <string_view>
#include <vector>

namespace sunloco::data {

/// Learns a SentencePiece model and returns the bytes of tokenizer.model; see Tokenizer::train.
core::Result<core::Bytes> trainModel(const std::vector<std::string_view>& texts, std::int64_t vocabulary);

}  // namespace sunloco::data
