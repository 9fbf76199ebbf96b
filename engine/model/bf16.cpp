// SPDX-License-Identifier: Apache-2.0
#include "engine/model/bf16.h"

namespace sunloco::model {

void roundToBf16(const float* x, float* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = bf16Nearest(x[i]);
}

void roundStochastically(float* x, std::int64_t count, std::int64_t firstIndex, const RoundingKey& key) {
    RoundingBits bits{};
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t index = firstIndex + i;
        if (i == 0 || index % 8 == 0) bits = roundingBits(key, index);
        x[i] = bf16Stochastic(x[i], bits.of(index));
    }
}

}  // namespace sunloco::model
