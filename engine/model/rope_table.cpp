// SPDX-License-Identifier: Apache-2.0
#include "engine/model/rope_table.h"

#include "engine/core/rope.h"

#include <cmath>

namespace sunloco::model {

RopeTable makeRopeTable(const core::ModelConfig& config, std::int64_t positions) {
    const std::int64_t half = config.headDim / 2;
    RopeTable table;
    table.cosines.resize(static_cast<std::size_t>(positions * half));
    table.sines.resize(table.cosines.size());
    for (std::int64_t pair = 0; pair < half; ++pair) {
        const float f = core::ropeFrequency(config, pair);
        for (std::int64_t position = 0; position < positions; ++position) {
            // transformers rounds the angle to fp32 before it takes sine and cosine.
            const float angle = static_cast<float>(position) * f;
            table.cosines[static_cast<std::size_t>(position * half + pair)] = static_cast<float>(std::cos(static_cast<double>(angle)));
            table.sines[static_cast<std::size_t>(position * half + pair)] = static_cast<float>(std::sin(static_cast<double>(angle)));
        }
    }
    return table;
}

}  // namespace sunloco::model
