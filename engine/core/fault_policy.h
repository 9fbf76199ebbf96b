// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <string_view>

namespace sunloco::core {

/// Asked before each file, SQL and network step of the work loop; production passes none (nullptr), tests let the i-th step fail.
class FaultPolicy {
public:
    virtual ~FaultPolicy() = default;
    /// `step` names the operation ("file.write", "sql.exec", "net.request"). An error makes the step fail with it.
    virtual Result<void> before(std::string_view step) = 0;
};

/// Calls the policy when there is one.
inline Result<void> checkFault(FaultPolicy* policy, std::string_view step) {
    return policy != nullptr ? policy->before(step) : Result<void>{};
}

}  // namespace sunloco::core
