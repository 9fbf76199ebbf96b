// SPDX-License-Identifier: Apache-2.0
#include "engine/model/parallel.h"

#include <ATen/Parallel.h>

namespace sunloco::model {

void parallelFor(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t, int)>& body) {
    at::parallel_for(0, count, grain, [&body](std::int64_t begin, std::int64_t end) { body(begin, end, at::get_thread_num()); });
}

void setThreadCount(int threads) { at::set_num_threads(threads); }

int threadCount() { return at::get_num_threads(); }

}  // namespace sunloco::model
