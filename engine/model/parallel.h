// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

namespace sunloco::model {

/// Runs body(begin, end, thread) over [0, count) on LibTorch's threads; pieces are at least `grain` long. `thread` < threadCount().
void parallelFor(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t, int)>& body);
void setThreadCount(int threads);
int threadCount();

}  // namespace sunloco::model
