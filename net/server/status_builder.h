// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "net/protocol/status_messages.h"
#include "net/server/store.h"

namespace sunloco::server {

/// Facts in the store that are not rows.
inline constexpr const char* kInitialLossFact = "initial_held_out_loss";
inline constexpr const char* kAuthorityFact = "authority";   ///< the public name of the running (or last) server, for `link`

/// GET /v1/status, also what `sunloco-server status` prints.
core::Result<protocol::StatusAnswer> buildStatus(Store& store, const protocol::ProjectInfo& project);

/// How long a round usually takes: the mean of the last five, or the open round's time box capped at a minute.
std::int64_t usualRoundMs(const std::vector<RoundRow>& closed, std::int64_t deadlineMs);

}  // namespace sunloco::server
