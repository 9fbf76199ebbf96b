// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace sunloco::fuzz {

std::vector<Target> allTargets() {
    std::vector<Target> all = coreTargets();
    for (auto more : {protocolTargets(), trustTargets(), codecTargets()}) { all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end())); }
    return all;
}

void broken(const char* promise) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

}  // namespace sunloco::fuzz
