// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/result.h"

#include <string_view>

namespace sunloco::rules {

/// Checks "http://host:port" (also https, socks5, socks5h). A user name in it is refused: it would stand readable in the settings file.
/// InvalidArgument with what is allowed and what was given.
core::Result<void> checkProxyAddress(std::string_view address);

}  // namespace sunloco::rules
