// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A disk that is full or broken, under SQLite: the system's file layer, whose writes fail while this is switched on.
namespace sunloco::agent::test {

enum class DiskTrouble { None, Full, BrokenWrites };

/// Becomes SQLite's file layer for databases that are opened from now on.
void installFullDiskVfs();
void setDiskTrouble(DiskTrouble trouble);
/// How many writes were refused since the last call.
int takeRefusedWrites();

}  // namespace sunloco::agent::test
