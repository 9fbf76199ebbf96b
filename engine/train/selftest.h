// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/json.h"
#include "engine/core/result.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sunloco::train {

enum class CheckResult { Passed, Failed, Missing };

struct SelfCheck {
    std::string name;
    CheckResult result = CheckResult::Failed;
    std::string text;  ///< what was found; for a failed check also what to do
};

/// Tests let memory go wrong here: called with the weights of the tiny model before each run of a check, `run` counted from 0 within the check.
using Disturbance = std::function<void(std::span<float> weights, int run)>;

/// Looks at this machine and at the engine on it: library, device, protections, the same step twice, a known answer, the slope of the loss.
std::vector<SelfCheck> runSelftest(std::string_view device, const Disturbance& disturb = {});
bool allPassed(const std::vector<SelfCheck>& checks);
core::Json toJson(const std::vector<SelfCheck>& checks);

}  // namespace sunloco::train
