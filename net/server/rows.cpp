// SPDX-License-Identifier: Apache-2.0
#include "net/server/rows.h"

namespace sunloco::server {

std::string_view name(StoredRoundState state) {
    switch (state) {
    case StoredRoundState::Open: return "open";
    case StoredRoundState::Closing: return "closing";
    case StoredRoundState::Halted: return "halted";
    case StoredRoundState::Finished: return "finished";
    case StoredRoundState::Closed: return "closed";
    case StoredRoundState::RolledBack: return "rolled-back";
    }
    return "open";
}

std::string_view name(LeaseState state) {
    switch (state) {
    case LeaseState::Open: return "open";
    case LeaseState::Used: return "used";
    case LeaseState::Released: return "released";
    case LeaseState::Expired: return "expired";
    case LeaseState::Closed: return "closed";
    }
    return "open";
}

}  // namespace sunloco::server
