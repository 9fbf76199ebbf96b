// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "engine/core/worker_messages.h"

namespace sunloco::train {

/// Devices this worker can train on.
std::vector<core::DeviceInfo> listDevices();

/// Nothing when the device can be used, else why not and what to do.
core::Result<void> checkDevice(std::string_view device);

/// Version of this program and of the library it computes with.
std::string buildText();

}  // namespace sunloco::train
