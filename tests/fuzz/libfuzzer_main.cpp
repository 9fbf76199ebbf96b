// SPDX-License-Identifier: Apache-2.0
// The same targets under clang's libFuzzer: SUNLOCO_FUZZ_TARGET names one, the rest of the command line is libFuzzer's.
#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

namespace {

const sunloco::fuzz::Target& chosen() {
    static const sunloco::fuzz::Target target = [] {
        const char* name = std::getenv("SUNLOCO_FUZZ_TARGET");
        for (auto& candidate : sunloco::fuzz::allTargets()) {
            if (name != nullptr && candidate.name == name) { return candidate; }
        }
        std::fputs("SUNLOCO_FUZZ_TARGET must name one of:\n", stderr);
        for (const auto& candidate : sunloco::fuzz::allTargets()) { std::fprintf(stderr, "  %s\n", candidate.name.c_str()); }
        std::exit(2);
    }();
    return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chosen().run({data, size});
    return 0;
}
