// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/model/bf16_element.h"

namespace sunloco::model {

/// out[i] = the nearest bf16 number to x[i].
void roundToBf16(const float* x, float* out, std::int64_t count);

/// x[i] = one of its two bf16 neighbours, chosen by (key.seed, key.step, firstIndex + i).
void roundStochastically(float* x, std::int64_t count, std::int64_t firstIndex, const RoundingKey& key);

}  // namespace sunloco::model
