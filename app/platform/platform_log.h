// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QLoggingCategory>

/// "sunloco.platform": what the sensors find, and which of them are left out.
Q_DECLARE_LOGGING_CATEGORY(lcPlatform)
