// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sunloco::platform {

/// Lowest ordinary CPU priority: everything else of the user goes first.
inline constexpr int kWorkerNice = 19;
/// When memory runs out, the worker is the first to go: its state is on disk.
inline constexpr int kWorkerOomScore = 800;

/// Makes the calling process give way: a session of its own, CPU and disk priority, memory score, and it ends when its parent does
/// (on Linux: when the thread that started it ends, so start workers from a thread that lives as long as the agent).
/// Only async-signal-safe calls: meant for the child between fork and exec (QProcess::setChildProcessModifier). Failures are left as they are.
void giveWayToOthers() noexcept;

}  // namespace sunloco::platform
