// SPDX-License-Identifier: Apache-2.0
#include "app/platform/process_courtesy.h"

namespace sunloco::platform {

void giveWayToOthers() noexcept {}

}  // namespace sunloco::platform
