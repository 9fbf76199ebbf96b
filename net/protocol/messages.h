// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every request and answer of wire protocol v1.
#include "net/protocol/contribution_messages.h"
#include "net/protocol/device_messages.h"
#include "net/protocol/lease_messages.h"
#include "net/protocol/problem.h"
#include "net/protocol/status_messages.h"
