// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "app/rules/local_time.h"

namespace sunloco::platform {

/// The system's time zone, for the rules. Each evaluation should take a fresh one, so that a changed zone is noticed.
rules::UtcOffset systemUtcOffset();

}  // namespace sunloco::platform
