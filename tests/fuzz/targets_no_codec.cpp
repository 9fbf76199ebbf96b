// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_target.h"

namespace sunloco::fuzz {

/// For a build without engine/codec.
std::vector<Target> codecTargets() { return {}; }

}  // namespace sunloco::fuzz
