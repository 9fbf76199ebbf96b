// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace sunloco::train {

/// The range in which the loss of the next step is believed: running mean and mean deviation of the steps so far. A loss far above it means a fault
/// (bit flip, broken data), not learning; a low loss is never refused.
struct LossBand {
    double mean = 0;
    double deviation = 0;
    std::int64_t steps = 0;

    /// Nats above the running mean that are believed.
    [[nodiscard]] double margin() const { return deviation * 12 > 3 ? deviation * 12 : 3; }
    [[nodiscard]] bool accepts(double loss) const { return steps < 10 || loss <= mean + margin(); }
    void add(double loss) {
        const double weight = steps < 10 ? 1.0 / static_cast<double>(steps + 1) : 0.1;
        const double distance = loss > mean ? loss - mean : mean - loss;
        if (steps > 0) deviation += weight * (distance - deviation);
        mean += weight * (loss - mean);
        ++steps;
    }
};

}  // namespace sunloco::train
