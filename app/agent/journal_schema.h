// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sunloco::agent {

/// The SQL that lifts a journal from version `from` to `from` + 1. Published steps are never changed; a new need is a new step.
const char* journalMigration(int from);

}  // namespace sunloco::agent
